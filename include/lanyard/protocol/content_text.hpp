// The text in resources and prompts that a client has received.
#pragma once

#include <string>

#include <lanyard/protocol/content.hpp>
#include <lanyard/protocol/prompts.hpp>
#include <lanyard/protocol/resources.hpp>

namespace lanyard {

/// Returns the text of the contents of a resource; empty if the contents are not text.
std::string text_of(ResourceContents const& contents);
/// Returns the text of all contents of a resource, separated by line breaks. Contents that are not
/// text are left out.
std::string text_of(ReadResourceResult const& result);

/// Returns the text of a text block, or of a resource with text that is embedded in the block;
/// empty for other blocks.
std::string text_of(ContentBlock const& block);
/// Returns the text of the message's block.
std::string text_of(PromptMessage const& message);

}  // namespace lanyard
