// The JSON-RPC engine of one duplex connection, used by both sides: texts and time in, texts out.
// It matches answers with requests, keeps the table of requests being worked on, and handles
// cancellation, progress and batches; what the methods mean is its owner's business.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/protocol/era.hpp"
#include "lanyard/rpc/frame.hpp"
#include "lanyard/rpc/outbox.hpp"
#include "rpc/correlator.hpp"
#include "rpc/envelope.hpp"
#include "rpc/inbound_requests.hpp"
#include "rpc/message_writer.hpp"
#include "rpc/salvage.hpp"

namespace lanyard::rpc {

/// How a request of this side ended. The view is valid only while the answer is being handed over.
struct Answer {
    Outcome outcome = Outcome::answered;
    std::optional<json::View> result;  ///< set where the outcome is answered
    std::optional<Error> error;        ///< set for every other outcome
};

/// Who waits for the answer to a request. It must live until on_answer was called, which happens
/// exactly once.
class AnswerSink {
public:
    virtual ~AnswerSink() = default;
    virtual void on_answer(Answer const& answer) noexcept = 0;
    virtual void on_progress(ProgressUpdate const&) noexcept {}
};

/// What is done for a request of the peer.
class InboundWork {
public:
    virtual ~InboundWork() = default;
    /// The peer cancelled, or the connection is gone: nothing will be sent any more.
    virtual void on_cancel(std::string_view reason) noexcept = 0;
};

namespace detail {

struct BatchReply;

struct Inbound {
    InboundWork* work = nullptr;
    BatchReply* batch = nullptr;
    std::uint64_t origin = 0;
};

struct Waiting {
    AnswerSink* sink = nullptr;
    std::uint64_t origin = 0;
};

}  // namespace detail

/// Names one request of the peer.
using Ticket = InboundRequests<detail::Inbound>::Ticket;

/// What the owner of a peer is told. The envelopes are valid only during the call.
class PeerEvents {
public:
    virtual ~PeerEvents() = default;
    /// A request to be answered with Peer::begin_result or Peer::fail, now or later.
    virtual void on_request(Envelope const& request, Ticket ticket) = 0;
    virtual void on_notification(Envelope const& notification) = 0;
    /// So many messages have come together and are taken now, one by one; and then all are taken.
    virtual void on_messages(std::size_t) {}
    virtual void on_messages_taken() {}
    /// The peer broke a rule; the connection goes on.
    virtual void on_violation(std::string_view) {}
    /// The peer cancelled something that is not a request of its own in progress.
    virtual void on_stray_cancellation(RequestId const&) {}
    /// The peer answered a request that was never sent. It broke a rule, too.
    virtual void on_unknown_answer(RequestId const&) {}
    /// The carrier has opened a new session: what the old one knew is gone.
    virtual void on_renewed() {}
    /// The peer sends no more, though it may still read. True where there may be something to send
    /// to it: the connection then goes on until it is closed or the peer hangs up.
    virtual bool on_input_ended() { return false; }
    /// The connection ends because of this error. Nothing is closed yet, so that the peer cannot
    /// see the end before this call returns. Called at most once, before on_closed().
    virtual void on_failure(Error const&) noexcept {}
    /// The connection has ended and so has every request; it is about to be released.
    virtual void on_closed() {}
    /// The time has come that the owner wanted to be woken at.
    virtual void on_due() {}
    /// As FrameSink::rest(); no request of either side is under way.
    virtual std::unique_ptr<Rested> rest() { return nullptr; }
};

struct PeerOptions {
    /// Where several peers of one executor share a reader; it must outlive them.
    EnvelopeReader* reader = nullptr;
    CorrelatorOptions requests;
    InboundOptions inbound;
    json::ParseOptions json;
    /// Whether input that names no method is answered with an error. A client never does: it could
    /// be an answer, and two peers would send each other errors for ever.
    bool answers_unreadable = true;
};

/// Not thread-safe: one executor owns it. Messages to send are collected in the outbox.
class Peer {
public:
    Peer(PeerEvents& events, Outbox& outbox, PeerOptions const& options = {});
    ~Peer();
    Peer(Peer const&) = delete;
    Peer& operator=(Peer const&) = delete;

    /// Carries on for a connection that has ended: its ids run on, and answers to what it had sent
    /// are recognised as late. To be called before anything is sent.
    void resume(Peer& former) {
        if (former.correlator_) correlator().resume(*former.correlator_);
    }

    /// Decides about batches, the id of an error without one, and the fields of progress.
    void set_version(Version version) noexcept {
        version_ = version;
        read_options_.batches = version == Version::v2025_03_26;
    }
    Version version() const noexcept { return version_; }
    /// Whether this side sends responses at all: a client of 2026-07-28 must not, not even to what
    /// it cannot read.
    void set_answering(bool on) noexcept { answering_ = on; }

    /// Takes one message of the peer. Everything that belongs to a request goes out with the origin
    /// it came with.
    void on_message(std::string_view text, TimePoint now, std::uint64_t origin = 0);
    /// What reads the messages.
    EnvelopeReader& reader() noexcept { return reader_; }
    /// The same for a message that has been read already; not a batch.
    void on_envelope(Envelope const& message, TimePoint now, std::uint64_t origin = 0) {
        take(message, {nullptr, origin}, now);
    }
    /// A message was dropped because it exceeds the limit; what is known of it, if anything.
    void on_too_long(std::string_view why, TimePoint now, Remains const* remains = nullptr,
                     std::uint64_t origin = 0);
    /// Ends what has run out of time and sends what has become due.
    void on_time(TimePoint now);
    TimePoint next_deadline() const noexcept;
    /// The peer sends no more: requests of this side end, since nobody can answer them.
    void on_input_ended(TimePoint now);
    /// The connection is gone or being closed: every request of either side ends. The outcome is
    /// connection_lost or shutdown.
    void on_closed(Outcome outcome, TimePoint now);

    /// Sends a request, on its own or (with an origin) for the sake of a request of the peer. Fails
    /// without a call of the sink where it cannot be sent.
    Result<std::int64_t> request(std::string_view method, std::string_view params, AnswerSink& sink,
                                 TimePoint now, CallOptions const& call = {},
                                 std::uint64_t origin = 0);
    /// What is requested from here to end_batch() goes out as one batch (2025-03-26).
    void begin_batch() noexcept { batching_ = true; }
    void end_batch();
    /// Gives a request up: its sink gets Outcome::cancelled and the peer is told. False where it
    /// has ended before.
    bool cancel(std::int64_t id, std::string_view reason, TimePoint now);
    /// Gives all requests up in this way.
    void cancel_all(std::string_view reason, TimePoint now);
    /// The carrier could not get an answer to this request. False where it has ended before.
    bool fail_request(std::int64_t id, Error const& error, TimePoint now);
    void notify(std::string_view method, std::string_view params, std::uint64_t origin = 0);

    /// For on_request(): the message lasts until settle_taken() is called, or another message is
    /// taken. A request that has ended by then is never entered into the table of requests.
    void hold_taken() noexcept { holds_taken_ = true; }
    /// The origin of the message, for on_request().
    std::uint64_t taken_origin() const noexcept { return taken_.origin; }
    /// Makes the request that was taken last known by its id, unless it has ended.
    void settle_taken() {
        if (inbound_.is_unnamed(taken_.ticket)) name_taken();
        taken_.ticket = Ticket();
    }

    /// Sets who is told when the request is cancelled. False where that has happened already.
    bool attach(Ticket ticket, InboundWork& work);
    bool active(Ticket ticket) const noexcept { return inbound_.active(ticket); }
    /// What the request came by; 0 where it has ended.
    std::uint64_t origin(Ticket ticket) const noexcept {
        auto const* const inbound = inbound_.work(ticket);
        return inbound != nullptr ? inbound->origin : 0;
    }
    /// Begins the answer: append the result (a JSON object on one line), then end_result(). Null
    /// where there must be no answer; then there is nothing to end.
    std::string* begin_result(Ticket ticket);
    void end_result();
    void fail(Ticket ticket, ErrorText const& error);
    /// Ends the request without an answer.
    void abandon(Ticket ticket);
    /// Reports progress of a request, if the peer wants to know.
    void progress(Ticket ticket, ProgressUpdate update, TimePoint now);

    std::size_t pending_count() const noexcept {
        return correlator_ ? correlator_->pending_count() : 0;
    }
    std::vector<PendingRequest> pending() const {
        return correlator_ ? correlator_->pending() : std::vector<PendingRequest>();
    }
    std::size_t in_flight() const noexcept { return inbound_.in_flight(); }
    /// Whether no request is under way, and no answer can come late.
    bool at_rest() const noexcept {
        return in_flight() == 0 && pending_count() == 0 &&
               (!correlator_ || correlator_->tombstones().size() == 0);
    }
    /// The id of the request that is sent next (CorrelatorOptions::first_id).
    std::int64_t next_id() const noexcept {
        return correlator_ ? correlator_->next_id() : request_options_.first_id;
    }
    CorrelatorCounters request_counters() const noexcept {
        return correlator_ ? correlator_->counters() : CorrelatorCounters();
    }
    InboundCounters const& inbound_counters() const noexcept { return inbound_.counters(); }
    /// How many texts of the peer could not be taken as messages, and how many of them are not even
    /// JSON.
    std::uint64_t refused() const noexcept { return refused_; }
    std::uint64_t not_json() const noexcept { return not_json_; }

private:
    // Where an answer goes: into a batch, or out by the origin of its request.
    struct ReplyTo {
        detail::BatchReply* batch = nullptr;
        std::uint64_t origin = 0;
    };

    Correlator<detail::Waiting>& correlator();
    void take(EnvelopeReader::Item const& item, ReplyTo to, TimePoint now);
    void take(Envelope const& message, ReplyTo to, TimePoint now);
    void take_request(Envelope const& request, ReplyTo to);
    Result<Ticket> begin_inbound(Envelope const& request, ReplyTo to);
    void name_taken();
    void refuse_request(Envelope const& request, ReplyTo to, Error const& error);
    /// The id that an answer names.
    IdRef id_of(Ticket ticket, InboundTable::Finish const& finish) const noexcept;
    void take_answer(Envelope const& answer, TimePoint now);
    void take_cancelled(Envelope const& notification);
    void take_progress(Envelope const& notification, TimePoint now);
    void refuse(Malformed const& malformed, ReplyTo to, TimePoint now);
    bool fail_unreadable(Malformed const& answer, TimePoint now);
    bool may_answer(Malformed const& malformed) const noexcept;
    void end_request(Correlator<detail::Waiting>::Ended const& ended, std::string_view reason);
    void end_requests(Outcome outcome, TimePoint now);
    void send_progress(ProgressToken const& token, ProgressUpdate const& update,
                       std::uint64_t origin);
    /// Also tells where the answer goes, if there is to be one.
    InboundTable::Finish end_inbound(Ticket ticket, ReplyTo& to);
    std::string& begin_message(ReplyTo to);
    void end_answer(ReplyTo to);
    void end_unanswered(ReplyTo to);
    detail::BatchReply* open_batch(std::uint64_t origin);
    void settle(detail::BatchReply* batch);

    PeerEvents& events_;
    Outbox& outbox_;
    ReadOptions read_options_;
    Version version_ = Version::v2025_11_25;
    bool answering_ = true;
    bool answers_unreadable_;
    bool batching_ = false;
    bool input_ended_ = false;
    std::uint64_t refused_ = 0;
    std::uint64_t not_json_ = 0;
    std::string request_batch_;                   // requests separated by commas
    std::unique_ptr<EnvelopeReader> own_reader_;  // where there is none to share
    EnvelopeReader& reader_;
    CorrelatorOptions request_options_;
    std::unique_ptr<Correlator<detail::Waiting>> correlator_;  // there once anything was asked
    InboundRequests<detail::Inbound> inbound_;
    std::vector<std::unique_ptr<detail::BatchReply>> batches_;
    std::vector<Ticket> held_progress_;  // requests with an update that is not due yet
    ReplyTo open_result_;                // where the answer begun last goes
    // The request that was taken last, until settle_taken(); the views are valid as long.
    struct Taken {
        Ticket ticket;
        std::optional<json::View> id;
        std::optional<json::View> meta;
        std::uint64_t origin = 0;
    } taken_;
    bool holds_taken_ = false;
};

}  // namespace lanyard::rpc
