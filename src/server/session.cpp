#include "server/session.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "crypto/random_id.hpp"
#include "lanyard/json/writer.hpp"
#include "lanyard/protocol/methods.hpp"
#include "protocol/capability_check.hpp"
#include "wire/registry.hpp"

namespace lanyard::server {

namespace {

using rpc::ServerPhase;
using namespace std::chrono_literals;

// How long handlers have to unwind after the connection has ended.
constexpr Duration unwinding_time = 5s;

rpc::PeerOptions peer_options(ServerCore const& core) {
    rpc::PeerOptions options;
    options.inbound.max_in_flight = core.options().max_in_flight();
    options.inbound.hash_seed = core.random().bits();
    return options;
}

std::shared_ptr<PeerFacts const> peer_facts(ServerCore const& core, Transport const& transport) {
    auto facts = std::make_shared<PeerFacts>();
    facts->session_id = crypto::random_id(core.random());
    facts->transport = transport.info().kind;
    return facts;
}

}  // namespace

Session::Session(std::shared_ptr<ServerCore> core, std::unique_ptr<Transport> transport)
    : core_(std::move(core)),
      connection_(std::move(transport), *this, core_->time(), peer_options(*core_)),
      calls_(core_, connection_.transport().executor(),
             peer_facts(*core_, connection_.transport())),
      features_(*core_),
      negotiation_(*core_, connection_.now()),
      alarm_(core_->time().make_alarm(connection_.transport().executor(), [this] { on_alarm(); })) {
    calls_.on_deadline_change([this] { rearm(); });
}

Task<> Session::run() {
    rearm();
    co_await connection_.run();
    auto const now = connection_.now();
    std::string const reason = connection_.failure() ? connection_.failure()->what() : "";
    if (negotiation_.phase() != ServerPhase::closed) {
        negotiation_.phases().enter(ServerPhase::closed, now, reason).value();
    }
    co_await calls_.wait_for_tasks(rpc::after(now, unwinding_time));
    calls_.mailbox()->close();
    alarm_->set(rpc::never);
}

void Session::stop(Duration grace) {
    post([grace](Session& session) {
        auto const self = session.shared_from_this();
        boost::asio::co_spawn(
            session.calls_.executor(),
            [](std::shared_ptr<Session> kept, Duration patience) -> Task<> {
                co_await kept->shut_down(patience);
            }(self, grace),
            boost::asio::detached);
    });
}

Task<> Session::shut_down(Duration grace) {
    auto const now = connection_.now();
    auto& phases = negotiation_.phases();
    if (phases.phase() == ServerPhase::ready) phases.enter(ServerPhase::shutting_down, now).value();
    co_await calls_.wait_until_idle(rpc::after(now, grace));
    connection_.close();
}

void Session::on_alarm() {
    auto const now = connection_.now();
    calls_.on_time(now);
    if (negotiation_.deadline() <= now && negotiation_.phases().expire(now)) {
        core_->log(LoggingLevel::warning, "a client did not complete the handshake in time");
        connection_.close();
        return;
    }
    while (auto const kind = list_changes_.take_due(now)) send_list_changed(*kind);
    connection_.flush();
    rearm();
}

void Session::rearm() {
    alarm_->set(
        std::min({calls_.next_deadline(), negotiation_.deadline(), list_changes_.next_due()}));
}

void Session::list_changed(rpc::ListKind kind) {
    if (list_changes_.changed(kind, connection_.now())) {
        send_list_changed(kind);
        connection_.flush();
    }
    rearm();
}

void Session::send_list_changed(rpc::ListKind kind) {
    if (!negotiation_.has_session()) return;
    auto const method = rpc::list_changed_method(kind);
    auto const found = wire::find_notification(method, negotiation_.version(), wire::Side::client);
    auto const* const declared = negotiation_.declared();
    if (found && declared != nullptr && has_capability(*declared, found.info->capability)) {
        connection_.peer().notify(method, {});
    }
}

void Session::send_log(LoggingMessageParams const& message) {
    auto const wanted = negotiation_.log_level();
    if (!negotiation_.has_session() || !wanted || message.level < *wanted) return;
    if (!calls_.may_log(message.level)) return;
    notify(methods::LoggingMessage::info, message);
    connection_.flush();
}

template <class Params>
void Session::notify(MethodInfo const& method, Params const& params) {
    std::string text;
    json::Writer writer(text);
    wire::NotificationStamp stamp;
    stamp.version = negotiation_.version();
    if (wire::encode_notification(writer, params, stamp)) {
        connection_.peer().notify(method.name, text);
    }
}

void Session::on_violation(std::string_view what) {
    core_->log(LoggingLevel::warning, "the client broke a rule: " + std::string(what));
}

void Session::on_request(rpc::Envelope const& request, rpc::Ticket ticket) {
    Calls::Batch const batch(calls_);
    auto const admitted = negotiation_.admit(request, connection_.now());
    auto const version = negotiation_.version();
    connection_.peer().set_version(version);
    if (!admitted) {
        connection_.peer().fail(ticket, admitted.error().text());
        return;
    }
    // The most frequent request takes the shortest way; a tool that is found is offered, too.
    if (request.method == methods::CallTool::info.name) {
        serve_feature(request, ticket);
        return;
    }
    DuplexExchange exchange(connection_, ticket);
    auto const found = wire::find_request(request.method, version, wire::Side::server);
    if (!found) {
        wire::Details details;
        details.method = request.method;
        exchange.fail(wire::translate(wire::Condition::method_not_found, version, details));
        return;
    }
    if (found.info->capability == Capability::none || !request.method.starts_with("tools/")) {
        serve_protocol(request, exchange);
    } else {
        serve_feature(request, ticket);
    }
}

void Session::serve_feature(rpc::Envelope const& request, rpc::Ticket ticket) {
    auto& call = calls_.take();
    while (served_.size() <= call.slot()) served_.push_back(std::make_unique<Served>());
    auto& served = *served_[call.slot()];
    served.call = &call;
    served.exchange = DuplexExchange(connection_, ticket);
    connection_.peer().attach(ticket, served);
    Arrival const arrival{request, negotiation_.version(), negotiation_.client(),
                          negotiation_.log_level(), connection_.now()};
    features_.serve(call, served.exchange, arrival);
}

void Session::serve_protocol(rpc::Envelope const& request, DuplexExchange& exchange) {
    auto const method = request.method;
    if (method == methods::Initialize::info.name) {
        initialize(request, exchange);
    } else if (method == methods::Ping::info.name) {
        answer(exchange, EmptyResult());
    } else if (method == methods::Discover::info.name) {
        discover(exchange);
    } else if (method == methods::SetLevel::info.name) {
        set_level(request, exchange);
    } else {
        wire::Details details;
        details.method = method;
        exchange.fail(
            wire::translate(wire::Condition::method_not_found, negotiation_.version(), details));
    }
}

template <class Result>
void Session::answer(Exchange& exchange, Result const& result) {
    auto* const out = exchange.begin_result();
    if (out == nullptr) return;
    json::Writer writer(*out);
    wire::encode_result(writer, result, core_->stamp(negotiation_.version())).value();
    exchange.end_result();
}

void Session::initialize(rpc::Envelope const& request, DuplexExchange& exchange) {
    auto const result = negotiation_.initialize(request, connection_.now());
    connection_.peer().set_version(negotiation_.version());
    if (result) {
        answer(exchange, *result);
    } else {
        exchange.fail(result.error());
    }
}

void Session::discover(DuplexExchange& exchange) {
    DiscoverResult result;
    for (auto const version : core_->versions().list()) {
        result.supported_versions.emplace_back(to_string(version));
    }
    result.capabilities = core_->capabilities();
    result.instructions = core_->settings()->instructions;
    result.cache = core_->options().list_cache();
    answer(exchange, result);
}

void Session::set_level(rpc::Envelope const& request, DuplexExchange& exchange) {
    auto const params = wire::decode_params<SetLevelParams>(request.params, negotiation_.version());
    if (!params) {
        exchange.fail(wire::translate(params.error(), negotiation_.version()));
        return;
    }
    negotiation_.set_log_level(params->level);
    answer(exchange, EmptyResult());
}

void Session::on_notification(rpc::Envelope const& notification) {
    if (notification.method == methods::Initialized::info.name) {
        negotiation_.on_initialized(connection_.now());
        rearm();
    }
}

}  // namespace lanyard::server
