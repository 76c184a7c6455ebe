// Answers of test clients to the questions of a server.
#pragma once

#include "lanyard/client.hpp"

namespace lanyard::test {

/// Accepts the form with the values of those fields that it has.
inline ElicitResult accept_form(ElicitFormParams const& form, JsonObject const& values) {
    ElicitResult result;
    result.action = ElicitAction::accept;
    result.content.emplace();
    for (auto const& field : form.requested_schema.fields) {
        if (auto const* value = values.if_contains(field.name)) {
            (*result.content)[field.name] = *value;
        }
    }
    return result;
}

/// Answers every sampling request with "Paris" by the model "parrot", and offers file:///work.
inline void answer_sampling_and_roots(ClientOptions& options) {
    options.on_sampling([](CreateMessageParams const&) {
        TextContent words;
        words.text = "Paris";
        CreateMessageResult result;
        result.content.emplace_back(std::move(words));
        result.model = "parrot";
        return result;
    });
    Root root;
    root.uri = "file:///work";
    options.roots({root});
}

}  // namespace lanyard::test
