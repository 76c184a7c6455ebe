// Text in sampling: makes messages for the model, and reads the answer.
#pragma once

#include <string>

#include <lanyard/protocol/sampling.hpp>

namespace lanyard {

/// Returns a message of the user with this text, for CreateMessageParams::messages.
SamplingMessage user_message(std::string text);
/// Returns a message of the model with this text.
SamplingMessage assistant_message(std::string text);

/// Returns the text blocks of the model's answer as one text, separated by line breaks; empty if
/// the answer has no text block.
std::string text_of(CreateMessageResult const& result);

}  // namespace lanyard
