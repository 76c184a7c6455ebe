// Shows results to users: as tables and readable content.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/protocol/content.hpp"
#include "lanyard/protocol/prompts.hpp"
#include "lanyard/protocol/resources.hpp"
#include "lanyard/protocol/tools.hpp"

namespace lanyard::app {

/// Returns a size as "1.2 KB".
std::string human_size(std::size_t bytes);

/// The arguments of a tool in short form, optional ones in brackets: "a:number b:number
/// [label:string]".
std::string signature(RawJson const& input_schema);
std::string signature(Prompt const& prompt);

void show(std::ostream& out, std::vector<Tool> const& tools);
void show(std::ostream& out, std::vector<Resource> const& resources);
void show(std::ostream& out, std::vector<ResourceTemplate> const& templates);
void show(std::ostream& out, std::vector<Prompt> const& prompts);
void show(std::ostream& out, ContentBlock const& block);
void show(std::ostream& out, ResourceContents const& contents);
void show(std::ostream& out, CallToolResult const& result);
void show(std::ostream& out, GetPromptResult const& result);

}  // namespace lanyard::app
