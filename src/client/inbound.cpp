// Handles requests of the server: looks them up, checks them, calls the handlers and answers (MCP
// specification, client/sampling, client/elicitation, client/roots, basic/utilities/ping).
#include "client/inbound.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

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

std::optional<std::string> related_task(ElicitParams const& params) {
    return std::visit([](auto const& question) { return question.meta.related_task(); }, params);
}

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
    ~InboundCall() override { leave_call(); }
    InboundCall(InboundCall const&) = delete;
    InboundCall& operator=(InboundCall const&) = delete;

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
        try {
            auto running = runtime::await_on(session_->user_executor(), std::move(answering));
            boost::asio::co_spawn(session_->executor(), std::move(running),
                                  runtime::cancelled_by(cancellation_.slot(), std::move(finish)));
        } catch (std::exception const&) {
            // The peer must not refer to this object any more.
            this->finish(std::current_exception(), {});
        }
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
    std::shared_ptr<OpenCall> call_;  // null if the question belongs to no pending call
    bool call_has_ended_ = false;
    boost::asio::cancellation_signal cancellation_;
};

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
    auto const find_call = [&](OpenCalls::Answers answers, std::optional<std::string> const& task) {
        auto match = session.requests().open_calls().find(answers, peer.taken_origin(), task);
        return std::make_shared<InboundCall>(session.shared_from_this(), ticket, std::move(match));
    };
    if (request.method == methods::CreateMessage::info.name) {
        auto params = wire::decode_params<CreateMessageParams>(request.params, version);
        if (!params) return refuse(wire::translate(params.error(), version));
        auto const call = find_call(&answers_sampling, params->meta.related_task());
        call->start(call->sample(*std::move(params)));
    } else if (request.method == methods::Elicit::info.name) {
        auto params = wire::decode_params<ElicitParams>(request.params, version);
        if (!params) return refuse(wire::translate(params.error(), version));
        bool const visits = std::holds_alternative<ElicitUrlParams>(*params);
        auto const call = find_call(visits ? &answers_urls : &answers_forms, related_task(*params));
        call->start(call->elicit(*std::move(params)));
    } else if (request.method == methods::ListRoots::info.name) {
        auto const params = wire::decode_params<ListRootsParams>(request.params, version);
        if (!params) return refuse(wire::translate(params.error(), version));
        auto const call = find_call(&answers_roots, params->meta.related_task());
        call->start(call->list_roots());
    } else {
        refuse(wire::translate(wire::Condition::method_not_found, version,
                               {.method = request.method}));
    }
}

}  // namespace lanyard::client
