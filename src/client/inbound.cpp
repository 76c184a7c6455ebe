// Handles requests of the server: looks them up, checks them, calls the handlers and answers (MCP
// specification, client/sampling, client/elicitation, client/roots, basic/utilities/ping).
#include "client/inbound.hpp"

#include <mutex>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include "client/client_session.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"
#include "peer/phase_rules.hpp"
#include "protocol/capability_check.hpp"
#include "runtime/await_on.hpp"
#include "runtime/cancelled_by.hpp"
#include "wire/errors.hpp"
#include "wire/registry.hpp"

namespace lanyard::client {

namespace {

template <class R>
std::string encode_answer(R const& result, Version version) {
    std::string text;
    json::Writer writer(text);
    wire::ResultStamp stamp;
    stamp.version = version;
    wire::encode_result(writer, result, stamp).value();
    return text;
}

// Each of the following functions returns whether a call has a handler for one kind of question
// (OpenCalls::Answers).

bool answers_sampling(CallHandlers const& handlers) {
    return static_cast<bool>(handlers.on_sampling);
}
bool answers_forms(CallHandlers const& handlers) {
    return static_cast<bool>(handlers.on_elicitation);
}
bool answers_urls(CallHandlers const& handlers) {
    return static_cast<bool>(handlers.on_url_elicitation);
}
bool answers_roots(CallHandlers const& handlers) {
    return static_cast<bool>(handlers.on_roots);
}

Meta const& meta_of(ElicitParams const& params) {
    return std::visit([](auto const& question) -> Meta const& { return question.meta; }, params);
}

class InboundCall;

// Keeps the latest progress that a handler has reported until the session's executor sends it.
class HandlerProgress final : public lanyard::detail::ProgressSink,
                              public std::enable_shared_from_this<HandlerProgress> {
public:
    HandlerProgress(std::weak_ptr<InboundCall> call, boost::asio::any_io_executor executor)
        : call_(std::move(call)), executor_(std::move(executor)) {}

    void report(double progress, std::optional<double> total, std::string_view message) override;

    /// Returns the progress that has not been sent yet.
    std::optional<rpc::ProgressUpdate> take() {
        std::lock_guard const lock(mutex_);
        return std::exchange(latest_, std::nullopt);
    }
    /// From now on, reports of the handler are ignored.
    void end() {
        std::lock_guard const lock(mutex_);
        ended_ = true;
    }

private:
    std::mutex mutex_;
    std::optional<rpc::ProgressUpdate> latest_;
    bool ended_ = false;
    // Locked only on the executor, because the locked pointer may be the last owner of the call,
    // which must be destroyed on the executor.
    std::weak_ptr<InboundCall> call_;
    boost::asio::any_io_executor executor_;
};

// A request of the server that a handler is processing.
class InboundCall final : public rpc::InboundWork,
                          public RunningQuestion,
                          public std::enable_shared_from_this<InboundCall> {
public:
    InboundCall(std::shared_ptr<ClientSession> session, rpc::Ticket ticket, OpenCalls::Match match)
        : session_(std::move(session)),
          connection_(session_->connection().shared()),
          version_(session_->version()),
          ticket_(ticket),
          handlers_(std::move(match.handlers)),
          call_(std::move(match.call)) {}
    ~InboundCall() override {
        if (progress_) progress_->end();
        leave_call();
    }
    InboundCall(InboundCall const&) = delete;
    InboundCall& operator=(InboundCall const&) = delete;

    /// Enables the handler to report progress, if the server has asked for it.
    void offer_progress(Meta const& meta) {
        if (!meta.progress_token()) return;
        progress_ = std::make_shared<HandlerProgress>(weak_from_this(), session_->executor());
        handlers_.progress = ProgressReporter(progress_);
    }
    void send_progress() {
        auto update = progress_ ? progress_->take() : std::nullopt;
        if (!update) return;
        connection_->peer().progress(ticket_, *std::move(update), session_->now());
        connection_->flush();
    }

    // Each of the following coroutines answers one kind of question and completes with the answer
    // as JSON text. Its task is passed to start(), which runs it on the executor for user code.

    Task<std::string> sample(CreateMessageParams params) {
        auto answering = session_->questions().sample(std::move(params), version_, handlers_);
        auto const result = co_await std::move(answering);
        co_return encode_answer(result, version_);
    }
    Task<std::string> elicit(ElicitParams params) {
        auto answering = session_->questions().elicit(std::move(params), handlers_);
        auto const result = co_await std::move(answering);
        co_return encode_answer(result, version_);
    }
    Task<std::string> list_roots() {
        auto answering = session_->questions().list_roots(handlers_);
        auto const result = co_await std::move(answering);
        co_return encode_answer(result, version_);
    }

    /// Runs the task and sends the answer.
    void start(Task<std::string> answering) {
        connection_->peer().attach(ticket_, *this);
        if (call_) call_->begin(*this);
        auto finish = [self = shared_from_this()](std::exception_ptr const& failure,
                                                  std::string const& result) {
            self->finish(failure, result);
        };
        auto running = runtime::await_on(session_->user_executor(), std::move(answering));
        boost::asio::co_spawn(session_->executor(), std::move(running),
                              runtime::cancelled_by(cancellation_.slot(), std::move(finish)));
    }

    void on_cancel(std::string_view) noexcept override {
        cancellation_.emit(boost::asio::cancellation_type::terminal);
    }
    void on_call_ended() noexcept override {
        call_has_ended_ = true;
        cancellation_.emit(boost::asio::cancellation_type::terminal);
    }

private:
    void leave_call() {
        if (auto const call = std::exchange(call_, nullptr)) call->end(*this);
    }

    void finish(std::exception_ptr const& failure, std::string const& result) {
        if (progress_) progress_->end();
        send_progress();
        auto& peer = connection_->peer();
        auto const before = connection_->mark();
        if (failure && call_has_ended_) {
            peer.fail(ticket_, wire::translate(
                                   wire::Condition::invalid_request, version_,
                                   {.message = "the call that the question belongs to has ended"})
                                   .text());
        } else if (failure) {
            fail(failure);
        } else if (auto* out = peer.begin_result(ticket_)) {
            out->append(result);
            peer.end_result();
        }
        connection_->flush_answers(before);
        leave_call();
    }

    void fail(std::exception_ptr const& failure) {
        auto& peer = connection_->peer();
        auto const answer = wire::translate(failure, version_, session_->options().random());
        if (!answer.log.empty()) {
            session_->reports().diagnose("a handler failed (" + answer.reference +
                                         "): " + answer.log);
        }
        if (answer.silent) {
            peer.abandon(ticket_);
        } else {
            peer.fail(ticket_, answer.error.text());
        }
    }

    std::shared_ptr<ClientSession> session_;
    // The connection that the question arrived on. After a reconnect, the session already uses
    // another connection.
    std::shared_ptr<runtime::PeerConnection> connection_;
    Version version_;
    rpc::Ticket ticket_;
    QuestionHandlers handlers_;
    std::shared_ptr<HandlerProgress> progress_;  // null if the server has not asked for progress
    std::shared_ptr<OpenCall> call_;             // null if the question belongs to no pending call
    bool call_has_ended_ = false;
    boost::asio::cancellation_signal cancellation_;
};

void HandlerProgress::report(double progress, std::optional<double> total,
                             std::string_view message) {
    auto update = rpc::ProgressUpdate::of(progress, total, message);
    std::lock_guard const lock(mutex_);
    if (ended_) return;
    bool const is_scheduled = latest_.has_value();
    latest_ = std::move(update);
    if (is_scheduled) return;
    boost::asio::post(executor_, [self = shared_from_this()] {
        if (auto const call = self->call_.lock()) call->send_progress();
    });
}

}  // namespace

void serve_request(ClientSession& session, rpc::Envelope const& request, rpc::Ticket ticket) {
    auto& peer = session.connection().peer();
    auto const version = session.version();
    if (!supports(Feature::handshake, version)) {
        // In protocol versions without a handshake, servers must not send requests, so this request
        // gets no answer.
        session.reports().report_violation("it sent the request " + std::string(request.method));
        peer.abandon(ticket);
        return;
    }
    auto const refuse = [&](wire::WireError const& error) { peer.fail(ticket, error.text()); };
    // Looks up the method in the newest legacy revision, not in the revision in use: whether the
    // client answers a request depends only on the capabilities that the client declared.
    auto const latest = methods::Elicit::info.until;
    auto const found = wire::find_request(request.method, latest, wire::Side::client);
    if (!found) {
        refuse(wire::translate(wire::Condition::method_not_found, version,
                               {.method = request.method}));
        return;
    }
    if (request.method == methods::Ping::info.name) {
        peer.begin_result(ticket)->append("{}");
        peer.end_result();
        return;
    }
    auto const phase = session.connection().phase();
    if (auto allowed = rpc::may_take_request(phase, request.method); !allowed) {
        refuse(wire::translate(allowed.error(), version, session.options().random()).error);
        return;
    }
    if (!protocol::check_capability(*found.info, session.questions().capabilities(), version)) {
        refuse(wire::translate(wire::Condition::capability_not_offered, version,
                               {.method = request.method}));
        return;
    }
    auto const find_call = [&](OpenCalls::Answers answers, Meta const& meta) {
        auto match =
            session.requests().open_calls().find(answers, peer.taken_origin(), meta.related_task());
        auto call =
            std::make_shared<InboundCall>(session.shared_from_this(), ticket, std::move(match));
        call->offer_progress(meta);
        return call;
    };
    if (request.method == methods::CreateMessage::info.name) {
        auto params = wire::decode_params<CreateMessageParams>(request.params, version);
        if (!params) return refuse(wire::translate(params.error(), version));
        auto const call = find_call(&answers_sampling, params->meta);
        call->start(call->sample(*std::move(params)));
    } else if (request.method == methods::Elicit::info.name) {
        auto params = wire::decode_params<ElicitParams>(request.params, version);
        if (!params) return refuse(wire::translate(params.error(), version));
        bool const visits = std::holds_alternative<ElicitUrlParams>(*params);
        auto const call = find_call(visits ? &answers_urls : &answers_forms, meta_of(*params));
        call->start(call->elicit(*std::move(params)));
    } else if (request.method == methods::ListRoots::info.name) {
        auto const params = wire::decode_params<ListRootsParams>(request.params, version);
        if (!params) return refuse(wire::translate(params.error(), version));
        auto const call = find_call(&answers_roots, params->meta);
        call->start(call->list_roots());
    } else {
        refuse(wire::translate(wire::Condition::method_not_found, version,
                               {.method = request.method}));
    }
}

}  // namespace lanyard::client
