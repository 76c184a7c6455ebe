// LivenessCheck: finds out whether a server that did not answer in time still exists (MCP
// specification, basic/utilities/ping).
#pragma once

#include "peer/peer.hpp"

namespace lanyard::client {

class ClientSession;

/// Pings the server; closes the connection if there is no answer in time.
class LivenessCheck final : public rpc::AnswerSink {
public:
    explicit LivenessCheck(ClientSession& session) noexcept : session_(session) {}

    /// Starts a check; the session must be ready. Does nothing while a check is in progress.
    void begin() noexcept;
    void on_answer(rpc::Answer const& answer) noexcept override;

private:
    ClientSession& session_;
    bool waiting_ = false;
};

}  // namespace lanyard::client
