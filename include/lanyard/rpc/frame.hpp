// Frame: what a carrier of messages has read.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <lanyard/clock.hpp>
#include <lanyard/error.hpp>

namespace lanyard::rpc {

/// A request of this side that ended without an answer.
struct RequestFailure {
    std::int64_t id;
    Error error;
};

struct Envelope;
struct Remains;

/// One message, or the reason why there is none.
struct Frame {
    enum class Kind : std::uint8_t {
        message,
        too_long,  ///< a message exceeds the limit; its bytes are dropped
        broken,    ///< the stream cannot be read any further; close it
        failed,    ///< one request has failed, as `failure` says; the others go on
        renewed,   ///< the carrier has opened a new session: the server has forgotten the old one
    };

    Kind kind;
    /// The message, valid until the reader is called again; or a sentence about what is wrong,
    /// which stays valid.
    std::string_view text;
    /// What the message came by, a number of the carrier's choice that comes back with everything
    /// that belongs to the message (Route::origin); 0 where there is only one way back.
    std::uint64_t origin = 0;
    /// Set where a request has failed; valid as long as a message is.
    RequestFailure const* failure = nullptr;
    /// The message, where the carrier has read it already; not a batch. Valid as long as the text.
    Envelope const* envelope = nullptr;
    /// The kind and id of a message that is too long, if they are known. Valid as long as the text.
    Remains const* remains = nullptr;

    bool operator==(Frame const&) const = default;
};

/// What is kept of a connection that rests: enough to go on as if it had not.
class Rested {
public:
    virtual ~Rested() = default;
};

/// Takes what was read, without anybody waiting for it.
class FrameSink {
public:
    /// The frames are valid during the call.
    virtual void on_frames(std::span<Frame const> frames, TimePoint received) noexcept = 0;
    /// For a carrier whose peer is silent: what another connection needs to go on in place of this
    /// one, which is then of no more use and to be ended. Null where something is under way.
    virtual std::unique_ptr<Rested> rest() { return nullptr; }

protected:
    ~FrameSink() = default;
};

}  // namespace lanyard::rpc
