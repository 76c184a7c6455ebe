#include "server/clients/session_responder.hpp"

#include <utility>

namespace lanyard::server {

void SessionResponder::fail(wire::WireError const& error) {
    connection_->peer().fail(ticket_, error.text());
}

void SessionResponder::notify(std::string_view method, std::string_view params) {
    if (active()) connection_->peer().notify(method, params, connection_->peer().origin(ticket_));
}

void SessionResponder::progress(rpc::ProgressUpdate update) {
    if (connection_->is_behind()) return;
    connection_->peer().progress(ticket_, std::move(update), connection_->now());
}

Result<std::int64_t> SessionResponder::ask(std::string_view method, std::string_view params,
                                           rpc::AnswerSink& sink,
                                           rpc::RequestSettings const& options) {
    if (!active()) return Unexpected(Error(Errc::cancelled, "the request has ended"));
    auto settings = options;
    settings.name = std::string_view();  // questions name no feature
    return connection_->peer().request(method, params, sink, connection_->now(), settings,
                                       connection_->peer().origin(ticket_));
}

void SessionResponder::cancel_question(std::int64_t id, std::string_view reason) {
    connection_->peer().cancel(id, reason, connection_->now());
}

void SessionResponder::release_stream() {
    auto const origin = connection_->peer().origin(ticket_);
    // Sends earlier messages while the stream is still open.
    connection_->flush();
    auto* const extras = connection_->extras();
    if (origin != 0 && extras != nullptr) extras->release_stream(origin);
}

}  // namespace lanyard::server
