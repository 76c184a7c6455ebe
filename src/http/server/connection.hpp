// Connection: the server's side of one connection with HTTP/1.1, or 1.0 from a proxy. Reads
// requests, has them checked by the gate and the verifier, passes admitted requests to the handler,
// and implements Reply for them. It does no I/O: bytes and time in, bytes out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <lanyard/time_source.hpp>

#include "auth/instant_verifier.hpp"
#include "http/server/loop_member.hpp"
#include "http/server/principal_counts.hpp"
#include "http/server/request_handler.hpp"

namespace lanyard::http {

struct ConnectionLimits {
    RequestLimits request{};
    /// The time limits for receiving a head and a body. A body gets one more second per 16 KiB
    /// received.
    Duration head_timeout = std::chrono::seconds(30);
    Duration body_timeout = std::chrono::seconds(30);
    /// How long a connection may wait for the next request.
    Duration idle_expiry = std::chrono::seconds(75);
    /// How long a client may read nothing while output waits for it.
    Duration write_timeout = std::chrono::seconds(30);
    /// A stream that sends nothing else sends a comment this often; zero: never.
    Duration keepalive_interval = std::chrono::seconds(15);
    /// How long remaining input is received and discarded before a connection is closed; otherwise
    /// the client could lose the response.
    Duration linger = std::chrono::seconds(2);
    /// Limits for unsent output: above soft_unsent, Reply::behind() is true; above hard_unsent, the
    /// connection is cut.
    std::size_t soft_unsent = std::size_t{1} * 1024 * 1024;
    std::size_t hard_unsent = std::size_t{8} * 1024 * 1024;
    /// The maximum number of replies that one principal may have under way; zero: any number.
    std::size_t max_requests_per_principal = 1'000;
    /// The maximum memory for the bodies of all connections together.
    std::size_t max_body_total = std::size_t{256} * 1024 * 1024;
};

/// Shared by the connections of one executor.
struct ConnectionShared {
    AdmissionGate const& gate;
    RequestHandler& handler;
    Verifier* verifier;  ///< null: every caller is accepted
    auth::InstantVerifier* instant_verifier = dynamic_cast<auth::InstantVerifier*>(verifier);
    TimeSource& time;
    ConnectionLimits limits{};
    PrincipalCounts principals{};
    HttpDate date{};
    ReplyBeginner replies{};
    std::size_t pending = 0;           ///< replies under way
    std::size_t body_bytes = 0;        ///< memory of bodies, except small ones
    std::uint64_t bodies_refused = 0;  ///< because max_body_total was reached
    bool stopping = false;             ///< every response closes its connection

    std::string_view date_text(TimePoint now) noexcept { return date.at(now, time); }
};

/// The functions that a connection needs from the object that moves its bytes. The connection calls
/// these functions from within its own functions, so they must only record the event and act on it
/// later. on_reply() is an exception: it may act at once.
class ConnectionHost {
public:
    /// A reply was written or has ended while the connection was not processing input: send the
    /// output.
    virtual void on_reply() noexcept = 0;
    /// The connection has failed: call lost() soon.
    virtual void on_broken() noexcept = 0;
    /// The verifier needs time: ask it, and call on_verdict() with its decision. The credentials
    /// stay valid until then.
    virtual void ask_verifier(Credentials const& credentials) = 0;

protected:
    ~ConnectionHost() = default;
};

class Connection final : public Reply {
public:
    /// The maximum amount of input kept while a reply is under way. When it is reached, the shell
    /// should read nothing more.
    static constexpr std::size_t max_backlog = std::size_t{64} * 1024;

    /// `certificate` is the subject of the client's certificate, if TLS has verified one.
    Connection(ConnectionShared& shared, ConnectionHost& shell, std::string peer,
               std::string certificate = {});
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;
    ~Connection();

    // Events of the connection.

    /// Processes received bytes.
    void receive(std::string_view bytes, TimePoint now);
    /// Continues with the input that was kept, if can_resume().
    bool can_resume() const noexcept;
    void resume(TimePoint now);
    /// The client has half-closed the connection. If a reply is under way, this counts as a lost
    /// connection, because a client cancels a request by closing its connection.
    void end_of_input() noexcept;
    /// The connection is closed.
    void lost() noexcept;
    /// This many bytes of output() were sent.
    void sent(std::size_t bytes, TimePoint now) noexcept;
    void on_verdict(Verification const& verdict, TimePoint now);
    /// Reads no further request: the connection ends after the reply under way.
    void stop() noexcept;
    /// Between begin_turn() and end_turn() the shell sends the replies, not the connection; the
    /// time does not advance, and the body of an unanswered request stays in place.
    void begin_turn() noexcept { holds_ = true; }
    void end_turn() {
        holds_ = false;
        if (stage_ == Stage::replying) on_unanswered();
    }

    /// The result of tick(), which is called about once a second.
    enum class Due : std::uint8_t {
        nothing,
        output,  ///< there is something to send
        cut,     ///< the client has exceeded a time limit: close the connection
    };
    Due tick(TimePoint now);

    // The work that the shell has to do.

    std::string_view output() const noexcept { return std::string_view(out_).substr(sent_); }
    bool wants_input() const noexcept;
    /// Whether no further output will be produced.
    bool ending() const noexcept { return stage_ == Stage::ending || stage_ == Stage::dead; }
    bool replying() const noexcept { return stage_ == Stage::replying; }
    /// Whether HTTP has ended. Once the output is sent, the shell must hand over the connection
    /// together with the unread input.
    bool upgraded() const noexcept { return stage_ == Stage::upgraded; }
    std::unique_ptr<Upgrade> take_upgrade(std::string& unread) noexcept;
    /// Whether the connection is between two requests; if so, since() is the time when it became
    /// idle.
    bool idle() const noexcept {
        return stage_ == Stage::reading && phase_ == Phase::idle && out_.empty();
    }
    TimePoint since() const noexcept { return since_; }
    /// Frees memory if the connection is idle.
    void release() noexcept;

    std::string const& peer() const noexcept { return peer_; }
    void set_certificate(std::string subject) { certificate_ = std::move(subject); }
    /// Memory held, not counting the object itself.
    std::size_t capacity() const noexcept;

    // Reply
    void watch(ReplyWatcher* watcher) noexcept override { watcher_ = watcher; }
    bool keeps_request() const noexcept override { return holds_; }
    std::string& begin_full(ReplyHead const& head) override;
    void end_full() override;
    void begin_stream(ReplyHead const& head) override;
    std::string& begin_chunk() override;
    void end_chunk() override;
    void flush() override;
    void finish() override;
    std::size_t unsent() const noexcept override { return out_.size() - sent_; }
    bool behind() const noexcept override { return behind_; }
    bool open() const noexcept override { return !broken_; }
    void upgrade(std::unique_ptr<Upgrade> upgrade) override;
    void cut() noexcept override;

private:
    enum class Stage : std::uint8_t {
        reading,
        verifying,  // the head is complete, and the verifier is checking the credentials
        replying,
        ending,    // sends the remaining output
        upgraded,  // sends the remaining output; HTTP has ended
        dead,
    };
    enum class Phase : std::uint8_t { idle, head, body };

    void run();
    void park();
    void on_head();
    void on_admitted();
    void apply(Verification const& verdict);
    void accept_body();
    void take_body(std::string_view piece);
    bool has_room_for_body(std::uint64_t bytes) const noexcept;
    void refuse_body();
    void release_body() noexcept;
    void count_body() noexcept;
    void on_done();
    void dispatch();
    void reject(Rejection rejection, std::string_view more = {});
    void refuse_caller(Verification const& verdict);
    void set_phase(Phase phase) noexcept;
    void end_reply_now();
    void leave_request() noexcept;
    void give_up() noexcept;
    void on_unanswered();
    bool send_keepalive();
    void begin_output() noexcept;
    /// Whether the shell will send the output soon in any case.
    bool is_held() const noexcept { return running_ || holds_; }
    TimePoint present() const noexcept { return is_held() ? now_ : shared_.time.now(); }
    ReplyHead complete(ReplyHead head) noexcept;
    /// Whether streams are sent in chunks. If not (HTTP/1.0), a stream ends when the connection
    /// ends.
    bool chunked() const noexcept { return !reader_.head().old; }

    ConnectionShared& shared_;
    ConnectionHost& host_;
    RequestReader reader_;
    std::string peer_;
    std::string certificate_;
    std::string known_host_;  // the Host that was admitted last
    Admission admission_;
    std::uint64_t admitted_ = 0;  // the edition of the head for which admission_ was made
    std::shared_ptr<Principal const> principal_;
    PrincipalCounts::Slot slot_;
    std::shared_ptr<void> attachment_;
    std::string body_;
    std::string backlog_;  // input received while it could not be processed
    std::string out_;
    std::size_t sent_ = 0;        // bytes of out_ that were sent
    std::size_t mark_ = 0;        // offset in out_ of the body or the chunk being written
    std::uint64_t received_ = 0;  // bytes received of the current body
    std::size_t counted_ = 0;     // the part of site_.body_bytes that counts the memory of body_
    ReplyWatcher* watcher_ = nullptr;
    std::unique_ptr<Upgrade> upgrade_;
    TimePoint since_;     // when the phase or the reply began
    TimePoint progress_;  // when the client last read something, or the output was empty
    TimePoint now_;
    Stage stage_ = Stage::reading;
    Phase phase_ = Phase::head;
    bool running_ = false;     // inside run()
    bool holds_ = false;       // between begin_turn() and end_turn()
    bool streaming_ = false;   // the reply is a stream
    bool discarding_ = false;  // the request was answered before its body arrived
    bool keep_alive_ = true;
    bool behind_ = false;
    bool broken_ = false;
};

}  // namespace lanyard::http
