// LivenessCheck: finds out whether a server that did not answer in time is still there
// (basic/utilities/ping).
#pragma once

#include "rpc/peer.hpp"

namespace lanyard::client {

class Session;

/// Asks the server for a sign of life. Without one, the connection is given up.
class LivenessCheck final : public rpc::AnswerSink {
public:
    explicit LivenessCheck(Session& session) noexcept : session_(session) {}

    /// The session must be ready. Does nothing while a check is under way.
    void begin() noexcept;
    void on_answer(rpc::Answer const& answer) noexcept override;

private:
    Session& session_;
    bool waiting_ = false;
};

}  // namespace lanyard::client
