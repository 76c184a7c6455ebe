// Connection: the server's side of one HTTP/1.1 connection (HTTP/1.0 is accepted for proxies).
// Reads requests, has them checked by the gate and the verifier, passes admitted requests to the
// handler, and implements Reply for them. It does no I/O: the caller passes in bytes and the time,
// and sends the output.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "auth/instant_verifier.hpp"
#include "base/byte_budget.hpp"
#include "http/server/listener_totals.hpp"
#include "http/server/loop_member.hpp"
#include "http/server/request_handler.hpp"
#include "lanyard/time_source.hpp"

namespace lanyard::http {

struct ConnectionLimits {
    RequestLimits request{};
    /// The time limit for receiving a head.
    Duration head_timeout = std::chrono::seconds(30);
    /// The time limit for receiving a body. It is extended by one second per 16 KiB received.
    Duration body_timeout = std::chrono::seconds(30);
    /// How long a connection may wait for the next request.
    Duration idle_expiry = std::chrono::seconds(75);
    /// How long a client may read nothing while output for this client is waiting.
    Duration write_timeout = std::chrono::seconds(30);
    /// A stream that has sent nothing for this long sends a comment. Zero: it sends no comments.
    Duration keepalive_interval = std::chrono::seconds(15);
    /// How long the server receives and discards input after its last response, before it closes
    /// the connection. Closing with unread input could make the client lose the response.
    Duration linger = std::chrono::seconds(2);
    /// Above this number of unsent bytes of output, Reply::behind() is true.
    std::size_t soft_unsent = std::size_t{1} * 1024 * 1024;
    /// Above this number of unsent bytes of output, the connection is closed.
    std::size_t hard_unsent = std::size_t{8} * 1024 * 1024;
    /// The maximum number of requests that are served at the same time for one principal. Zero: no
    /// limit.
    std::size_t max_requests_per_principal = 1'000;
};

/// The objects, limits and counters that all connections of one executor share.
struct ConnectionShared {
    AdmissionGate const& gate;
    RequestHandler& handler;
    Verifier* verifier;  ///< null if every caller is accepted
    auth::InstantVerifier* instant_verifier = dynamic_cast<auth::InstantVerifier*>(verifier);
    TimeSource& time;
    ListenerTotals& totals;
    std::size_t loop = 0;  ///< the number of the executor among those of the listener
    ConnectionLimits limits{};
    HttpDate date{};
    ReplyBeginner replies{};
    std::size_t pending = 0;  ///< number of requests that are being served

    /// Whether the server is stopping. If so, each response closes its connection.
    bool stopping() const noexcept { return handler.stopping(); }
    std::string_view date_text(TimePoint now) noexcept { return date.at(now, time); }
};

/// The object that moves the bytes of a connection: receives input, sends output, closes the
/// socket. The connection calls these functions from within its own functions. Therefore an
/// implementation of these functions must not call the connection. Only on_reply() may do so, to
/// send the output at once.
class ConnectionHost {
public:
    /// Called when a reply was written or has ended: the host must send the output. Not called
    /// while receive() or resume() runs, nor between begin_turn() and end_turn(), because the host
    /// sends the output afterwards.
    virtual void on_reply() noexcept = 0;
    /// Called when the connection has failed: the host must call lost() soon.
    virtual void on_broken() noexcept = 0;
    /// Called when the verifier cannot decide at once: the host must call Verifier::verify(), and
    /// pass the result to on_verification(). The credentials stay valid until then.
    virtual void ask_verifier(Credentials const& credentials) = 0;

protected:
    ~ConnectionHost() = default;
};

class Connection final : public Reply {
public:
    /// The maximum number of bytes that are received and kept while a reply is pending. When the
    /// limit is reached, wants_input() is false.
    static constexpr std::size_t max_backlog = std::size_t{64} * 1024;

    /// `certificate` is the subject of the client's certificate, if TLS has verified one.
    Connection(ConnectionShared& shared, ConnectionHost& shell, std::string peer,
               std::string certificate = {});
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;
    ~Connection();

    // Events that the host (see ConnectionHost) reports.

    /// Processes received bytes.
    void receive(std::string_view bytes, TimePoint now);
    /// Stores input that another connection has received, for resume(). Must be called first.
    void store(std::string input) noexcept { backlog_ = std::move(input); }
    bool has_stored() const noexcept { return !backlog_.empty(); }
    /// Whether there is stored input that can be processed now.
    bool can_resume() const noexcept;
    /// Processes the stored input, if can_resume() is true.
    void resume(TimePoint now);
    /// The client has half-closed the connection. If a reply is pending, the connection counts as
    /// lost, because a client cancels a request by closing its connection.
    void end_of_input() noexcept;
    /// The connection is closed.
    void lost() noexcept;
    /// This many bytes of output() were sent.
    void sent(std::size_t bytes, TimePoint now) noexcept;
    void on_verification(Verification const& verification, TimePoint now);
    /// Reads no further request. A request that is being served is still answered.
    void stop() noexcept;
    /// The connection does not call on_reply() between begin_turn() and end_turn(), because the
    /// host sends the output afterwards. Until end_turn(), the connection's time does not advance,
    /// and the body of an unanswered request stays valid.
    void begin_turn() noexcept { holds_ = true; }
    void end_turn() {
        holds_ = false;
        if (stage_ == Stage::replying) on_unanswered();
    }

    /// The result of tick(), which is called about once a second.
    enum class Due : std::uint8_t {
        nothing,
        output,  ///< there is output to send
        cut,     ///< the client has exceeded a time limit: close the connection
    };
    Due tick(TimePoint now);

    // The state that determines what the host must do.

    std::string_view output() const noexcept { return std::string_view(out_).substr(sent_); }
    bool wants_input() const noexcept;
    /// Whether no further output will be produced.
    bool ending() const noexcept { return stage_ == Stage::ending || stage_ == Stage::dead; }
    bool replying() const noexcept { return stage_ == Stage::replying; }
    /// Whether the connection has switched to another protocol. Once the output is sent, the host
    /// must call take_upgrade(), which also returns the unread input, and pass the socket to the
    /// returned Upgrade.
    bool upgraded() const noexcept { return stage_ == Stage::upgraded; }
    std::unique_ptr<Upgrade> take_upgrade(std::string& unread) noexcept;
    /// Whether the connection is between two requests; if so, since() is the time when it became
    /// idle.
    bool idle() const noexcept {
        return stage_ == Stage::reading && phase_ == Phase::idle && out_.empty();
    }
    TimePoint since() const noexcept { return since_; }
    /// Frees the buffers if the connection is idle.
    void release() noexcept;

    std::string const& peer() const noexcept { return peer_; }
    void set_certificate(std::string subject) { certificate_ = std::move(subject); }
    /// Sets HttpRequest::moves.
    void set_moves(unsigned moves) noexcept { moves_ = moves; }
    unsigned moves() const noexcept { return moves_; }
    /// Bytes of memory held, not counting the object itself.
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
    void copy(std::string_view bytes) override;
    void end_copy(bool keep_alive) override;
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
        upgraded,  // another protocol follows after the remaining output
        dead,
    };
    enum class Phase : std::uint8_t { idle, head, body };

    void run();
    void park();
    void on_head();
    void on_admitted();
    void apply(Verification const& verification);
    void accept_body();
    void take_body(std::string_view piece);
    void refuse_body();
    void release_body() noexcept;
    void on_done();
    void dispatch();
    void reject(Rejection rejection, std::string_view more = {});
    void refuse_caller(Verification const& verification);
    void set_phase(Phase phase) noexcept;
    void end_reply_now();
    void leave_request() noexcept;
    void give_up() noexcept;
    void on_unanswered();
    bool send_keepalive();
    void begin_output() noexcept;
    /// Whether the host will send the output soon without a call of on_reply().
    bool is_held() const noexcept { return running_ || holds_; }
    TimePoint present() const noexcept { return is_held() ? now_ : shared_.time.now(); }
    ReplyHead complete(ReplyHead head) noexcept;
    /// Whether a response of unknown length is sent in chunks. With HTTP/1.0, such a response is
    /// not sent in chunks, and ends when the connection ends.
    bool chunked() const noexcept { return !reader_.head().old; }

    ConnectionShared& shared_;
    ConnectionHost& host_;
    RequestReader reader_;
    std::string peer_;
    std::string certificate_;
    std::string known_host_;  // the last Host that the gate admitted
    Admission admission_;
    std::uint64_t admitted_ = 0;  // the edition of the head for which admission_ was made
    std::shared_ptr<Principal const> principal_;
    PrincipalCounts::Slot slot_;
    std::shared_ptr<void> attachment_;
    std::string body_;
    BudgetShare body_share_;  // the share of body_ in ListenerTotals::bodies
    std::string backlog_;     // received input that cannot be processed yet
    std::string out_;
    std::size_t sent_ = 0;        // bytes of out_ that were sent
    std::size_t mark_ = 0;        // offset in out_ where the body or the chunk that is being
                                  // written begins
    std::uint64_t received_ = 0;  // number of bytes of the current body received so far
    ReplyWatcher* watcher_ = nullptr;
    std::unique_ptr<Upgrade> upgrade_;
    TimePoint since_;     // when phase_ began, or when the current reply began
    TimePoint progress_;  // when the client last read output, or when output began to wait
    TimePoint now_;
    unsigned moves_ = 0;
    Stage stage_ = Stage::reading;
    Phase phase_ = Phase::head;
    bool running_ = false;     // inside run()
    bool holds_ = false;       // between begin_turn() and end_turn()
    bool streaming_ = false;   // the reply is a stream
    bool discarding_ = false;  // the request was answered before its body arrived, so the body is
                               // ignored
    bool keep_alive_ = true;
    bool behind_ = false;
    bool broken_ = false;
};

}  // namespace lanyard::http
