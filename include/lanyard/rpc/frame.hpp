// Frame: what a carrier of messages has read.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanyard::rpc {

/// One message, or the reason why there is none.
struct Frame {
    enum class Kind : std::uint8_t {
        message,
        too_long,  ///< a message exceeds the limit; its bytes are dropped
        broken,    ///< the stream cannot be read any further; close it
    };

    Kind kind;
    /// The message, valid until the reader is called again; or a sentence about what is wrong,
    /// which stays valid.
    std::string_view text;
    /// What the message came by, a number of the carrier's choice that comes back with everything
    /// that belongs to the message (Route::origin); 0 where there is only one way back.
    std::uint64_t origin = 0;

    bool operator==(Frame const&) const = default;
};

}  // namespace lanyard::rpc
