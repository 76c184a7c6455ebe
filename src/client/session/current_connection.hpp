// CurrentConnection: the connection that a client uses now, and its phase.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lanyard/client/options.hpp"
#include "peer/phase.hpp"
#include "runtime/peer_connection.hpp"

namespace lanyard::client {

/// At first no connection is set. replace() sets a connection, which is kept until the next
/// replace(), even after it has ended. The functions that send something may be called only if a
/// connection is set.
class CurrentConnection {
public:
    /// The arguments must outlive this object.
    CurrentConnection(rpc::PeerEvents& events, ClientOptions const& options);

    /// Sets the connection; an earlier one must have ended. Request ids continue to increase, so
    /// that late answers to requests of the earlier connection are recognized. How long they are
    /// recognized depends on `longest_backoff`, the longest wait before a reconnect.
    void replace(std::unique_ptr<Transport> transport, Duration longest_backoff);

    /// Returns null if there is no connection yet. Code that uses the connection later keeps a copy
    /// of the pointer.
    std::shared_ptr<runtime::PeerConnection> const& shared() const noexcept { return connection_; }
    rpc::Peer& peer() const noexcept { return connection_->peer(); }
    void flush() const { connection_->flush(); }
    bool speaks_http() const { return connection_->transport().traits().speaks_http; }

    rpc::ClientPhase phase() const noexcept { return phases_.phase(); }
    /// Enters another phase. Throws Error if the transition is not allowed.
    void enter(rpc::ClientPhase phase, std::string_view reason = {});

    /// Whether messages can be sent.
    bool is_open() const noexcept { return connection_ != nullptr && connection_->is_open(); }
    /// Whether a request can be sent now: false if too many unsent bytes are queued for a server
    /// that does not read.
    bool has_room() const noexcept { return connection_->unsent_bytes() <= unsent_limits_.at_once; }
    /// Adds a request to the messages that the next flush() sends. Returns its id. The sink must
    /// live until it has the answer.
    Result<std::int64_t> request(std::string_view method, std::string_view params,
                                 rpc::AnswerSink& sink,
                                 rpc::RequestSettings const& settings = {}) const;
    /// Cancels a request, if it is pending, and notifies the server.
    void cancel(std::int64_t id, std::string_view why) const;
    /// Sends a notification; does nothing if the connection has ended.
    void notify(std::string_view method, std::string_view params) const;

    /// Closes the connection, because the client is being closed.
    void close() noexcept;
    /// Closes the connection because of a failure; `why` may be empty.
    void drop(std::string_view why) noexcept;
    /// Whether the server refused this client's credentials.
    bool is_refused() const noexcept;
    /// Returns why the connection ended, as far as that is known. If the server has refused this
    /// client, `transport_down` is replaced by `unauthorized`.
    Error end_error(Errc code, std::string_view what) const;

private:
    rpc::PeerEvents& events_;
    ClientOptions const& options_;
    runtime::PeerConnection::UnsentLimits unsent_limits_;
    std::shared_ptr<runtime::PeerConnection> connection_;
    rpc::PhaseMachine<rpc::ClientPhase> phases_;
    std::string drop_reason_;  // why this side has closed the connection
};

}  // namespace lanyard::client
