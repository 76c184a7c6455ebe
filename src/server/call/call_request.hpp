// CallRequest: the request that a call serves.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lanyard/clock.hpp"
#include "lanyard/json/document.hpp"
#include "lanyard/protocol/base.hpp"
#include "lanyard/protocol/logging.hpp"
#include "lanyard/rpc/message.hpp"
#include "server/call/metadata.hpp"

namespace lanyard::server {

/// A request as received from its carrier, which is a transport or the HTTP endpoint. The envelope
/// is valid only while the message is processed.
struct Arrival {
    rpc::Envelope const& envelope;
    Version version;
    std::shared_ptr<ClientInfo const> const& client;
    std::shared_ptr<PeerInfo const> const& peer;
    std::optional<LoggingLevel> log_level;  ///< lowest severity of log messages the client wants
    TimePoint received;
};

/// The parts of a request that a Call object and its handler use. At first they are views of the
/// message. If they are needed after the message has been processed, keep_peer() and either
/// copy_message() or replace_message() must be called first. This object is reused for later
/// requests.
class CallRequest {
public:
    /// `target` is the name or URI of the feature. Pass either a view that stays valid as long as
    /// the message does, or the result of keep().
    void begin(Arrival const& arrival, std::string_view target) {
        auto const& envelope = arrival.envelope;
        id_ = envelope.id->raw();
        method_ = envelope.method;
        target_ = target;
        params_ = envelope.params ? envelope.params->raw() : std::string_view();
        version_ = arrival.version;
        if (client_ != arrival.client) client_ = arrival.client;
        peer_ = &arrival.peer;
        log_level_ = arrival.log_level;
        received_ = arrival.received;
    }
    /// Copies a target that is not part of the message, and returns the copy.
    std::string_view keep(std::string_view target) { return kept_target_.assign(target); }

    std::string_view id() const noexcept { return id_; }
    std::string_view method() const noexcept { return method_; }
    std::string_view target() const noexcept { return target_; }
    std::string_view params() const noexcept { return params_; }
    Version version() const noexcept { return version_; }
    ClientInfo const& client() const noexcept { return *client_; }
    PeerInfo const& peer() const noexcept { return **peer_; }
    TimePoint received() const noexcept { return received_; }
    Meta meta() const;
    /// Whether the client wants log messages of this severity.
    bool wants_log(LoggingLevel level) const noexcept { return log_level_ && level >= *log_level_; }

    /// Parses the parameters again. The result is valid until the next call of this function or of
    /// drop_parsed().
    json::View parse_params();
    /// Frees the memory of the parsed parameters if they are large, so that it is not occupied
    /// while the handler runs.
    void drop_parsed() noexcept {
        if (params_.size() > max_kept_params) document_.shrink();
    }

    /// Whether the request stays valid after the message has been processed.
    bool outlives_message() const noexcept { return outlives_message_; }
    /// The first of two steps to keep the request valid after the message has been processed:
    /// shares the ownership of the peer's information. The second step is copy_message() or
    /// replace_message().
    void keep_peer() {
        outlives_message_ = true;
        kept_peer_ = *peer_;
        peer_ = &kept_peer_;
    }
    void copy_message();
    /// Used instead of copy_message() if the handler does not use the message. Both strings must
    /// outlive the request.
    void replace_message(std::string_view method, std::string_view target) noexcept {
        method_ = method;
        target_ = target;
        id_ = params_ = {};
    }

    /// Frees large buffers and everything that the request owns.
    void clear() {
        if (outlives_message_ || kept_target_.capacity() > max_kept_bytes) free_buffers();
    }

private:
    // A string that is longer than this is freed when its request has ended. The memory of a
    // shorter string is kept for the next request.
    static constexpr std::size_t max_kept_bytes = std::size_t{64} * 1024;
    // If a message is larger than this, its parsed document is freed, because the document needs
    // several times the size of the text.
    static constexpr std::size_t max_kept_params = std::size_t{16} * 1024;

    void free_buffers();

    // These four members are views of the received message or of a copy of it. The target may also
    // be a view of kept_target_. See also replace_message().
    std::string_view id_;
    std::string_view method_;
    std::string_view params_;
    std::string_view target_;
    std::string kept_target_;
    // A copy of the parts of the message that are used after the message has been processed.
    std::string message_;
    json::Document document_;
    Version version_{};
    std::shared_ptr<ClientInfo const> client_;
    // Points to the carrier's object or to kept_peer_.
    std::shared_ptr<PeerInfo const> const* peer_ = nullptr;
    std::shared_ptr<PeerInfo const> kept_peer_;
    std::optional<LoggingLevel> log_level_;
    TimePoint received_;
    bool outlives_message_ = false;
};

}  // namespace lanyard::server
