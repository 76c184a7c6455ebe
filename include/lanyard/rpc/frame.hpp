// Frame: a unit of input that a transport has read.
#pragma once

#include <cstdint>
#include <string_view>

#include <lanyard/error.hpp>
#include <lanyard/rpc/message.hpp>

namespace lanyard::rpc {

/// A request of this side that ended without an answer.
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
        /// The transport has opened a new session because the server no longer has the old one.
        renewed,
    };

    Kind kind;
    /// The message, valid until the reader is called again. If there is no message: a sentence
    /// about the problem, which stays valid.
    std::string_view text;
    /// A number chosen by the transport that identifies where the message came from. Everything
    /// that is sent for the message has the same number (Route::origin). 0 if the transport has
    /// only one channel back.
    std::uint64_t origin = 0;
    /// Set if a request has failed; valid until the reader is called again.
    RequestFailure const* failure = nullptr;
    /// The parsed message, if the transport has already parsed it; never a batch. Valid as long as
    /// the text.
    Envelope const* envelope = nullptr;
    /// The kind and id of a message that is too long, if they are known. Valid as long as the text.
    Remains const* remains = nullptr;

    bool operator==(Frame const&) const = default;
};

}  // namespace lanyard::rpc
