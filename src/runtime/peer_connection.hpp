// PeerConnection: an rpc::Peer on a Transport. It reads, writes and handles timeouts; its owner (a
// server or client session) interprets the messages.
#pragma once

#include <algorithm>
#include <memory>

#include "lanyard/time_source.hpp"
#include "lanyard/transport.hpp"
#include "peer/peer.hpp"
#include "runtime/event.hpp"
#include "runtime/frame_pump.hpp"
#include "runtime/transport_extras.hpp"
#include "runtime/unsent_answers.hpp"

namespace lanyard::runtime {

class Loop;

/// All functions must be called on the transport's executor. The object must live until run() has
/// completed.
class PeerConnection final : private rpc::FrameSink, private StepSink {
public:
    /// Takes the transport over. It is passed by reference, so that the caller may use it in the
    /// other arguments.
    PeerConnection(ExtendedTransport&& transport, rpc::PeerEvents& events, TimeSource& time,
                   rpc::PeerOptions const& options = {});

    rpc::Peer& peer() noexcept { return peer_; }
    rpc::Peer const& peer() const noexcept { return peer_; }
    Transport& transport() noexcept { return *transport_; }
    Transport const& transport() const noexcept { return *transport_; }
    /// The additional functions of the transport; null if the transport is not one of the library's
    /// own.
    TransportExtras* extras() const noexcept { return extras_; }
    TimePoint now() const noexcept { return time_.now(); }
    /// The time at which the current message was read.
    TimePoint received() const noexcept { return received_; }

    /// Reads and dispatches messages until the connection ends for any reason. When it completes,
    /// every request of either side has ended and the transport is closed and released. Does not
    /// throw; failure() holds the reason if the connection did not end normally.
    Task<> run();

    /// Sends the messages that the peer has put into the outbox. Call it after using peer() outside
    /// of the callbacks of PeerEvents. If a write is already in progress, that write also sends the
    /// new messages.
    void flush();

    /// Calls PeerEvents::on_due() once at the given time, unless the connection has ended by then
    /// or another time was set.
    void wake_owner_at(TimePoint when);

    /// Closes the connection after sending as much of the outbox as possible without blocking.
    void close(rpc::Outcome outcome = rpc::Outcome::shutdown) noexcept;

    /// Completes when nothing is left to send, when the connection has ended, or at the time
    /// `until`.
    Task<> wait_until_sent(TimePoint until);

    /// Whether messages are still sent and received.
    bool is_open() const noexcept { return !closed_; }
    /// Limits for a peer that does not read the messages that are sent to it. The limits apply to
    /// the bytes that are queued in the outbox. After a call of limit_unsent_answers(), only the
    /// bytes of answers count. Of a message that is being sent, only the part that the transport
    /// has not taken from the outbox yet counts.
    struct UnsentLimits {
        /// While more than this many bytes are queued, nothing is read from the peer.
        std::size_t pause = 1024 * 1024;
        /// While more than this many bytes are queued after the message that is being sent, the
        /// peer must read at least this many bytes in each period of `most_timeout`; otherwise it
        /// is disconnected. The message that is being sent may have any size up to `at_once`.
        std::size_t most = 8 * 1024 * 1024;
        /// If more than this many bytes are queued, the peer is disconnected at once.
        std::size_t at_once = 64 * 1024 * 1024;
        /// While more than `pause` bytes are queued, the peer must read at least one byte in each
        /// period of this duration; otherwise it is disconnected. After the peer has half-closed
        /// the connection, this applies while anything is queued.
        Duration timeout = std::chrono::seconds(30);
        /// The time in which the peer must read `most` bytes.
        Duration most_timeout = std::chrono::seconds(5);

        /// The limits that the options of a server or a client set.
        template <class Options>
        static UnsentLimits of(Options const& options) noexcept {
            UnsentLimits limits;
            limits.most = options.max_unsent_bytes();
            limits.pause = std::min(limits.pause, limits.most);
            limits.at_once = options.hard_unsent_bytes();
            limits.timeout = options.write_timeout();
            limits.most_timeout = options.slow_reader_timeout();
            return limits;
        }
    };
    void limit_unsent(UnsentLimits const& limits) noexcept { limits_ = limits; }
    /// Same as limit_unsent(), but the limits apply only to queued answers, because the peer
    /// decides how many answers it causes. This side must limit its own requests itself. Queued
    /// requests must not stop this side from reading, since that could be a deadlock: the peer may
    /// read a large request only after this side has read the peer's message.
    void limit_unsent_answers(UnsentLimits const& limits) {
        limits_ = limits;
        answers_ = std::make_unique<UnsentAnswers>();
    }
    /// To send answers outside of the callbacks of PeerEvents: call mark(), write the answers, and
    /// call flush_answers() with the mark. flush_answers() counts the messages that were appended
    /// after the mark as answers, and sends them.
    UnsentAnswers::Mark mark() const noexcept { return UnsentAnswers::Mark(outbox_); }
    void flush_answers(UnsentAnswers::Mark const& since);

    std::optional<Error> const& failure() const noexcept { return failure_; }
    /// The number of bytes in the outbox. The transport has not accepted these bytes yet.
    std::size_t unsent_bytes() const noexcept { return outbox_.bytes().size(); }
    /// Stops or resumes reading. Messages that have been read are still processed.
    void pause_reading(bool pause) noexcept;
    bool is_reading_paused() const noexcept { return reading_paused_; }
    /// Whether more than UnsentLimits::pause bytes are queued. If so, only messages that the peer
    /// is waiting for should be added.
    bool is_behind() const { return limits_ && counted_bytes() > limits_->pause; }

private:
    /// The number of unsent bytes to which the limits apply. limits_ must be set.
    std::size_t counted_bytes() const;
    void count_answers(UnsentAnswers::Mark const& since);
    Task<> finish();
    Task<> wait_to_read();
    bool must_wait_to_read() const noexcept { return reading_paused_ || (writing_ && is_behind()); }
    void resume_pump() noexcept;
    Task<> write_all();
    void on_frames(std::span<rpc::Frame const> frames, TimePoint received) noexcept override;
    void begin_frames(std::span<rpc::Frame const> frames) noexcept override;
    bool take_more() noexcept override;
    bool wants_more() override;
    std::unique_ptr<rpc::Suspended> suspend() override;
    void begin(std::span<rpc::Frame const> frames, TimePoint received);
    bool take_some(bool step_by_step);
    void take(rpc::Frame const& frame);
    void end_taking();
    void fail(std::exception const& exception) noexcept;
    void take_message(rpc::Frame const& frame);
    void take_opening(rpc::Frame const& frame);
    void check_reader_later();
    void on_alarm() noexcept;
    void do_what_is_due();
    void rearm();
    void start_writer();
    void watch_reader();
    void check_idle(TimePoint now);
    void cut_off(Errc code, std::string why);
    void report_failure() noexcept;

    std::unique_ptr<Transport> transport_;
    // The same object as transport_; null if the transport is not one of the library's own.
    TransportExtras* extras_;
    rpc::PeerEvents& events_;
    TimeSource& time_;
    Loop* loop_;  // null if no loop runs the executor
    rpc::Outbox outbox_;
    rpc::Peer peer_;
    std::span<rpc::Frame const> frames_;   // frames that are not processed yet
    std::size_t ahead_ = 0;                // how many of frames_ the reader has already indexed
    UnsentAnswers::Mark before_{outbox_};  // the size of the outbox when frames_ arrived
    std::unique_ptr<Alarm> alarm_;
    RareEvent writer_done_;
    std::optional<Error> failure_;
    rpc::Outcome outcome_ = rpc::Outcome::connection_lost;
    std::optional<UnsentLimits> limits_;
    std::unique_ptr<UnsentAnswers> answers_;  // set if the limits apply to answers only
    TimePoint received_;
    // The time at which to check how much a slow peer has read.
    struct ReaderDeadline {
        TimePoint at = TimePoint::max();  // set while the peer reads too slowly
        std::uint64_t taken_before = 0;   // bytes sent before the deadline was set
    };
    bool is_overdue(ReaderDeadline& deadline, std::uint64_t enough, TimePoint now) const;
    void watch(ReaderDeadline& deadline, bool behind, Duration timeout) const;
    ReaderDeadline any_deadline_;   // when the peer must have read at least one byte
    ReaderDeadline most_deadline_;  // when the peer must have read UnsentLimits::most bytes
    TimePoint idle_check_ = TimePoint::max();    // when to check whether the peer is idle
    TimePoint resume_check_ = TimePoint::max();  // when to check whether reading can resume
    TimePoint owner_due_ = TimePoint::max();     // when to call PeerEvents::on_due()
    TimePoint busy_at_{};                        // the last time a check found requests in progress
    bool opening_;  // no valid message has arrived yet: input that is not JSON ends the connection
    bool writing_ = false;
    bool input_ended_ = false;
    bool closed_ = false;
    bool reading_paused_ = false;
    bool reported_ = false;  // whether the failure was reported to the owner
};

}  // namespace lanyard::runtime
