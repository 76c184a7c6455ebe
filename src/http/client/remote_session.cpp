#include "http/client/remote_session.hpp"

#include <utility>

#include "base/deadline.hpp"

namespace lanyard::http {

namespace {

// If a session is lost less than this time after it was renewed, the next renewal is delayed.
constexpr std::chrono::seconds lasting_session(30);

}  // namespace

void RemoteSession::on_message(ClientOperation const& operation) {
    if (operation.is_stateless()) claimed_version_ = operation.message.version;
    if (operation.is_initialize()) {
        initialize_ = operation.body;
        id_.clear();
        claimed_version_.clear();
        version_.reset();
    }
    if (operation.is_initialized()) gate_open_ = false;
}

bool RemoteSession::must_wait(ClientOperation const& operation) const noexcept {
    if (operation.is_stateless()) return false;
    if (uses_events_ && !endpoint_known_) return true;
    if (operation.is_initialize() || operation.is_initialized()) return false;
    return !gate_open_ && operation.message.kind != OutgoingMessage::Kind::answer;
}

void RemoteSession::assign(ClientOperation& operation) const {
    if (!operation.resuming) operation.generation = generation_;
    bool const first_try = operation.attempts.redirects == 0;
    if (operation.carries_message() && uses_events_ && endpoint_ && first_try) {
        operation.url = *endpoint_;
    }
    operation.in_session =
        !uses_events_ && !id_.empty() && !operation.is_stateless() && !operation.is_initialize();
}

void RemoteSession::describe(ClientOperation const& operation, CallHead& head) const {
    if (operation.in_session) head.session_id = id_;
    if (operation.is_stateless()) {
        head.protocol_version = operation.message.version;
    } else if (!operation.is_initialize()) {
        head.protocol_version = claimed_version_;
        if (version_ && *version_ >= Version::v2025_06_18) {
            head.protocol_version = to_string(*version_);
        }
    }
}

void RemoteSession::open(std::optional<Version> version, std::string id) {
    version_ = version;
    id_ = std::move(id);
    ++generation_;
}

Version RemoteSession::version_of_errors() const {
    auto const version = version_ ? version_ : parse_version(claimed_version_);
    return version.value_or(Version::v2025_11_25);
}

std::optional<TimePoint> RemoteSession::begin_renewal(TimePoint now, Random& random) {
    renewing_ = true;
    gate_open_ = false;
    bool const lasted = !renewed_at_ || now - *renewed_at_ >= lasting_session;
    if (lasted) {
        renewal_wait_.reset();
        renewed_at_ = now;
        return std::nullopt;
    }
    renewed_at_ = after(now, renewal_wait_.next(random).value());
    return renewed_at_;
}

void RemoteSession::end_renewal(std::string id) {
    renewing_ = false;
    id_ = std::move(id);
    ++generation_;
}

void RemoteSession::fail_renewal() noexcept {
    renewing_ = false;
    gate_open_ = true;
}

void RemoteSession::use_events() {
    uses_events_ = true;
    endpoint_.reset();
    endpoint_known_ = false;
}

void RemoteSession::leave_events() noexcept {
    uses_events_ = false;
    gate_open_ = true;
}

// The server has begun another session in two cases: it names a different endpoint, or the stream
// broke off while a session was being opened.
bool RemoteSession::set_endpoint(Url endpoint) {
    bool const another = endpoint_ && (*endpoint_ != endpoint || !gate_open_);
    endpoint_ = std::move(endpoint);
    endpoint_known_ = true;
    return another && version_ && !renewing_;
}

bool RemoteSession::lose_endpoint() noexcept {
    endpoint_known_ = false;
    return endpoint_.has_value();
}

}  // namespace lanyard::http
