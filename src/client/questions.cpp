#include "client/questions.hpp"

#include "client/client_session.hpp"
#include "client/form_answer.hpp"
#include "protocol/capability_check.hpp"
#include "protocol/validation.hpp"

namespace lanyard::client {

namespace {

void check_roots(std::vector<Root> const& roots, Errc code) {
    for (auto const& root : roots) {
        if (auto valid = protocol::check_root(root); !valid) {
            throw Error(
                code, "the root \"" + root.uri + "\" cannot be used: " + valid.error().to_string());
        }
    }
}

// Throws DecodeError if this client has not declared that it can answer the question.
void require(Result<void> const& allowed, char const* pointer) {
    if (!allowed) throw DecodeError{pointer, allowed.error().message()};
}

}  // namespace

ClientCapabilities declared_capabilities(ClientOptions const& options) {
    auto declared = options.capabilities();
    if (options.on_sampling()) {
        auto& sampling = declared.sampling.emplace();
        if (options.sampling_with_tools()) sampling.tools.emplace();
        if (options.sampling_with_context()) sampling.context.emplace();
    }
    if (options.on_elicitation() || options.on_url_elicitation()) {
        auto& elicitation = declared.elicitation.emplace();
        if (options.on_elicitation()) elicitation.form.emplace();
        if (options.on_url_elicitation()) elicitation.url.emplace();
    }
    if (options.roots() || options.on_roots()) declared.roots.emplace().list_changed = true;
    return declared;
}

Questions::Questions(ClientOptions const& options)
    : options_(options), capabilities_(declared_capabilities(options)) {
    if (options.roots()) set_roots(*options.roots());
}

Task<CreateMessageResult> Questions::sample(CreateMessageParams params, Version version) const {
    require(protocol::check_capability(params, capabilities_, version), "");
    protocol::check_sampling_messages(params.messages).value();
    auto answering = options_.on_sampling()(std::move(params));
    auto result = co_await std::move(answering);
    co_return result;
}

Task<ElicitResult> Questions::elicit(ElicitParams params) const {
    require(protocol::check_capability(params, capabilities_), "/mode");
    if (auto* url = std::get_if<ElicitUrlParams>(&params)) {
        if (auto valid = protocol::check_elicitation_url(url->url); !valid) {
            throw DecodeError{"/url" + valid.error().pointer, valid.error().message};
        }
        auto answering = options_.on_url_elicitation()(std::move(*url));
        auto result = co_await std::move(answering);
        result.content.reset();
        co_return result;
    }
    auto& form = std::get<ElicitFormParams>(params);
    if (auto valid = protocol::check_form_schema(form.requested_schema); !valid) {
        throw DecodeError{"/requestedSchema" + valid.error().pointer, valid.error().message};
    }
    auto const schema = form.requested_schema;
    auto answering = options_.on_elicitation()(std::move(form));
    auto result = co_await std::move(answering);
    complete_form_answer(schema, result).value();
    co_return result;
}

Task<ListRootsResult> Questions::list_roots() const {
    ListRootsResult result;
    if (auto const roots = roots_.load()) {
        result.roots = *roots;
    } else {
        auto answering = options_.on_roots()();
        result.roots = co_await std::move(answering);
        check_roots(result.roots, Errc::protocol_violation);
    }
    co_return result;
}

Task<InputResponse> Questions::answer(InputRequest request, Version version) const {
    InputResponse response;
    if (auto* elicitation = std::get_if<ElicitParams>(&request)) {
        auto answering = elicit(std::move(*elicitation));
        response = co_await std::move(answering);
    } else if (auto* sampling = std::get_if<CreateMessageParams>(&request)) {
        require(protocol::check_capability(methods::CreateMessage::info, capabilities_, version),
                "");
        auto answering = sample(std::move(*sampling), version);
        response = co_await std::move(answering);
    } else {
        require(protocol::check_capability(methods::ListRoots::info, capabilities_, version), "");
        auto answering = list_roots();
        response = co_await std::move(answering);
    }
    co_return response;
}

void Questions::set_roots(std::vector<Root> roots) {
    check_roots(roots, Errc::invalid_argument);
    roots_ = std::make_shared<std::vector<Root> const>(std::move(roots));
}

}  // namespace lanyard::client
