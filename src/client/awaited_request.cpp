#include "client/awaited_request.hpp"

#include "lanyard/protocol/features.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

namespace lanyard::client {

void StopRequest::operator()() const noexcept {
    try {
        boost::asio::post(session_->executor(), [session = session_, id = id_] {
            session->connection().cancel(id, "the caller gave up");
        });
    } catch (...) {
        // Out of memory: the request is not cancelled, so the call ends when its timeout expires.
    }
}

AwaitedRequest::AwaitedRequest(ClientSession& session, Outgoing outgoing, ResultReader& reader)
    : session_(session),
      reader_(reader),
      outgoing_(std::move(outgoing)),
      ended_event_(session.executor()) {
    check_stop();
    if (outgoing_.opens) {
        auto const& connection = session_.connection();
        if (!connection.is_open()) {
            throw connection.end_error(Errc::closed, "the connection has ended");
        }
    } else {
        // Checked for every request: if a call sends several requests, the connection may have
        // ended or been replaced since the previous request.
        session_.keeper().check_ready().value();
    }
    auto const most = session_.options().max_params_bytes();
    if (outgoing_.params.size() > most) {
        throw Error(Errc::too_large, std::string(outgoing_.method) + " has params of " +
                                         std::to_string(outgoing_.params.size()) +
                                         " bytes, the limit is " + std::to_string(most));
    }
}

AwaitedRequest::~AwaitedRequest() {
    // Only queues the cancellation and does not send it: this destructor may run while all waiting
    // coroutines are destroyed, and then the transport may already have been destroyed.
    if (id_ && !answered_) connection_->peer().cancel(*id_, "", session_.now());
    if (progress_) progress_->on_idle({});
    if (!open_) return;
    session_.requests().open_calls().remove(*id_);
    open_->detach();
}

void AwaitedRequest::send() {
    auto const& stop_token = outgoing_.options.stop_token();
    check_stop();
    connection_ = session_.connection().shared();
    rpc::RequestSettings call;
    call.timeout = outgoing_.options.timeout();
    if (!call.timeout) call.timeout = outgoing_.default_timeout;
    call.max_total = outgoing_.options.max_total();
    call.progress = outgoing_.progress_token.has_value();
    call.progress_token = outgoing_.progress_token;
    call.name = outgoing_.name;
    started_ = session_.now();
    auto const id =
        connection_->peer().request(outgoing_.method, outgoing_.params, *this, started_, call);
    if (!id && id.error().is(Errc::too_many_pending)) {
        session_.reports().limits().add(&ClientLimitCounts::refused);
    }
    id_ = id.value();
    auto const& handlers = outgoing_.options.handlers();
    if (handlers && supports(Feature::handshake, session_.version())) {
        open_ = session_.requests().open_calls().add(*id_, handlers, outgoing_.task);
    }
    auto const tell = [](ClientObserver& observer, ClientObserver::Request const& request) {
        observer.on_request_started(request);
    };
    session_.reports().observe(tell, description());
    if (session_.inbox().has_waiting()) session_.update_reading();
    connection_->flush();
    if (stop_token.stop_possible()) {
        on_stop_.emplace(stop_token, StopRequest(session_.shared_from_this(), *id_));
    }
}

bool AwaitedRequest::on_woken(boost::asio::cancellation_state const& state) {
    if (state.cancelled() == boost::asio::cancellation_type::none) return false;
    if (!answered_) {
        connection_->peer().cancel(*id_, "the caller gave up", session_.now());
        connection_->flush();
    }
    return !ended();
}

void AwaitedRequest::check_stop() const {
    if (outgoing_.options.stop_token().stop_requested()) {
        throw Error(Errc::cancelled, "the call was cancelled");
    }
}

void AwaitedRequest::on_answer(rpc::Answer const& answer) noexcept {
    answered_ = true;
    try {
        failure_ = answer.error;
        if (answer.result) {
            auto const read = reader_.read(*answer.result, session_.version());
            if (!read) failure_ = read.error();
        } else if (answer.outcome == rpc::Outcome::connection_lost) {
            failure_ =
                session_.connection().end_error(Errc::transport_down, answer.error->message());
        }
    } catch (std::exception const& error) {
        failure_ = Error(Errc::failed, error.what());
    }
    if (open_) close_handlers();
    report_end();
    ended_event_.notify();
    session_.requests().on_ended(answer.outcome);
    if (session_.inbox().has_waiting()) session_.update_reading();
}

// Cancels the handlers that still answer questions of the call. The call does not end before they
// have returned, because they may refer to data of the caller.
void AwaitedRequest::close_handlers() {
    session_.requests().open_calls().remove(*id_);
    open_->close([this] { ended_event_.notify(); });
}

void AwaitedRequest::on_progress(rpc::ProgressUpdate const& update) noexcept {
    try {
        ProgressParams params;
        params.progress_token = *outgoing_.progress_token;
        params.progress = update.progress;
        params.total = update.total;
        params.message = update.message.value_or("");
        if (!progress_) progress_ = UserCalls::make(session_.executor(), {});
        if (progress_) {
            call_later(std::move(params));
            return;
        }
        if (outgoing_.options.on_progress()) outgoing_.options.on_progress()(params);
        if (session_.options().on_progress()) session_.options().on_progress()(params);
    } catch (...) {
        session_.reports().diagnose("a handler of progress failed");
    }
}

// The call does not end before its progress handlers have returned, because they may refer to data
// of the caller.
void AwaitedRequest::call_later(ProgressParams params) {
    progress_->on_idle([this] { ended_event_.notify(); });
    auto const bytes = params.message.size();
    auto const call = [session = &session_, handler = outgoing_.options.on_progress(),
                       params = std::move(params)] {
        try {
            if (handler) handler(params);
            if (session->options().on_progress()) session->options().on_progress()(params);
        } catch (...) {
            session->reports().diagnose("a handler of progress failed");
        }
    };
    session_.reports().limits().add(&ClientLimitCounts::dropped, progress_->push(call, bytes));
}

ClientObserver::Request AwaitedRequest::description() const {
    return {outgoing_.method, *id_, outgoing_.options.trace()};
}

void AwaitedRequest::report_end() const noexcept {
    auto const tell = [](ClientObserver& observer, ClientObserver::Request const& request,
                         Duration took, std::optional<Error> const& failure) {
        if (failure) {
            observer.on_request_failed(request, took, *failure);
        } else {
            observer.on_request_ended(request, took);
        }
    };
    if (!session_.options().observer()) return;
    session_.reports().observe(tell, description(), session_.now() - started_, failure_);
}

Task<> await_result(std::shared_ptr<ClientSession> session, Outgoing outgoing,
                    ResultReader& reader) {
    AwaitedRequest request(*session, std::move(outgoing), reader);
    if (!request.has_room()) co_await session->requests().await_room();
    request.send();
    bool lingers = false;
    while (!request.ended()) {
        co_await request.wait();
        auto const state = co_await boost::asio::this_coro::cancellation_state;
        if (!request.on_woken(state) || lingers) continue;
        lingers = co_await boost::asio::this_coro::throw_if_cancelled();
        co_await boost::asio::this_coro::throw_if_cancelled(false);
    }
    if (lingers) co_await boost::asio::this_coro::throw_if_cancelled(true);
    auto const failure = request.take_failure();
    if (failure) throw *failure;
}

}  // namespace lanyard::client
