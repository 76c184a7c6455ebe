// Frame: a unit of input that a transport has read.
#pragma once

#include <cstdint>
#include <string_view>

#include <lanyard/error.hpp>
#include <lanyard/rpc/message.hpp>

namespace lanyard::rpc {

/// A request that this side has sent and that ended without an answer.
struct RequestFailure {
    std::int64_t id;
    Error error;
};

/// One message, or the reason why there is no message.
struct Frame {
    enum class Kind : std::uint8_t {
        message,
        too_long,  ///< a message exceeds the limit; its bytes are dropped
        broken,    ///< the stream cannot be read any further; close it
        failed,    ///< one request has failed with `failure`; the others are not affected
        renewed,   ///< the transport has opened a new session; the server had lost the old one
    };

    Kind kind;
    /// The message, valid until the next Transport::read(). If there is no message: a sentence that
    /// describes the problem, which stays valid.
    std::string_view text;
    /// A number chosen by the transport that identifies where the message came from. Everything
    /// that is sent for the message has the same number (Route::origin). 0 if the transport has
    /// only one channel back.
    std::uint64_t origin = 0;
    /// Set if a request has failed; valid until the next Transport::read().
    RequestFailure const* failure = nullptr;
    /// The parsed message, if the transport has already parsed it; never a batch. Valid as long as
    /// the text.
    Envelope const* envelope = nullptr;
    /// The kind and id of a message that is too long, if they are known. Valid as long as the text.
    Remains const* remains = nullptr;

    bool operator==(Frame const&) const = default;
};

}  // namespace lanyard::rpc
