// LivenessCheck: finds out whether a server that did not answer in time still exists (MCP
// specification, basic/utilities/ping).
#pragma once

#include "client/session/current_connection.hpp"
#include "client/session/event_reports.hpp"
#include "peer/peer.hpp"
#include "wire/codec.hpp"

namespace lanyard::client {

/// Pings the server; drops the connection if there is no answer in time.
class LivenessCheck final : public rpc::AnswerSink {
public:
    /// The arguments must outlive this object.
    LivenessCheck(CurrentConnection& connection, EventReports const& reports) noexcept
        : connection_(connection), reports_(reports) {}

    /// Starts a check; the client must be ready. Does nothing while a check is in progress.
    void begin(wire::RequestStamp const& stamp, Duration timeout) noexcept;
    void on_answer(rpc::Answer const& answer) noexcept override;

private:
    CurrentConnection& connection_;
    EventReports const& reports_;
    bool waiting_ = false;
};

}  // namespace lanyard::client
