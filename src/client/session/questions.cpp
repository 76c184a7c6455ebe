#include "client/session/questions.hpp"

#include "client/session/form_answer.hpp"
#include "lanyard/protocol/methods.hpp"
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

// Returns the handler of the call, or else the handler of the client.
template <class H>
H const& choose(QuestionHandlers const& handlers, H CallHandlers::* member, H const& of_client) {
    if (handlers.of_call && (*handlers.of_call).*member) return (*handlers.of_call).*member;
    if (of_client) return of_client;
    throw Refusal(RefusalReason::unsupported,
                  "the client does not answer the question: " + std::string(handlers.why));
}

// Returns the capabilities implied by the handlers, plus those set explicitly.
ClientCapabilities declared_capabilities(ClientOptions const& options) {
    auto declared = options.capabilities();
    if (options.on_sampling() || options.declare_sampling()) {
        auto& sampling = declared.sampling.emplace();
        if (options.sampling_with_tools()) sampling.tools.emplace();
        if (options.sampling_with_context()) sampling.context.emplace();
    }
    bool const forms = options.on_elicitation() || options.declare_elicitation();
    bool const urls = options.on_url_elicitation() || options.declare_url_elicitation();
    if (forms || urls) {
        auto& elicitation = declared.elicitation.emplace();
        if (forms) elicitation.form.emplace();
        if (urls) elicitation.url.emplace();
    }
    if (options.roots() || options.on_roots() || options.declare_roots()) {
        declared.roots.emplace().list_changed = true;
    }
    return declared;
}

}  // namespace

Questions::Questions(ClientOptions const& options)
    : options_(options), capabilities_(declared_capabilities(options)) {
    if (options.roots()) set_roots(*options.roots());
}

Task<CreateMessageResult> Questions::sample(CreateMessageParams params, Version version,
                                            QuestionHandlers handlers) const {
    require(protocol::check_capability(params, capabilities_, version), "");
    protocol::check_sampling_messages(params.messages).value();
    auto const& handler = choose(handlers, &CallHandlers::on_sampling, options_.on_sampling());
    auto answering = handler(std::move(params), handlers.progress);
    auto result = co_await std::move(answering);
    co_return result;
}

Task<ElicitResult> Questions::elicit(ElicitParams params, QuestionHandlers handlers) const {
    require(protocol::check_capability(params, capabilities_), "/mode");
    if (auto* url = std::get_if<ElicitUrlParams>(&params)) {
        if (auto valid = protocol::check_elicitation_url(url->url); !valid) {
            throw DecodeError{"/url" + valid.error().pointer, valid.error().message};
        }
        auto const& handler =
            choose(handlers, &CallHandlers::on_url_elicitation, options_.on_url_elicitation());
        auto answering = handler(std::move(*url), handlers.progress);
        auto result = co_await std::move(answering);
        result.content.reset();
        co_return result;
    }
    auto& form = std::get<ElicitFormParams>(params);
    if (auto valid = protocol::check_form_schema(form.requested_schema); !valid) {
        throw DecodeError{"/requestedSchema" + valid.error().pointer, valid.error().message};
    }
    auto const schema = form.requested_schema;
    auto const& handler =
        choose(handlers, &CallHandlers::on_elicitation, options_.on_elicitation());
    auto answering = handler(std::move(form), handlers.progress);
    auto result = co_await std::move(answering);
    complete_form_answer(schema, result).value();
    co_return result;
}

Task<ListRootsResult> Questions::list_roots(QuestionHandlers handlers) const {
    ListRootsResult result;
    bool const asks_call = handlers.of_call && handlers.of_call->on_roots;
    auto const roots = asks_call ? nullptr : roots_.load();
    if (roots) {
        result.roots = *roots;
    } else {
        auto const& handler = choose(handlers, &CallHandlers::on_roots, options_.on_roots());
        auto answering = handler(handlers.progress);
        result.roots = co_await std::move(answering);
        check_roots(result.roots, Errc::protocol_violation);
    }
    co_return result;
}

Task<InputResponse> Questions::answer(InputRequest request, Version version,
                                      QuestionHandlers handlers) const {
    InputResponse response;
    if (auto* elicitation = std::get_if<ElicitParams>(&request)) {
        auto answering = elicit(std::move(*elicitation), std::move(handlers));
        response = co_await std::move(answering);
    } else if (auto* sampling = std::get_if<CreateMessageParams>(&request)) {
        require(protocol::check_capability(methods::CreateMessage::info, capabilities_, version),
                "");
        auto answering = sample(std::move(*sampling), version, std::move(handlers));
        response = co_await std::move(answering);
    } else {
        require(protocol::check_capability(methods::ListRoots::info, capabilities_, version), "");
        auto answering = list_roots(std::move(handlers));
        response = co_await std::move(answering);
    }
    co_return response;
}

void Questions::set_roots(std::vector<Root> roots) {
    check_roots(roots, Errc::invalid_argument);
    roots_ = std::make_shared<std::vector<Root> const>(std::move(roots));
}

}  // namespace lanyard::client
