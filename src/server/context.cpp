#include "lanyard/server/context.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "protocol/validation.hpp"
#include "server/call/call.hpp"
#include "wire/tables/elicitation.hpp"

namespace lanyard {

namespace detail {

FormSchema form_schema(RawJson const& schema) {
    auto form = decode<FormSchema>(schema, newest_version);
    if (!form) {
        throw Error(Errc::invalid_argument,
                    "no form can ask for this type: " + form.error().to_string());
    }
    return std::move(*form);
}

void refuse_answer(std::string_view key, std::string_view why) {
    throw Error(Errc::protocol_violation,
                "the answer to \"" + std::string(key) + "\" is refused: " + std::string(why));
}

void refuse_declined(ElicitAction action) {
    throw ToolError(action == ElicitAction::decline ? "the user declined to answer"
                                                    : "the user did not answer");
}

}  // namespace detail

namespace {

template <class T>
T read_answer(std::string_view key, InputResponse response) {
    auto* const result = std::get_if<T>(&response);
    if (result == nullptr) detail::refuse_answer(key, "it is of another kind");
    return std::move(*result);
}

std::vector<Root> read_roots(std::string_view key, InputResponse response) {
    return read_answer<ListRootsResult>(key, std::move(response)).roots;
}

// Throws if a question is invalid, before anything is sent.
void check(protocol::Validity const& validity) {
    if (!validity) throw Error(Errc::invalid_argument, validity.error().to_string());
}

}  // namespace

Question<ElicitResult> ask_form(std::string key, ElicitFormParams form) {
    check(protocol::check_form_schema(form.requested_schema));
    return {std::move(key), ElicitParams(std::move(form)), &read_answer<ElicitResult>};
}

Question<ElicitResult> ask_url(std::string key, std::string message, std::string url,
                               std::string elicitation_id) {
    check(protocol::check_elicitation_url(url));
    ElicitUrlParams params;
    params.message = std::move(message);
    params.url = std::move(url);
    params.elicitation_id = std::move(elicitation_id);
    return {std::move(key), ElicitParams(std::move(params)), &read_answer<ElicitResult>};
}

Question<CreateMessageResult> ask_model(std::string key, CreateMessageParams params) {
    check(protocol::check_sampling_messages(params.messages));
    return {std::move(key), std::move(params), &read_answer<CreateMessageResult>};
}

Question<std::vector<Root>> ask_roots(std::string key) {
    return {std::move(key), ListRootsParams(), &read_roots};
}

std::string_view Context::request_id() const noexcept {
    return call_->request().id();
}
std::string_view Context::method() const noexcept {
    return call_->request().method();
}
std::string_view Context::target() const noexcept {
    return call_->request().target();
}
std::string_view Context::params() const noexcept {
    return call_->request().params();
}
Meta Context::meta() const {
    return call_->request().meta();
}
std::optional<TraceContext> Context::trace_context() const {
    return call_->request().meta().trace_context();
}
std::string_view Context::identity() const noexcept {
    return call_->request().peer().identity;
}
std::vector<RequestHeader> const& Context::headers() const noexcept {
    return call_->request().peer().headers;
}
Implementation const& Context::client_info() const noexcept {
    return call_->request().client().info;
}
ClientCapabilities const& Context::client_capabilities() const noexcept {
    return call_->request().client().capabilities;
}
std::string_view Context::version() const noexcept {
    return to_string(call_->request().version());
}
std::string_view Context::session_id() const noexcept {
    return call_->request().peer().session_id;
}
std::string_view Context::transport() const noexcept {
    return call_->request().peer().transport;
}
TimePoint Context::received_at() const noexcept {
    return call_->request().received();
}
std::stop_token Context::stop_token() const {
    return call_->stop_token();
}
bool Context::cancelled() const noexcept {
    return call_->cancelled();
}

void Context::report_progress(double progress, std::optional<double> total,
                              std::string_view message) {
    call_->report(rpc::ProgressUpdate::of(progress, total, message));
}

Task<> Context::yield() {
    // A pending cancellation takes effect while the coroutine waits for its turn.
    co_await boost::asio::post(boost::asio::use_awaitable);
}

void Context::log(LoggingLevel level, Json data, std::string_view logger) {
    call_->log(level, std::move(data), logger);
}

void Context::release_stream() {
    call_->release_stream();
}

Task<ElicitResult> Context::elicit(std::string key, ElicitFormParams const& form) {
    return ask(ask_form(std::move(key), form));
}
Task<ElicitResult> Context::elicit_url(std::string key, std::string message, std::string url,
                                       std::string elicitation_id) {
    return ask(
        ask_url(std::move(key), std::move(message), std::move(url), std::move(elicitation_id)));
}
Task<CreateMessageResult> Context::sample(std::string key, CreateMessageParams const& params) {
    return ask(ask_model(std::move(key), params));
}
Task<std::vector<Root>> Context::list_roots() {
    return ask(ask_roots());
}

Task<std::vector<InputResponse>> Context::ask_client(std::vector<detail::AskedQuestion> questions) {
    return call_->ask(std::move(questions));
}
void Context::wait_for(Task<> task) {
    call_->wait(std::move(task));
}
Task<> Context::run_in_worker(std::function<void()> function) {
    return call_->run_in_worker(std::move(function));
}
std::optional<RawJson> Context::recall(std::string_view key) const {
    return call_->rounds().recall(key);
}
void Context::remember(std::string key, RawJson value) {
    call_->rounds().remember(std::move(key), std::move(value));
}

}  // namespace lanyard
