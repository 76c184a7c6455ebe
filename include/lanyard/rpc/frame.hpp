// Frame: a unit of input that a transport has read.
#pragma once

#include <cstdint>
#include <string_view>

#include <lanyard/error.hpp>
#include <lanyard/rpc/message.hpp>

namespace lanyard::rpc {

/// The failure of one request that was sent through the transport and will not be answered.
struct RequestFailure {
    std::int64_t id;
    Error error;
};

/// One message, or the reason why there is no message.
struct Frame {
    enum class Kind : std::uint8_t {
        message,
        too_long,  ///< a message exceeded the size limit and was dropped
        no_room,   ///< a message was dropped because the unfinished messages of all peers use too
                   ///< much memory
        broken,    ///< nothing more can be read; the connection must be closed
        failed,    ///< one request has failed (see `failure`); other requests continue
        renewed,   ///< the server had lost the session; a new session is open
    };

    Kind kind;
    /// The message, valid until the next Transport::read(). For a frame without a message, a
    /// sentence that describes the problem; this sentence stays valid after the next read().
    std::string_view text;
    /// A number chosen by the transport that identifies where the message came from. Messages that
    /// are sent because of this message carry the same number (Route::origin). 0 if the transport
    /// has only one channel back to the peer.
    std::uint64_t origin = 0;
    /// Set if the kind is `failed`; valid until the next Transport::read().
    RequestFailure const* failure = nullptr;
    /// The parsed message, if the transport has already parsed it; never a batch. Valid as long as
    /// the text.
    Envelope const* envelope = nullptr;
    /// The kind and id of a message that was dropped (`too_long`, `no_room`), if they are known.
    /// Valid as long as the text.
    Remains const* remains = nullptr;

    bool operator==(Frame const&) const = default;
};

}  // namespace lanyard::rpc
