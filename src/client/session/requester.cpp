#include "client/session/requester.hpp"

#include <utility>

#include "base/backoff.hpp"
#include "peer/phase_rules.hpp"
#include "protocol/capability_check.hpp"

namespace lanyard::client {

Requester::Requester(ClientOptions const& options, ServerRecord const& server,
                     CurrentConnection& connection, ConnectionKeeper& keeper,
                     EventReports const& reports)
    : options_(options),
      server_(server),
      connection_(connection),
      keeper_(keeper),
      reports_(reports),
      liveness_(connection, reports) {}

Result<void> Requester::check(MethodInfo const& method) const {
    if (auto ready = keeper_.check_new_call(); !ready) return ready;
    auto const version = server_.info().version;
    if (!method.in(version)) {
        std::string message(method.name);
        message.append(" does not exist in version ").append(to_string(version));
        return Unexpected(Error(Errc::unsupported_in_era, std::move(message)));
    }
    auto allowed = rpc::may_send_request(connection_.phase(), method.name);
    if (!allowed) return allowed;
    return protocol::check_capability(method, server_.info().capabilities, version);
}

Task<> Requester::await_room() {
    Backoff again(busy_backoff(options_.max_busy_retries(), options_.busy_retry_interval()));
    while (!connection_.has_room()) {
        auto const wait = again.next(options_.random());
        if (!wait) {
            reports_.limits().add(&ClientLimitCounts::busy);
            throw Error(Errc::busy, "the server does not read its input");
        }
        co_await sleep_until(options_.time(), options_.time().now() + *wait);
        keeper_.check_ready().value();
    }
}

std::optional<ProgressToken> Requester::new_progress_token(CallOptions const& options) {
    if (!options.on_progress() && !options_.on_progress()) return std::nullopt;
    if (auto own = options.meta().progress_token()) return own;
    return ProgressToken(++last_token_);
}

void Requester::set_version(Version version, ClientCapabilities const& declared) {
    stamp_.version = version;
    stamp_.client_capabilities = wire::encode_capabilities(declared, version);
    stamp_.client_info = wire::encode_implementation(options_.info(), version);
}

void Requester::on_ended(rpc::Outcome outcome) {
    if (outcome != rpc::Outcome::answered) on_not_answered(outcome);
    keeper_.on_request_ended();
}

void Requester::on_not_answered(rpc::Outcome outcome) {
    auto const evicted = connection_.peer().evicted();
    reports_.limits().add(&ClientLimitCounts::evicted,
                          evicted - std::exchange(reported_evicted_, evicted));
    if (outcome == rpc::Outcome::timed_out) {
        reports_.limits().add(&ClientLimitCounts::timeouts);
        // A server that does not answer may have disappeared without closing the connection. This
        // cannot be checked while the client has paused reading, because it would not receive an
        // answer to a ping.
        bool const may_be_gone = keeper_.is_ready() && keeper_.reconnects() &&
                                 !connection_.speaks_http() &&
                                 !connection_.shared()->is_reading_paused();
        auto const limit = options_.ping_timeout();
        if (may_be_gone && limit > Duration::zero()) liveness_.begin(stamp_, limit);
    }
}

}  // namespace lanyard::client
