#include "runtime/peer_connection.hpp"

#include <algorithm>
#include <cstdint>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/deadline.hpp"
#include "jsonrpc/framing.hpp"
#include "runtime/loop.hpp"

namespace lanyard::runtime {

namespace {

// After a message larger than this, the reader's memory is freed at once.
constexpr std::size_t large_message = std::size_t{64} * 1024;
// The interval at which to check whether the peer has read enough answers, so that this side can
// read again. Used only after limit_unsent_answers().
constexpr std::chrono::milliseconds resume_interval(50);

Error to_error(std::exception const& exception) {
    if (auto const* error = dynamic_cast<Error const*>(&exception)) return *error;
    return {Errc::transport_down, exception.what()};
}

// Uses the message reader that the connections of the transport's executor share, if there is one.
// The reader does not limit the size of messages, because the library's own transports do so.
rpc::PeerOptions adapted(rpc::PeerOptions options, TransportExtras* extras) {
    if (extras == nullptr) return options;
    if (options.reader == nullptr) options.reader = extras->shared_reader();
    options.json.max_bytes = SIZE_MAX;
    return options;
}

}  // namespace

PeerConnection::PeerConnection(ExtendedTransport&& transport, rpc::PeerEvents& events,
                               TimeSource& time, rpc::PeerOptions const& options)
    : transport_(std::move(transport.transport)),
      extras_(transport.extras),
      events_(events),
      time_(time),
      loop_(Loop::of(transport_->executor())),
      peer_(events, outbox_, adapted(options, extras_)),
      alarm_(time.make_alarm(transport_->executor(), [this] { on_alarm(); })),
      opening_(transport_->traits().ends_at_noise) {}

Task<> PeerConnection::run() {
    received_ = time_.now();
    idle_check_ = after(received_, transport_->traits().idle_limit);
    rearm();
    if (extras_ != nullptr) {
        extras_->set_sink(*this);
        if (auto* const pump = extras_->frame_pump()) pump->pump_to(*this);
    }
    try {
        // This loop is not a separate coroutine, because the frame of that coroutine would use
        // memory as long as the connection lives.
        while (!closed_) {
            auto const frames = co_await transport_->read();
            if (!frames) break;
            begin(*frames, time_.now());
            take_some(false);
            if (must_wait_to_read() && !closed_) co_await wait_to_read();
        }
        if (!closed_) co_await finish();
    } catch (std::exception const& exception) {
        if (!closed_) failure_ = to_error(exception);
    }
    if (std::exchange(ahead_, 0) != 0) peer_.reader().forget_ahead();
    closed_ = true;
    alarm_->set(TimePoint::max());
    report_failure();
    peer_.on_closed(outcome_, time_.now());
    events_.on_closed();
    transport_->close();
    // Waits for the writer, which ends because the transport is closed.
    while (writing_) co_await writer_done_.wait();
    outbox_.clear();
    co_await transport_->closed();
}

// Completes when the peer has read enough of the queued bytes and the owner has not paused reading,
// or when the connection has ended.
Task<> PeerConnection::wait_to_read() {
    while (must_wait_to_read() && !closed_) {
        if (!reading_paused_) check_reader_later();
        co_await writer_done_.wait();
    }
    resume_check_ = TimePoint::max();
}

// Sets the time of the next check of how much the peer has read. Waiting for writer_done_ is not
// enough if the limits apply to answers only: the answers may be sent while the writer is still
// busy with requests.
void PeerConnection::check_reader_later() {
    if (!answers_) return;
    resume_check_ = time_.now() + resume_interval;
    rearm();
}

bool PeerConnection::wants_more() {
    if (!must_wait_to_read()) return true;
    if (!reading_paused_) check_reader_later();
    return false;
}

void PeerConnection::pause_reading(bool pause) noexcept {
    if (std::exchange(reading_paused_, pause) == pause || pause) return;
    writer_done_.notify();
    resume_pump();
}

void PeerConnection::begin(std::span<rpc::Frame const> frames, TimePoint received) {
    received_ = received;
    frames_ = frames;
    before_ = mark();
    events_.on_messages(frames.size());
}

// Processes frames. If `step_by_step`, returns true as soon as a handler is ready to run. Returns
// false when all frames have been processed.
bool PeerConnection::take_some(bool step_by_step) {
    while (!frames_.empty() && !closed_) {
        if (ahead_ == 0) {
            auto const lines = rpc::first_lines(frames_);
            peer_.reader().look_ahead(lines.text);
            ahead_ = lines.count;
        }
        auto const& frame = frames_.front();
        frames_ = frames_.subspan(1);
        take(frame);
        if (--ahead_ == 0) peer_.reader().forget_ahead();
        if (step_by_step && loop_ != nullptr && loop_->has_ready()) return true;
    }
    end_taking();
    return false;
}

void PeerConnection::end_taking() {
    if (std::exchange(ahead_, 0) != 0) peer_.reader().forget_ahead();
    frames_ = {};
    events_.on_messages_taken();
    if (answers_) count_answers(before_);
    // Handlers that run later in this round flush their own answers. If such handlers are ready, an
    // empty outbox need not be flushed here.
    bool const deferred = loop_ != nullptr && loop_->in_turn() && loop_->has_ready();
    if (!closed_ && !(deferred && outbox_.empty())) flush();
}

void PeerConnection::begin_frames(std::span<rpc::Frame const> frames) noexcept {
    try {
        begin(frames, time_.now());
    } catch (std::exception const& exception) {
        fail(exception);
    }
}

bool PeerConnection::take_more() noexcept {
    try {
        Loop::Turn const turn(loop_);
        bool const more = take_some(true);
        if (closed_) transport_->close();
        return more;
    } catch (std::exception const& exception) {
        fail(exception);
        return false;
    }
}

std::size_t PeerConnection::counted_bytes() const {
    auto const all = unsent_bytes();
    if (!answers_) return all;
    if (answers_->empty()) return 0;
    return std::min(all, answers_->bytes(transport_->info().messages_out));
}

void PeerConnection::count_answers(UnsentAnswers::Mark const& since) {
    auto const now = mark();
    // The queue holds only a small part of what the limits allow, so the answers in it need not be
    // counted.
    if (now.bytes <= limits_->pause / 16) {
        answers_->clear();
    } else {
        answers_->add(since, now, transport_->info().messages_out);
    }
}

void PeerConnection::flush_answers(UnsentAnswers::Mark const& since) {
    if (answers_) count_answers(since);
    flush();
}

// Processes the frames directly, without resuming the coroutine that is waiting in
// transport_->read(). If the frames end the connection, closing the transport resumes that
// coroutine.
void PeerConnection::on_frames(std::span<rpc::Frame const> frames, TimePoint received) noexcept {
    try {
        begin(frames, received);
        take_some(false);
        // Ends the read() in run().
        if (closed_) transport_->close();
    } catch (std::exception const& exception) {
        fail(exception);
    }
}

void PeerConnection::fail(std::exception const& exception) noexcept {
    if (!closed_) failure_ = to_error(exception);
    closed_ = true;
    if (std::exchange(ahead_, 0) != 0) peer_.reader().forget_ahead();
    frames_ = {};
    transport_->close();
}

std::unique_ptr<rpc::Suspended> PeerConnection::suspend() {
    bool const busy = closed_ || input_ended_ || writing_ || !outbox_.empty() || !peer_.is_idle();
    return busy ? nullptr : events_.suspend();
}

// Called when the peer sends nothing more. Sends outstanding answers as long as the peer reads.
Task<> PeerConnection::finish() {
    input_ended_ = true;
    if (!events_.on_input_ended()) co_return;
    peer_.on_input_ended(time_.now());
    flush();
    if (!transport_->traits().half_closes) co_return;
    if (extras_ != nullptr) {
        co_await extras_->hung_up();
    } else {
        // The transport does not report that the peer is gone, so this waits until the owner closes
        // the connection or a write fails.
        while (!closed_) co_await writer_done_.wait();
    }
}

void PeerConnection::take(rpc::Frame const& frame) {
    switch (frame.kind) {
        case rpc::Frame::Kind::message:
            if (opening_) {
                take_opening(frame);
            } else {
                take_message(frame);
            }
            break;
        case rpc::Frame::Kind::too_long:
        case rpc::Frame::Kind::no_room:
            peer_.on_dropped(frame, received_);
            break;
        case rpc::Frame::Kind::broken:
            failure_ = Error(Errc::protocol_violation, std::string(frame.text));
            closed_ = true;
            report_failure();
            break;
        case rpc::Frame::Kind::failed:
            peer_.fail_request(frame.failure->id, frame.failure->error, time_.now());
            break;
        case rpc::Frame::Kind::renewed:
            events_.on_renewed();
            break;
    }
}

void PeerConnection::take_message(rpc::Frame const& frame) {
    if (frame.envelope != nullptr) {
        peer_.on_envelope(*frame.envelope, received_, frame.origin);
        return;
    }
    peer_.on_message(frame.text, received_, frame.origin);
    if (frame.text.size() > large_message) peer_.reader().shrink();
}

// Processes a message when no message has been accepted yet. If the message is not JSON, the peer
// (for example a browser that sends an HTTP request) gets one error, and nothing after the peer's
// first line is processed.
void PeerConnection::take_opening(rpc::Frame const& frame) {
    auto const refused = peer_.refused();
    auto const not_json = peer_.not_json();
    take_message(frame);
    if (peer_.not_json() != not_json) {
        cut_off(Errc::protocol_violation, "the peer does not send JSON");
    } else if (peer_.refused() == refused) {
        opening_ = false;
    }
}

void PeerConnection::flush() {
    if (!writing_ && !outbox_.empty()) {
        transport_->write_now(outbox_);
        if (!outbox_.empty()) {
            start_writer();
        }
    }
    watch_reader();
    rearm();
}

void PeerConnection::start_writer() {
    writing_ = true;
    try {
        boost::asio::co_spawn(transport_->executor(), write_all(), boost::asio::detached);
    } catch (...) {
        writing_ = false;
        throw;
    }
}

void PeerConnection::watch_reader() {
    if (!limits_) return;
    auto const counted = counted_bytes();
    if (counted > limits_->at_once) {
        cut_off(Errc::busy, "the peer leaves too much unread");
        return;
    }
    bool const waits = counted > limits_->pause || (input_ended_ && unsent_bytes() != 0);
    auto const behind_front = std::min(outbox_.bytes_behind_front(), counted);
    watch(any_deadline_, waits, limits_->timeout);
    watch(most_deadline_, behind_front > limits_->most, limits_->most_timeout);
}

void PeerConnection::watch(ReaderDeadline& deadline, bool behind, Duration timeout) const {
    if (!behind) {
        deadline.at = TimePoint::max();
    } else if (deadline.at == TimePoint::max()) {
        deadline.at = time_.now() + timeout;
        deadline.taken_before = transport_->info().bytes_out;
    }
}

// Whether the deadline has passed and the peer has read fewer than `enough` bytes since the
// deadline was set. Clears a deadline that has passed; watch() sets a new deadline if the peer
// still reads too slowly.
bool PeerConnection::is_overdue(ReaderDeadline& deadline, std::uint64_t enough,
                                TimePoint now) const {
    if (now < deadline.at) return false;
    deadline.at = TimePoint::max();
    return transport_->info().bytes_out - deadline.taken_before < enough;
}

// Closes the connection if the peer was idle for too long. This is checked only at intervals, so
// that not every message has to set the alarm.
void PeerConnection::check_idle(TimePoint now) {
    if (now < idle_check_) return;
    if (peer_.in_flight() > 0 || peer_.pending_count() > 0) busy_at_ = now;
    idle_check_ = after(std::max(received_, busy_at_), transport_->traits().idle_limit);
    if (idle_check_ <= now) cut_off(Errc::timeout, "the peer was silent for too long");
}

void PeerConnection::cut_off(Errc code, std::string why) {
    if (closed_) return;
    failure_ = Error(code, std::move(why));
    report_failure();
    close(rpc::Outcome::connection_lost);
}

void PeerConnection::report_failure() noexcept {
    if (failure_ && !std::exchange(reported_, true)) events_.on_failure(*failure_);
}

Task<> PeerConnection::write_all() {
    try {
        co_await transport_->write(outbox_);
    } catch (std::exception const& exception) {
        // Closing the transport ends the read in run(), which then ends the pending requests. The
        // error does not count as a failure if the peer has half-closed the connection, because
        // such a peer may disconnect at any time.
        if (!closed_ && !input_ended_ && !failure_) failure_ = to_error(exception);
        if (input_ended_) closed_ = true;
        transport_->close();
    }
    writing_ = false;
    any_deadline_.at = TimePoint::max();
    most_deadline_.at = TimePoint::max();
    writer_done_.notify();
    resume_pump();
}

void PeerConnection::resume_pump() noexcept {
    auto* const pump = extras_ != nullptr ? extras_->frame_pump() : nullptr;
    if (pump != nullptr) pump->read_on();
}

void PeerConnection::close(rpc::Outcome outcome) noexcept {
    if (closed_) return;
    closed_ = true;
    outcome_ = outcome;
    if (!writing_) transport_->write_now(outbox_);
    transport_->close();
    writer_done_.notify();
}

Task<> PeerConnection::wait_until_sent(TimePoint until) {
    while (writing_ && !closed_ && now() < until) co_await writer_done_.wait_until(time_, until);
}

void PeerConnection::on_alarm() noexcept {
    try {
        do_what_is_due();
    } catch (std::exception const& exception) {
        fail(exception);
    }
}

void PeerConnection::do_what_is_due() {
    auto const now = time_.now();
    if (is_overdue(any_deadline_, 1, now)) {
        cut_off(Errc::busy, "the peer does not read its input");
        return;
    }
    if (limits_ && is_overdue(most_deadline_, limits_->most, now)) {
        cut_off(Errc::busy, "the peer reads too slowly");
        return;
    }
    if (now >= resume_check_) {
        resume_check_ = TimePoint::max();
        writer_done_.notify();
        resume_pump();
    }
    peer_.on_time(now);
    check_idle(now);
    flush();
    if (owner_due_ > now || closed_) return;
    owner_due_ = TimePoint::max();
    events_.on_due();
}

void PeerConnection::wake_owner_at(TimePoint when) {
    owner_due_ = when;
    rearm();
}

void PeerConnection::rearm() {
    if (!closed_) {
        alarm_->set(std::min({peer_.next_deadline(), any_deadline_.at, most_deadline_.at,
                              idle_check_, resume_check_, owner_due_}));
    }
}

}  // namespace lanyard::runtime
