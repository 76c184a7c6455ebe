// ClientMachine: the client's side of Streamable HTTP and of HTTP+SSE (protocol revision
// 2024-11-05). Messages to send, HTTP responses and the time go in; HTTP calls to make and messages
// for the client's session come out. It does no I/O.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/backoff.hpp"
#include "http/client/call_runner.hpp"
#include "http/client/client_inbox.hpp"
#include "http/client/client_operation.hpp"
#include "http/client/mirrored_arguments.hpp"
#include "http/client/operation_table.hpp"
#include "http/client/outgoing_message.hpp"
#include "http/client/reconnect.hpp"
#include "http/client/remote_session.hpp"
#include "http/client/response_reader.hpp"
#include "http/message/url.hpp"
#include "jsonrpc/envelope.hpp"
#include "lanyard/clock.hpp"
#include "peer/id_counter.hpp"

namespace lanyard::http {

struct ClientMachineOptions {
    /// Whether the request line contains the whole URL, as a proxy requires.
    bool absolute_targets = false;
    std::string authorization;
    std::string headers;  ///< further header lines, each made by append_header()
    std::size_t max_event_bytes = std::size_t{16} * 1024 * 1024;
    std::size_t max_held = 1'000;
    /// When and how often a stream that has ended is opened again.
    RetryPolicy stream_retries;
    /// When and how often a request of which no byte was sent is retried.
    BackoffOptions request_retries = unsent_backoff();
    /// The maximum number of times that a request is sent again after a refusal with 503 and
    /// Retry-After.
    std::uint32_t max_refusal_retries = 3;
    Duration close_timeout = std::chrono::seconds(2);
    bool server_stream = true;
};

/// Not thread-safe.
class ClientMachine {
public:
    ClientMachine(Url url, ClientMachineOptions options, CallRunner& runner, ClientInbox& inbox,
                  Random& random);
    ~ClientMachine();

    /// Sends one message of the client's session.
    void send(std::string_view message, rpc::Route const& route, TimePoint now);

    // Events of an HTTP call. The last event of a call is on_done or on_lost.
    void on_head(CallId id, ResponseHead const& head, TimePoint now);
    void on_body(CallId id, std::string_view bytes, TimePoint now);
    void on_done(CallId id, TimePoint now);
    void on_lost(CallId id, CallLoss const& loss, TimePoint now);

    void on_time(TimePoint now);
    TimePoint next_deadline() const noexcept;

    /// Cancels all calls. If the server has given a session id, sends a DELETE to end that session.
    void close(TimePoint now);
    /// Cancels all calls without notifying the server.
    void abandon() noexcept;
    /// The number of notifications and answers that the server has not accepted yet.
    std::size_t unaccepted() const noexcept { return operations_.unaccepted(); }
    /// The total size of these notifications and answers in bytes.
    std::size_t unaccepted_bytes() const noexcept { return operations_.unaccepted_bytes(); }
    /// Whether no operation is pending.
    bool idle() const noexcept { return operations_.empty(); }

private:
    using Operation = ClientOperation;

    // Defined in client_machine.cpp: outgoing messages.
    std::unique_ptr<Operation> make(Operation::Kind kind);
    void post(OutgoingMessage message, std::string_view text, TimePoint now);
    void cancel(std::int64_t request, std::string_view message, TimePoint now);
    void release_held(TimePoint now);
    void start(Operation& operation, TimePoint now);
    void write_request(Operation const& operation, std::string& out) const;
    void start_later(Operation& operation, TimePoint when);
    void fail_requests(Operation& operation, Error const& error);
    void fail(Operation& operation, Error const& error, TimePoint now);
    void finish(Operation& operation, TimePoint now);

    // Defined in client_answers.cpp: responses.
    void take_events(Operation& operation, TimePoint now);
    static std::uint64_t origin_of(Operation const& operation) noexcept;
    std::optional<std::string> take_message(rpc::EnvelopeReader::Item const& item, Operation& from,
                                            TimePoint now);
    std::optional<std::int64_t> request_of(rpc::Malformed const& answer) const;
    bool take_unreadable(std::int64_t request, rpc::Malformed const& answer, Operation& from,
                         TimePoint now);
    void release_answered(Operation& owner, Operation const& from, TimePoint now);
    bool take_item(rpc::Envelope const& message, Operation& from, TimePoint now);
    bool take_answer(rpc::Envelope const& answer, Operation& owner);
    Error error_of(rpc::Envelope const& error) const;
    void settle(Operation& operation, TimePoint now);
    void follow(Operation& operation, TimePoint now);
    void settle_success(Operation& operation, TimePoint now);
    void take_json(Operation& operation, TimePoint now);
    void settle_refusal(Operation& operation, TimePoint now);
    static Error refusal(Operation const& operation);
    void stream_ended(Operation& operation, Error const& why, TimePoint now);
    void reopen(Operation& stream, Error const& why, TimePoint now);
    void settle_resumption(Operation& operation, TimePoint now);

    // Defined in client_sessions.cpp: sessions, and the streams that belong to them.
    void learn_session(rpc::Envelope const& answer, Operation& handshake);
    void on_initialized(TimePoint now);
    void settle_server_stream(Operation& operation, TimePoint now);
    static Error lost_with_session();
    void lose_session(Operation& operation, TimePoint now);
    void renew(TimePoint now);
    void end_renewal(Operation& handshake, std::optional<Error> failure, TimePoint now);
    bool may_be_events(Operation const& handshake);
    void fall_back(Operation& handshake, TimePoint now);
    void take_endpoint(Operation& stream, std::string_view reference, TimePoint now);
    void settle_endpoint_stream(Operation& operation, Error const& why, TimePoint now);
    void close_streams(Operation::Kind kind);

    Url url_;
    ClientMachineOptions options_;
    CallRunner& runner_;
    ClientInbox& inbox_;
    Random& random_;
    MirroredArguments tools_;
    rpc::EnvelopeReader reader_;
    OperationTable operations_;
    RemoteSession session_;
    bool closing_ = false;
};

}  // namespace lanyard::http
