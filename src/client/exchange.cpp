// Session::exchange: one request and its answer.
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "client/session.hpp"
#include "rpc/backoff.hpp"

namespace lanyard::client {

namespace {

// Waits for one answer. Gives the request up where the coroutine that owns it goes away.
class PendingCall final : public rpc::AnswerSink {
public:
    PendingCall(Session& session, ResultReader& reader, Outgoing const& outgoing)
        : session_(session),
          connection_(session.shared_connection()),
          reader_(reader),
          outgoing_(outgoing),
          ended_event_(session.executor()) {}

    ~PendingCall() override {
        // Not flushed: whoever destroys coroutines that wait may be destroying the transport too.
        if (id_ && !ended_) connection_->peer().cancel(*id_, "", session_.now());
    }

    PendingCall(PendingCall const&) = delete;
    PendingCall& operator=(PendingCall const&) = delete;

    void send() {
        rpc::CallOptions call;
        call.timeout = outgoing_.options.timeout();
        if (!call.timeout) call.timeout = outgoing_.default_timeout;
        call.max_total = outgoing_.options.max_total();
        call.progress = outgoing_.progress_token.has_value();
        call.progress_token = outgoing_.progress_token;
        started_ = session_.now();
        auto const id =
            connection_->peer().request(outgoing_.method, outgoing_.params, *this, started_, call);
        if (!id && id.error().is(Errc::too_many_pending)) {
            session_.limits().add(&ClientLimitCounts::refused);
        }
        id_ = id.value();
        session_.observe(
            [&](ClientObserver& observer) { observer.on_request_started(description()); });
        connection_->flush();
    }

    std::int64_t id() const noexcept { return *id_; }
    bool ended() const noexcept { return ended_; }
    Task<> wait() { return ended_event_.wait(); }
    void cancel() {
        connection_->peer().cancel(*id_, "the caller gave up", session_.now());
        connection_->flush();
    }
    void throw_failure() const {
        if (failure_) throw *failure_;
    }

    void on_answer(rpc::Answer const& answer) noexcept override {
        ended_ = true;
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
        report_end();
        ended_event_.notify();
        session_.on_call_ended(answer.outcome);
    }

    void on_progress(rpc::ProgressUpdate const& update) noexcept override {
        try {
            ProgressParams params;
            params.progress_token = *outgoing_.progress_token;
            params.progress = update.progress;
            params.total = update.total;
            params.message = update.message.value_or("");
            if (outgoing_.options.on_progress()) outgoing_.options.on_progress()(params);
            if (session_.options().on_progress()) session_.options().on_progress()(params);
        } catch (...) {
            session_.diagnose("a handler of progress failed");
        }
    }

private:
    ClientObserver::Request description() const {
        return {outgoing_.method, *id_, outgoing_.options.trace()};
    }
    void report_end() const noexcept {
        session_.observe([&](ClientObserver& observer) {
            auto const took = session_.now() - started_;
            if (failure_) {
                observer.on_request_failed(description(), took, *failure_);
            } else {
                observer.on_request_ended(description(), took);
            }
        });
    }

    Session& session_;
    std::shared_ptr<runtime::PeerConnection> connection_;
    ResultReader& reader_;
    Outgoing const& outgoing_;
    runtime::Event ended_event_;
    std::optional<std::int64_t> id_;
    std::optional<Error> failure_;
    TimePoint started_{};
    bool ended_ = false;
};

// Cancels a request of the session from whatever thread asks for it.
class StopRequest {
public:
    StopRequest(std::shared_ptr<Session> session, std::int64_t id)
        : session_(std::move(session)), id_(id) {}

    void operator()() const noexcept {
        try {
            boost::asio::post(session_->executor(), [session = session_, id = id_] {
                session->connection().peer().cancel(id, "the caller gave up", session->now());
                session->connection().flush();
            });
        } catch (...) {
            // Without memory to post, the call ends by its timeout.
        }
    }

private:
    std::shared_ptr<Session> session_;
    std::int64_t id_;
};

constexpr std::size_t room_for_envelope = 1024;

}  // namespace

Task<> Session::await_room() {
    rpc::Backoff again(rpc::busy_retry);
    while (connection_->unsent_bytes() > unsent_limits_.at_once) {
        auto const wait = again.next(options_.random());
        if (!wait) {
            limits_.add(&ClientLimitCounts::busy);
            throw Error(Errc::busy, "the server does not read what it is sent");
        }
        co_await sleep_until(options_.time(), now() + *wait);
        check_ready().value();
    }
}

Task<> Session::exchange(Outgoing outgoing, ResultReader& reader) {
    auto const self = shared_from_this();
    auto const& stop_token = outgoing.options.stop_token();
    if (stop_token.stop_requested()) throw Error(Errc::cancelled, "the call was cancelled");
    if (outgoing.opens) {
        if (!is_connected()) throw end_error(Errc::closed, "the connection has ended");
    } else {
        // A call of several rounds may find the connection gone, or another one being opened.
        check_ready().value();
    }
    if (outgoing.params.size() + room_for_envelope > json::ParseOptions{}.max_bytes) {
        throw Error(Errc::too_large, std::string(outgoing.method) + " has too large params");
    }
    if (connection_->unsent_bytes() > unsent_limits_.at_once) co_await await_room();
    if (stop_token.stop_requested()) throw Error(Errc::cancelled, "the call was cancelled");
    PendingCall call(*this, reader, outgoing);
    call.send();
    std::optional<std::stop_callback<StopRequest>> on_stop;
    if (stop_token.stop_possible()) on_stop.emplace(stop_token, StopRequest(self, call.id()));
    while (!call.ended()) {
        co_await call.wait();
        if (call.ended()) break;
        auto const state = co_await boost::asio::this_coro::cancellation_state;
        if (state.cancelled() != boost::asio::cancellation_type::none) call.cancel();
    }
    call.throw_failure();
}

}  // namespace lanyard::client
