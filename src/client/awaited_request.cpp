// AwaitedRequest, and ClientSession::exchange(), which uses it.
#include "client/awaited_request.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/backoff.hpp"

namespace lanyard::client {

namespace {

constexpr std::size_t room_for_envelope = 1024;

}  // namespace

void StopRequest::operator()() const noexcept {
    try {
        boost::asio::post(session_->executor(), [session = session_, id = id_] {
            session->connection().peer().cancel(id, "the caller gave up", session->now());
            session->connection().flush();
        });
    } catch (...) {
        // If there is no memory for posting, the call ends when its timeout expires.
    }
}

AwaitedRequest::AwaitedRequest(ClientSession& session, Outgoing outgoing, ResultReader& reader)
    : session_(session),
      reader_(reader),
      outgoing_(std::move(outgoing)),
      ended_event_(session.executor()) {
    check_stop();
    if (outgoing_.opens) {
        if (!session_.is_connected()) {
            throw session_.end_error(Errc::closed, "the connection has ended");
        }
    } else {
        // Checked for every request: if a call sends several requests, the connection may have
        // ended or been replaced since the previous one.
        session_.check_ready().value();
    }
    if (outgoing_.params.size() + room_for_envelope > json::ParseOptions{}.max_bytes) {
        throw Error(Errc::too_large, std::string(outgoing_.method) + " has too large params");
    }
}

AwaitedRequest::~AwaitedRequest() {
    // Does not flush the cancellation, because code that destroys waiting coroutines may be
    // destroying the transport too.
    if (id_ && !answered_) connection_->peer().cancel(*id_, "", session_.now());
    if (progress_) progress_->on_idle({});
    if (!open_) return;
    session_.open_calls().remove(*id_);
    open_->detach();
}

bool AwaitedRequest::has_room() const noexcept {
    return session_.has_room();
}

void AwaitedRequest::send() {
    auto const& stop_token = outgoing_.options.stop_token();
    check_stop();
    connection_ = session_.shared_connection();
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
        session_.limits().add(&ClientLimitCounts::refused);
    }
    id_ = id.value();
    auto const& handlers = outgoing_.options.handlers();
    if (handlers && supports(Feature::handshake, session_.version())) {
        open_ = session_.open_calls().add(*id_, handlers, outgoing_.task);
    }
    auto const tell = [](ClientObserver& observer, ClientObserver::Request const& request) {
        observer.on_request_started(request);
    };
    session_.observe(tell, description());
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
            failure_ = session_.end_error(Errc::transport_down, answer.error->message());
        }
    } catch (std::exception const& error) {
        failure_ = Error(Errc::failed, error.what());
    }
    if (open_) close_handlers();
    report_end();
    ended_event_.notify();
    session_.on_call_ended(answer.outcome);
}

// Cancels the handlers that still answer questions of the call. The call does not end before they
// have returned, because they may refer to data of the caller.
void AwaitedRequest::close_handlers() {
    session_.open_calls().remove(*id_);
    open_->close([this] { ended_event_.notify(); });
}

void AwaitedRequest::on_progress(rpc::ProgressUpdate const& update) noexcept {
    try {
        ProgressParams params;
        params.progress_token = *outgoing_.progress_token;
        params.progress = update.progress;
        params.total = update.total;
        params.message = update.message.value_or("");
        if (!progress_) progress_ = session_.make_user_calls({});
        if (progress_) {
            call_later(std::move(params));
            return;
        }
        if (outgoing_.options.on_progress()) outgoing_.options.on_progress()(params);
        if (session_.options().on_progress()) session_.options().on_progress()(params);
    } catch (...) {
        session_.diagnose("a handler of progress failed");
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
            session->diagnose("a handler of progress failed");
        }
    };
    session_.limits().add(&ClientLimitCounts::dropped, progress_->push(call, bytes));
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
    session_.observe(tell, description(), session_.now() - started_, failure_);
}

Task<> ClientSession::await_room() {
    Backoff again(busy_backoff(options_->max_busy_retries(), options_->busy_retry_interval()));
    while (!has_room()) {
        auto const wait = again.next(options_->random());
        if (!wait) {
            limits_.add(&ClientLimitCounts::busy);
            throw Error(Errc::busy, "the server does not read its input");
        }
        co_await sleep_until(options_->time(), now() + *wait);
        check_ready().value();
    }
}

Task<> ClientSession::exchange(Outgoing outgoing, ResultReader& reader) {
    auto const self = shared_from_this();
    AwaitedRequest exchange(*this, std::move(outgoing), reader);
    if (!exchange.has_room()) co_await await_room();
    exchange.send();
    bool lingers = false;
    while (!exchange.ended()) {
        co_await exchange.wait();
        auto const state = co_await boost::asio::this_coro::cancellation_state;
        if (!exchange.on_woken(state) || lingers) continue;
        lingers = co_await boost::asio::this_coro::throw_if_cancelled();
        co_await boost::asio::this_coro::throw_if_cancelled(false);
    }
    if (lingers) co_await boost::asio::this_coro::throw_if_cancelled(true);
    auto const failure = exchange.take_failure();
    if (failure) throw *failure;
}

}  // namespace lanyard::client
