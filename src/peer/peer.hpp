// The JSON-RPC engine of one duplex connection, used by both sides. It gets the text of each
// received message and the current time, and appends the messages to send to an outbox. It matches
// answers with requests, keeps the table of requests in progress, and handles cancellation,
// progress and batches. The owner of the engine carries out the requests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jsonrpc/envelope.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/salvage.hpp"
#include "lanyard/protocol/era.hpp"
#include "lanyard/rpc/frame.hpp"
#include "lanyard/rpc/outbox.hpp"
#include "peer/correlator.hpp"
#include "peer/frame_sink.hpp"
#include "peer/inbound_requests.hpp"

namespace lanyard::rpc {

/// How a request to the peer ended. `result` is valid only during on_answer().
struct Answer {
    Outcome outcome = Outcome::answered;
    std::optional<json::View> result;  ///< Set if the outcome is `answered`.
    std::optional<Error> error;        ///< Set unless the outcome is `answered`.
};

/// Receives the answer to a request. The sink must live until on_answer() has been called, which
/// happens exactly once.
class AnswerSink {
public:
    virtual ~AnswerSink() = default;
    virtual void on_answer(Answer const& answer) noexcept = 0;
    virtual void on_progress(ProgressUpdate const&) noexcept {}
};

/// The code that serves a request from the peer.
class InboundWork {
public:
    virtual ~InboundWork() = default;
    /// Called when the peer has cancelled the request or the connection is lost. No answer can be
    /// sent any more.
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

/// Identifies a request that the peer has sent.
using Ticket = InboundRequests<detail::Inbound>::Ticket;

/// The events that the owner of a Peer object receives. An envelope is valid only until the
/// function that receives it returns.
class PeerEvents {
public:
    virtual ~PeerEvents() = default;
    /// Called when the peer has sent a request. The owner must end the request with
    /// Peer::begin_result, Peer::fail or Peer::abandon, before or after this function returns.
    virtual void on_request(Envelope const& request, Ticket ticket) = 0;
    virtual void on_notification(Envelope const& notification) = 0;
    /// Called before a group of messages is processed; the argument is the number of messages.
    /// After the group, on_messages_taken() is called.
    virtual void on_messages(std::size_t) {}
    virtual void on_messages_taken() {}
    /// Called when the peer has broken a rule of the protocol. The connection stays open.
    virtual void on_violation(std::string_view) {}
    /// Called when the peer has sent a cancellation that has no effect: either there is no request
    /// in progress with its id, or the request is `initialize`, which cannot be cancelled.
    virtual void on_stray_cancellation(RequestId const&) {}
    /// Called, in addition to on_violation(), when the peer has answered a request that was never
    /// sent.
    virtual void on_unknown_answer(RequestId const&) {}
    /// Called when the peer has answered a request that had already ended, for example because it
    /// had timed out.
    virtual void on_late_answer() {}
    /// Called when 80, 90 or 96 percent of the ids for requests of this side are used (see
    /// IdNotice). The request that got the latest id is still being sent, so this function should
    /// not replace the connection.
    virtual void on_ids_used(IdNotice) {}
    /// Called when a request could not be sent because all ids are used.
    virtual void on_ids_used_up() {}
    /// Called when the transport has opened a new session because the server no longer has the old
    /// one. The state of the old session is lost.
    virtual void on_renewed() {}
    /// Called when the peer has half-closed the connection: it sends nothing more, but may still
    /// read. Returns whether there may still be messages to send. If so, the connection stays open
    /// until this side closes it or the peer disconnects.
    virtual bool on_input_ended() { return false; }
    /// Called when the connection ends because of an error. Nothing is closed yet, so the peer
    /// cannot see the end before this function returns. Called at most once, before on_closed().
    virtual void on_failure(Error const&) noexcept {}
    /// Called when the connection and all its requests have ended.
    virtual void on_closed() {}
    /// Called at the time that the owner has set with PeerConnection::wake_owner_at().
    virtual void on_due() {}
    /// Suspends the connection, as FrameSink::suspend() describes. Called only if no request of
    /// either side is in progress.
    virtual std::unique_ptr<Suspended> suspend() { return nullptr; }
};

struct PeerOptions {
    /// A reader that several peers of one executor share; it must outlive them. By default each
    /// peer has its own reader.
    EnvelopeReader* reader = nullptr;
    CorrelatorOptions requests;
    InboundOptions inbound;
    json::ParseOptions json;
    /// Whether unreadable input is answered with an error even if it is not recognized as a request
    /// with an id. Must be false for a client: such input could be an error response of the server.
    /// If both sides answered unreadable error responses with errors, they would exchange errors
    /// for ever.
    bool answers_unreadable = true;
    /// Whether to set the optional members of Route (method, id, name, version), which an HTTP
    /// transport would otherwise have to parse from the message.
    bool detailed_routes = false;
};

/// Not thread-safe: used on one executor only. Messages to send are appended to the outbox.
///
/// An `origin` is a number by which the transport recognizes where to send the answer to a message,
/// for example the HTTP request (POST) that contained the message. It is 0 if the transport needs
/// no such number, because it sends all messages on one stream.
class Peer {
public:
    Peer(PeerEvents& events, Outbox& outbox, PeerOptions const& options = {});
    ~Peer();
    Peer(Peer const&) = delete;
    Peer& operator=(Peer const&) = delete;

    /// Takes over from the Peer object of a previous connection, which has ended: ids keep
    /// increasing, and late answers to requests that `former` sent are recognised. Must be called
    /// before anything is sent.
    void resume(Peer& former) {
        if (former.correlator_) correlator().resume(*former.correlator_);
    }

    /// Sets the protocol version. It determines whether batches are accepted, which fields progress
    /// notifications have, and which id is sent in an error response if the id of the request is
    /// unknown.
    void set_version(Version version) noexcept {
        version_ = version;
        read_options_.batches = version == Version::v2025_03_26;
    }
    Version version() const noexcept { return version_; }
    /// Whether to send responses at all. In protocol revision 2026-07-28, a client must not send
    /// any, not even an error for input that it cannot read.
    void set_answering(bool on) noexcept { answering_ = on; }

    /// Processes one message from the peer. If the message is a request, the answer and all other
    /// messages that belong to the request are sent with the same `origin`.
    void on_message(std::string_view text, TimePoint now, std::uint64_t origin = 0);
    /// The reader that parses the messages.
    EnvelopeReader& reader() noexcept { return reader_; }
    /// Processes a message that has already been parsed and is not a batch.
    void on_envelope(Envelope const& message, TimePoint now, std::uint64_t origin = 0) {
        take(message, {nullptr, origin}, now);
    }
    /// Processes a frame of the kind `too_long` or `no_room`: refuses the message that was dropped.
    void on_dropped(Frame const& dropped, TimePoint now);
    /// Ends requests that have timed out and sends progress that has become due.
    void on_time(TimePoint now);
    TimePoint next_deadline() const noexcept;
    /// To be called when the peer sends nothing more: fails all requests to the peer, because no
    /// answer can arrive.
    void on_input_ended(TimePoint now);
    /// To be called when the connection is lost or being closed: ends all requests of both sides.
    /// `outcome` must be connection_lost or shutdown.
    void on_closed(Outcome outcome, TimePoint now);

    /// Sends a request. If `origin` is not 0, the new request belongs to the peer's request with
    /// that origin; otherwise the new request is independent. If the request cannot be sent,
    /// returns an error without calling the sink.
    Result<std::int64_t> request(std::string_view method, std::string_view params, AnswerSink& sink,
                                 TimePoint now, RequestSettings const& call = {},
                                 std::uint64_t origin = 0);
    /// Requests made between begin_batch() and end_batch() are sent as one batch. Only protocol
    /// revision 2025-03-26 has batches.
    void begin_batch() noexcept { batching_ = true; }
    void end_batch();
    /// Cancels a request: its sink gets Outcome::cancelled and the peer is notified. Returns false
    /// if the request has already ended.
    bool cancel(std::int64_t id, std::string_view reason, TimePoint now);
    /// Cancels all requests to the peer, as cancel() does.
    void cancel_all(std::string_view reason, TimePoint now);
    /// Fails a request because the carrier could not get an answer to it. Returns false if the
    /// request has already ended.
    bool fail_request(std::int64_t id, Error const& error, TimePoint now);
    void notify(std::string_view method, std::string_view params, std::uint64_t origin = 0);

    /// To be called in on_request(). The current request is then not added to the table of requests
    /// until settle_taken() is called or another message is processed. Until one of these happens,
    /// the text of the message must stay valid. A request that ends earlier is never added, which
    /// saves time.
    void hold_taken() noexcept { holds_taken_ = true; }
    /// The origin (see the class comment) of the request that was received last, for use in
    /// on_request().
    std::uint64_t taken_origin() const noexcept { return taken_.origin; }
    /// Adds the request that was received last to the table of requests. Does nothing if the
    /// request has ended or is already in the table.
    void settle_taken() {
        if (inbound_.is_unnamed(taken_.ticket)) name_taken();
        taken_.ticket = Ticket();
    }

    /// Sets the InboundWork object that is notified when the request is cancelled. Returns false if
    /// the request has already been cancelled.
    bool attach(Ticket ticket, InboundWork& work);
    bool active(Ticket ticket) const noexcept { return inbound_.active(ticket); }
    /// The origin (see the class comment) of the request; 0 if the request has ended.
    std::uint64_t origin(Ticket ticket) const noexcept {
        auto const* const inbound = inbound_.work(ticket);
        return inbound != nullptr ? inbound->origin : 0;
    }
    /// Begins the answer: append the result (a JSON object on one line), then call end_result().
    /// Returns null if no answer may be sent; then end_result() must not be called.
    std::string* begin_result(Ticket ticket);
    void end_result();
    void fail(Ticket ticket, ErrorText const& error);
    /// Ends the request without an answer.
    void abandon(Ticket ticket);
    /// Reports progress of a request, if the peer has asked for it.
    void progress(Ticket ticket, ProgressUpdate update, TimePoint now);

    std::size_t pending_count() const noexcept {
        return correlator_ ? correlator_->pending_count() : 0;
    }
    std::vector<PendingRequest> pending() const {
        return correlator_ ? correlator_->pending() : std::vector<PendingRequest>();
    }
    std::size_t in_flight() const noexcept { return inbound_.in_flight(); }
    /// True if neither side has a request in progress and no late answer can arrive.
    bool is_idle() const noexcept {
        return in_flight() == 0 && pending_count() == 0 &&
               (!correlator_ || correlator_->tombstones().size() == 0);
    }
    /// The id of the next request to be sent. When the connection is suspended and later resumed,
    /// the new Peer continues with this id (CorrelatorOptions::first_id).
    std::int64_t next_id() const noexcept {
        return correlator_ ? correlator_->next_id() : request_options_.first_id;
    }
    /// The number of ended requests whose ids were forgotten early, because too many ids were
    /// stored (see CorrelatorOptions::max_tombstones). Late answers to these requests are not
    /// recognized.
    std::uint64_t evicted() const noexcept {
        return correlator_ ? correlator_->tombstones().evicted() : 0;
    }
    /// Whether there are ids left for new requests.
    bool has_ids() const noexcept { return next_id() <= request_options_.last_id; }
    CorrelatorCounters request_counters() const noexcept {
        return correlator_ ? correlator_->counters() : CorrelatorCounters();
    }
    InboundCounters const& inbound_counters() const noexcept { return inbound_.counters(); }
    /// The number of messages from the peer that were refused.
    std::uint64_t refused() const noexcept { return refused_; }
    /// The number of refused messages that were not JSON.
    std::uint64_t not_json() const noexcept { return not_json_; }

private:
    // The destination of an answer: either the batch that collects it, or the origin of the
    // request.
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
    /// Returns the id to write into the answer to a request that has just finished.
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
    /// Ends the request and stores the destination of its answer in `to`. The result says whether
    /// an answer may be sent. Does nothing if the request has already ended.
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
    bool detailed_routes_;
    bool batching_ = false;
    bool input_ended_ = false;
    std::uint64_t refused_ = 0;
    std::uint64_t not_json_ = 0;
    void write_request(std::int64_t id, std::string_view method, std::string_view params,
                       RequestSettings const& call, std::uint64_t origin);

    std::string request_batch_;                   // requests separated by commas
    std::unique_ptr<EnvelopeReader> own_reader_;  // null if the reader is shared
    EnvelopeReader& reader_;
    CorrelatorOptions request_options_;
    // Created when the first request is sent.
    std::unique_ptr<Correlator<detail::Waiting>> correlator_;
    InboundRequests<detail::Inbound> inbound_;
    std::vector<std::unique_ptr<detail::BatchReply>> batches_;
    // Requests with a progress update that is held back.
    HeldProgress<Ticket> held_progress_;
    // The destination of the answer that end_result() completes.
    ReplyTo open_result_;
    // The request that was received last. Its `ticket` is set, and its views are valid, until
    // settle_taken() is called.
    struct Taken {
        Ticket ticket;
        std::optional<json::View> id;
        std::optional<json::View> meta;
        std::uint64_t origin = 0;
    } taken_;
    bool holds_taken_ = false;
};

}  // namespace lanyard::rpc
