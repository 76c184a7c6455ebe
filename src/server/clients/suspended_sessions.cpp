#include "server/clients/suspended_sessions.hpp"

#include "jsonrpc/message_writer.hpp"
#include "lanyard/json/document.hpp"
#include "lanyard/json/writer.hpp"
#include "lanyard/protocol/methods.hpp"
#include "server/call/notification.hpp"
#include "wire/codec.hpp"
#include "wire/registry.hpp"

namespace lanyard::server {

namespace {

// The revision in which the client's data is stored: the newest revision with a handshake, in which
// clients send this data.
constexpr Version written_in = Version::v2025_11_25;

// A notification encoded once per revision, for many sessions.
template <class Params>
class Announcement {
public:
    Announcement(std::string_view method, Params const& params)
        : method_(method), params_(params) {}

    std::string_view text(Version version) {
        auto& text = texts_[static_cast<std::size_t>(version)];
        if (!text) {
            text.emplace();
            auto const params = notification_params(params_, {.version = version});
            if (params) rpc::append_notification(*text, method_, *params);
        }
        return *text;
    }

private:
    std::string_view method_;
    Params const& params_;
    std::array<std::optional<std::string>, all_versions.size()> texts_;
};

}  // namespace

SuspendedSession::~SuspendedSession() {
    if (room_ != nullptr) room_->remove(*this);
}

void SuspendedSession::write_client(InitializeParams const& params) {
    auto const text = wire::params_text(params, {.version = written_in});
    client_ = std::make_unique_for_overwrite<char[]>(text.size());
    client_size_ = static_cast<std::uint32_t>(text.copy(client_.get(), text.size()));
}

InitializeParams SuspendedSession::read_client() const {
    json::Document document;
    auto const params = document.parse({client_.get(), client_size_}).value();
    return wire::decode_params<InitializeParams>(params, written_in).value();
}

bool SuspendedSession::awaits(rpc::NotifiedList kind, std::uint64_t changes) const noexcept {
    return room_ != nullptr && (room_->changes_[static_cast<std::size_t>(kind)] != changes ||
                                room_->lists_.is_held(kind));
}

void SuspendedSessions::add(SuspendedSession& session, rpc::SuspendingCarrier& carrier) {
    std::lock_guard const lock(mutex_);
    session.room_ = this;
    session.carrier_ = &carrier;
    session.place_ = static_cast<std::uint32_t>(sessions_.size());
    sessions_.push_back(&session);
}

void SuspendedSessions::remove(SuspendedSession& session) noexcept {
    std::lock_guard const lock(mutex_);
    sessions_.back()->place_ = session.place_;
    sessions_[session.place_] = sessions_.back();
    sessions_.pop_back();
}

void SuspendedSessions::list_changed(rpc::NotifiedList kind, std::uint64_t changes, TimePoint now) {
    count_from(kind, changes);
    if (lists_.changed(kind, now)) send_list_changed(kind);
}

void SuspendedSessions::on_time(TimePoint now) {
    while (auto const kind = lists_.take_due(now)) send_list_changed(*kind);
}

void SuspendedSessions::send_list_changed(rpc::NotifiedList kind) {
    auto const method = rpc::list_changed_method(kind);
    EmptyParams const none;
    Announcement announcement(method, none);
    for (auto const* const session : sessions_) {
        auto const found = wire::find_notification(method, session->version, wire::Side::client);
        if (!found || !has_capability(*session->declared, found.info->capability)) continue;
        session->carrier_->send_notification(announcement.text(session->version));
    }
}

bool SuspendedSessions::send_log(LoggingMessageParams const& message, TimePoint now) {
    if (!log_limit_.allows(message.level, now)) return sessions_.empty();
    Announcement announcement(methods::LoggingMessage::info.name, message);
    for (auto const* const session : sessions_) {
        if (!session->log_level || message.level < *session->log_level) continue;
        session->carrier_->send_notification(announcement.text(session->version));
    }
    return true;
}

void SuspendedSessions::list(std::vector<SessionInfo>& sessions) const {
    std::lock_guard const lock(mutex_);
    for (auto const* const session : sessions_) {
        auto& info = sessions.emplace_back();
        info.id = session->carrier_->session_id();
        info.transport = session->carrier_->info();
        info.client = session->read_client().client_info;
        info.version = to_string(session->version);
        info.phases.push_back({"initialized", session->initialized_at, {}});
        info.phases.push_back({"ready", session->ready_at, {}});
        info.requests = session->requests;
        info.violations = session->violations;
    }
}

}  // namespace lanyard::server
