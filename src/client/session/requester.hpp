// Requester: decides whether the client may send a request, makes the metadata that requests carry,
// and acts on the end of requests.
#pragma once

#include <cstdint>
#include <optional>

#include "client/session/connection_keeper.hpp"
#include "client/session/current_connection.hpp"
#include "client/session/event_reports.hpp"
#include "client/session/liveness_check.hpp"
#include "client/session/open_calls.hpp"
#include "client/session/server_record.hpp"
#include "lanyard/client/call_options.hpp"
#include "lanyard/client/options.hpp"
#include "lanyard/protocol/methods.hpp"
#include "wire/codec.hpp"

namespace lanyard::client {

/// Used on the session's executor. AwaitedRequest sends the requests.
class Requester {
public:
    /// The arguments must outlive this object.
    Requester(ClientOptions const& options, ServerRecord const& server,
              CurrentConnection& connection, ConnectionKeeper& keeper, EventReports const& reports);

    /// Checks whether a call of this method may begin now, with this server, in this version.
    Result<void> check(MethodInfo const& method) const;
    /// Completes when the server has read enough of the queued bytes for another request to be sent
    /// (see CurrentConnection::has_room()). Throws Error (busy) if the server does not read.
    Task<> await_room();

    /// Returns a progress token for a request; nullopt if neither the options of the request nor
    /// those of the client contain a progress handler.
    std::optional<ProgressToken> new_progress_token(CallOptions const& options);
    /// The version in which requests are written, and the metadata that they carry.
    wire::RequestStamp const& stamp() const noexcept { return stamp_; }
    void set_version(Version version, ClientCapabilities const& declared);
    /// Stores the log level. In protocol versions with request metadata, every request carries the
    /// log level. In older versions, the log level is sent again after a reconnect.
    void set_log_level(LoggingLevel level) { stamp_.log_level = level; }

    /// The pending calls for which the server may ask questions.
    OpenCalls& open_calls() noexcept { return open_calls_; }
    /// Called when a request has ended. After a timeout, checks whether the server still exists.
    void on_ended(rpc::Outcome outcome);

private:
    void on_not_answered(rpc::Outcome outcome);

    ClientOptions const& options_;
    ServerRecord const& server_;
    CurrentConnection& connection_;
    ConnectionKeeper& keeper_;
    EventReports const& reports_;
    wire::RequestStamp stamp_;
    std::int64_t last_token_ = 0;
    std::uint64_t reported_evicted_ = 0;  // Peer::evicted() when it was last reported
    OpenCalls open_calls_;
    LivenessCheck liveness_;
};

}  // namespace lanyard::client
