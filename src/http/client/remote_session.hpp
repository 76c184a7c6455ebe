// RemoteSession: the session at the server, as a client over HTTP knows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/backoff.hpp"
#include "http/client/client_operation.hpp"
#include "http/client/request_writer.hpp"
#include "http/message/url.hpp"
#include "lanyard/clock.hpp"
#include "lanyard/protocol/era.hpp"

namespace lanyard::http {

/// Knows the id and the protocol revision of the session, and decides which messages must wait
/// until a session is open. A session that the server has lost is renewed: the client opens another
/// one with the same `initialize` request. Not thread-safe.
class RemoteSession {
public:
    // Messages to send.

    /// Call this before the client's message is sent for the first time.
    void on_message(ClientOperation const& operation);
    /// Whether the message must wait. Requests and notifications of a session wait until its
    /// handshake is complete; over HTTP+SSE, all messages of a session wait until the endpoint is
    /// known.
    bool must_wait(ClientOperation const& operation) const noexcept;
    /// Assigns the operation to the current session, unless the operation resumes a stream of an
    /// earlier session. Sets the URL of an operation that sends a message over HTTP+SSE.
    void assign(ClientOperation& operation) const;
    /// Fills in the header fields that name the session and the protocol revision. Their values are
    /// views into this object and into the operation.
    void describe(ClientOperation const& operation, CallHead& head) const;

    // The session.

    /// Called when the server has opened the session, or has refused to open it. In the second
    /// case, there is no revision and no id.
    void open(std::optional<Version> version, std::string id);
    /// Called when the handshake is complete. From then on, messages may be sent.
    void allow_messages() noexcept { gate_open_ = true; }
    /// Number of sessions opened so far. It identifies the session of an operation.
    std::uint64_t generation() const noexcept { return generation_; }
    std::optional<Version> version() const noexcept { return version_; }
    /// The revision that defines the meaning of the server's error codes.
    Version version_of_errors() const;
    /// Whether the server has a session that a DELETE can end.
    bool can_be_ended() const noexcept { return !uses_events_ && !id_.empty(); }

    // Renewal.

    /// The text of the `initialize` request that opened the session.
    std::string const& initialize() const noexcept { return initialize_; }
    bool renewing() const noexcept { return renewing_; }
    /// Begins to renew the session. Returns the time at which the handshake may be sent; nullopt if
    /// it may be sent at once.
    std::optional<TimePoint> begin_renewal(TimePoint now, Random& random);
    void end_renewal(std::string id);
    /// Called when the session could not be renewed. From then on, messages do not wait any more.
    void fail_renewal() noexcept;
    /// Called when the event stream has ended before the handshake that renews the session was
    /// complete.
    void cancel_renewal() noexcept { renewing_ = false; }

    // HTTP+SSE (protocol revision 2024-11-05): one event stream, and a URL for POSTs, which the
    // server sends as the first event.

    bool uses_events() const noexcept { return uses_events_; }
    void use_events();
    /// Called when HTTP+SSE does not work with this server either.
    void leave_events() noexcept;
    /// Sets the URL for POSTs. Returns true if the server has begun another session, so that a
    /// handshake is needed.
    bool set_endpoint(Url endpoint);
    /// Called when the event stream has ended. Returns false if the server has never named an
    /// endpoint.
    bool lose_endpoint() noexcept;

private:
    std::string id_;
    std::uint64_t generation_ = 0;
    std::optional<Version> version_;
    std::string claimed_version_;  // the revision that the last stateless message contained
    bool gate_open_ = true;        // false while a session is being opened

    std::string initialize_;
    bool renewing_ = false;
    Backoff renewal_wait_;  // computes the wait before a renewal, if the last one was recent
    std::optional<TimePoint> renewed_at_;

    bool uses_events_ = false;
    std::optional<Url> endpoint_;
    bool endpoint_known_ = false;  // endpoint_ is set, and the stream that named it is open
};

}  // namespace lanyard::http
