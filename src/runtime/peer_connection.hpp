// PeerConnection: a rpc::Peer on a Transport. Reads, writes and keeps time; what the messages mean
// is the owner's business.
#pragma once

#include <memory>

#include "lanyard/time_source.hpp"
#include "lanyard/transport.hpp"
#include "rpc/peer.hpp"
#include "runtime/event.hpp"
#include "runtime/frame_pump.hpp"
#include "runtime/unsent_answers.hpp"

namespace lanyard::runtime {

class Loop;

/// All functions are called on the transport's executor. The object must live until run() has
/// completed.
class PeerConnection final : private rpc::FrameSink, private StepSink {
public:
    PeerConnection(std::unique_ptr<Transport> transport, rpc::PeerEvents& events, TimeSource& time,
                   rpc::PeerOptions const& options = {});

    rpc::Peer& peer() noexcept { return peer_; }
    rpc::Peer const& peer() const noexcept { return peer_; }
    Transport& transport() noexcept { return *transport_; }
    Transport const& transport() const noexcept { return *transport_; }
    TimePoint now() const noexcept { return time_.now(); }
    /// When the message that is being taken was read.
    TimePoint received() const noexcept { return received_; }

    /// Reads and dispatches until the connection ends, for whatever reason. When it completes,
    /// every request of either side has ended, the transport is closed and released. Does not
    /// throw; failure() tells why it ended where that was not orderly.
    Task<> run();

    /// Sends what the peer has put into the outbox. To be called after using peer() outside of the
    /// callbacks of PeerEvents. A second send while one is waiting joins it.
    void flush();

    /// Calls PeerEvents::on_due() at that time, once, unless the connection has ended by then or
    /// another time is set.
    void wake_owner_at(TimePoint when);

    /// Ends the connection after what is in the outbox was sent, as far as that needs no waiting.
    void close(rpc::Outcome outcome = rpc::Outcome::shutdown) noexcept;

    /// Completes when nothing is left to send, the connection has ended, or the time is over.
    Task<> wait_until_sent(TimePoint until);

    /// Whether messages still go out and are still taken.
    bool is_open() const noexcept { return !closed_; }
    /// What may wait for a peer that does not read. Beyond `pause` bytes nothing is read from it
    /// either. It is cut off when it then takes nothing for as long as the patience; when more than
    /// `most` bytes wait behind the message being sent, however large that one is, and it takes no
    /// more than that in `most_patience`; and at once when more than `at_once` bytes wait.
    struct UnsentLimits {
        std::size_t pause = 1024 * 1024;
        std::size_t most = 8 * 1024 * 1024;
        std::size_t at_once = 64 * 1024 * 1024;
        Duration patience = std::chrono::seconds(30);
        Duration most_patience = std::chrono::seconds(5);
    };
    void limit_unsent(UnsentLimits const& limits) noexcept { limits_ = limits; }
    /// The same for answers alone, which the peer can make this side send; requests have to be
    /// limited by whoever sends them. A peer that takes no large request before its own message is
    /// read does not block the connection.
    void limit_unsent_answers(UnsentLimits const& limits) {
        limits_ = limits;
        answers_ = std::make_unique<UnsentAnswers>();
    }
    /// Sends what was appended since the mark as answers, if they are given outside of the
    /// callbacks of PeerEvents.
    UnsentAnswers::Mark mark() const noexcept { return UnsentAnswers::Mark(outbox_); }
    void flush_answers(UnsentAnswers::Mark const& since);

    std::optional<Error> const& failure() const noexcept { return failure_; }
    /// Bytes that wait because the peer does not read.
    std::size_t unsent_bytes() const noexcept { return outbox_.bytes().size(); }
    /// Whether so much waits that nothing should be added that the peer does not wait for.
    bool is_behind() const { return limits_ && counted_bytes() > limits_->pause; }

private:
    /// The unsent bytes that the limits are about. There must be limits.
    std::size_t counted_bytes() const;
    void count_answers(UnsentAnswers::Mark const& since);
    Task<> finish();
    Task<> await_reader();
    Task<> write_all();
    void on_frames(std::span<rpc::Frame const> frames, TimePoint received) noexcept override;
    void begin_frames(std::span<rpc::Frame const> frames) noexcept override;
    bool take_more() noexcept override;
    bool wants_more() override;
    std::unique_ptr<rpc::Rested> rest() override;
    void begin(std::span<rpc::Frame const> frames, TimePoint received);
    bool take_some(bool step_by_step);
    void take(rpc::Frame const& frame);
    void end_taking();
    void fail(std::exception const& exception) noexcept;
    void take_message(rpc::Frame const& frame);
    void take_opening(rpc::Frame const& frame);
    void check_reader_later();
    void on_alarm();
    void rearm();
    void watch_reader();
    void check_idle(TimePoint now);
    void cut_off(Errc code, std::string why);
    void report_failure() noexcept;

    std::unique_ptr<Transport> transport_;
    rpc::PeerEvents& events_;
    TimeSource& time_;
    FramePump* pump_;  // the transport, where it is one
    Loop* loop_;       // null where the executor is somebody else's
    rpc::Outbox outbox_;
    rpc::Peer peer_;
    std::span<rpc::Frame const> frames_;   // to be taken
    std::size_t ahead_ = 0;                // how many of them the reader knows
    UnsentAnswers::Mark before_{outbox_};  // what was unsent when they came
    std::unique_ptr<Alarm> alarm_;
    RareEvent writer_done_;
    std::optional<Error> failure_;
    rpc::Outcome outcome_ = rpc::Outcome::connection_lost;
    std::optional<UnsentLimits> limits_;
    std::unique_ptr<UnsentAnswers> answers_;  // if only they count
    TimePoint received_;
    // When a reader that is behind is judged by what it has taken since.
    struct ReaderDeadline {
        TimePoint at = TimePoint::max();  // set while the reader is behind
        std::uint64_t taken_before = 0;   // bytes
    };
    bool is_overdue(ReaderDeadline& deadline, std::uint64_t enough, TimePoint now) const;
    void watch(ReaderDeadline& deadline, bool behind, Duration patience) const;
    ReaderDeadline any_deadline_;                // to take anything
    ReaderDeadline most_deadline_;               // to take a good part
    TimePoint idle_check_ = TimePoint::max();    // when it is looked whether the peer is silent
    TimePoint resume_check_ = TimePoint::max();  // when it is looked whether reading can go on
    TimePoint owner_due_ = TimePoint::max();     // when the owner has something to do
    TimePoint busy_at_{};  // when it was last seen that requests are under way
    bool opening_;         // ends at a text that is not JSON: there was no message yet
    bool writing_ = false;
    bool input_ended_ = false;
    bool closed_ = false;
    bool reported_ = false;  // the owner knows the failure
};

}  // namespace lanyard::runtime
