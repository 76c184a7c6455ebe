// CallRunner: makes the HTTP calls of a ClientMachine.
#pragma once

#include <cstdint>
#include <string>

#include "lanyard/error.hpp"

namespace lanyard::http {

using CallId = std::uint64_t;

/// The kind of slot that a call takes in the CallPool.
enum class SlotKind : std::uint8_t {
    call,     ///< a request of the client's session
    message,  ///< a notification or an answer: has its own slots, which requests cannot occupy
    stream,   ///< a stream that stays open; the number of streams is not limited
};

/// One HTTP request to make.
struct HttpCall {
    std::string bytes;  ///< head and body
    SlotKind lane = SlotKind::call;
    bool fresh = false;  ///< the request must be sent on a new connection
};

/// Describes the end of a call that got no complete response.
struct CallLoss {
    enum class Stage : std::uint8_t {
        unsent,      ///< no byte of the request was sent
        unanswered,  ///< no byte of the response has arrived
        answering,   ///< the response was cut off or is invalid
    };

    Stage stage = Stage::unsent;
    Error error;
    bool reused = false;  ///< the connection had carried another call before
};

/// Makes the HTTP calls of a ClientMachine. Reports their progress through the machine's on_...()
/// functions, but never from within start().
class CallRunner {
public:
    virtual ~CallRunner() = default;
    virtual void start(CallId id, HttpCall call) = 0;
    /// Ends the call. Nothing more is reported about this call.
    virtual void abort(CallId id) noexcept = 0;
};

}  // namespace lanyard::http
