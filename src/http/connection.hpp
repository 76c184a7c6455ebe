// Connection: the server's side of one connection with HTTP/1.1, or 1.0 from a proxy. Reads
// requests, asks the gate and the verifier, hands over what is admitted, and is the Reply to it. No
// I/O: bytes and time in, bytes out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <lanyard/time_source.hpp>

#include "auth/instant_verifier.hpp"
#include "http/loop_member.hpp"
#include "http/principal_counts.hpp"
#include "http/request_handler.hpp"

namespace lanyard::http {

struct ConnectionLimits {
    RequestLimits request{};
    /// How long a head may take, and a body that arrives at a crawl.
    Duration head_timeout = std::chrono::seconds(30);
    Duration body_timeout = std::chrono::seconds(30);
    /// How long a connection may wait for the next request.
    Duration idle_timeout = std::chrono::seconds(75);
    /// How long a client may leave everything that is sent unread.
    Duration write_timeout = std::chrono::seconds(30);
    /// A silent stream sends a comment this often; zero: never.
    Duration heartbeat = std::chrono::seconds(15);
    /// How long the rest of what a client sends is awaited and dropped before a connection is
    /// closed; without that, the answer could be lost with it.
    Duration linger = std::chrono::seconds(2);
    /// From here on a client is behind; and from here on it is cut off.
    std::size_t soft_unsent = std::size_t{1} * 1024 * 1024;
    std::size_t hard_unsent = std::size_t{8} * 1024 * 1024;
    /// Replies that one principal may have under way; zero: any number.
    std::size_t max_requests_per_principal = 1'000;
    /// Memory for the bodies of all connections together.
    std::size_t max_body_total = std::size_t{256} * 1024 * 1024;
};

/// What the connections of one executor share.
struct ConnectionSite {
    AdmissionGate const& gate;
    RequestHandler& handler;
    Verifier* verifier;  ///< null: everybody may call
    auth::InstantVerifier* instant_verifier = dynamic_cast<auth::InstantVerifier*>(verifier);
    TimeSource& time;
    ConnectionLimits limits{};
    PrincipalCounts principals{};
    HttpDate date{};
    ReplyBeginner replies{};
    std::size_t pending = 0;           ///< replies under way
    std::size_t body_bytes = 0;        ///< memory of bodies, but for small ones
    std::uint64_t bodies_refused = 0;  ///< for want of room
    bool stopping = false;             ///< every answer ends its connection

    std::string_view date_text(TimePoint now) noexcept { return date.at(now, time); }
};

/// What a connection needs of whoever moves its bytes. The functions are called from inside of the
/// connection's, so they only take note and act later, but for on_reply().
class ConnectionShell {
public:
    /// A reply has written or ended while nothing was being received: send what there is.
    virtual void on_reply() noexcept = 0;
    /// The connection is to be given up: call lost() soon.
    virtual void on_broken() noexcept = 0;
    /// The verifier has to be waited for: call on_verdict() once it has decided. The credentials
    /// stay valid until then.
    virtual void ask_verifier(Credentials const& credentials) = 0;

protected:
    ~ConnectionShell() = default;
};

class Connection final : public Reply {
public:
    /// Input that is kept while a reply is under way; beyond it nothing should be read.
    static constexpr std::size_t max_backlog = std::size_t{64} * 1024;

    /// The certificate is the subject of the client's, where TLS has verified one.
    Connection(ConnectionSite& site, ConnectionShell& shell, std::string peer,
               std::string certificate = {});
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;
    ~Connection();

    // What happens to the connection.

    /// Bytes have come.
    void receive(std::string_view bytes, TimePoint now);
    /// Goes on with what was kept, once can_resume().
    bool can_resume() const noexcept;
    void resume(TimePoint now);
    /// The client has ended its side. While a reply is under way that means that it has gone:
    /// closing is how a client takes back what it asked for.
    void end_of_input() noexcept;
    /// The connection is no more.
    void lost() noexcept;
    /// So many bytes of output() were sent.
    void sent(std::size_t bytes, TimePoint now) noexcept;
    void on_verdict(Verification const& verdict, TimePoint now);
    /// No further request is read: ends with the reply under way.
    void stop() noexcept;
    /// Until the turn ends, replies are left for the shell to send, time stands still, and the body
    /// of a request that is not answered yet stays in place.
    void begin_turn() noexcept { holds_ = true; }
    void end_turn() {
        holds_ = false;
        if (stage_ == Stage::replying) on_unanswered();
    }

    /// Time has passed; called about once a second.
    enum class Due : std::uint8_t {
        nothing,
        output,  ///< there is something to send
        cut,     ///< the client has used up its time: end the connection
    };
    Due tick(TimePoint now);

    // What is to be done.

    std::string_view output() const noexcept { return std::string_view(out_).substr(sent_); }
    bool wants_input() const noexcept;
    /// Nothing is to be sent after the output.
    bool ending() const noexcept { return stage_ == Stage::ending || stage_ == Stage::dead; }
    bool replying() const noexcept { return stage_ == Stage::replying; }
    /// HTTP has ended: once the output is sent, the connection is to be handed over together with
    /// what was received and not looked at.
    bool upgraded() const noexcept { return stage_ == Stage::upgraded; }
    std::unique_ptr<Upgrade> take_upgrade(std::string& unread) noexcept;
    /// Between two requests, and since when.
    bool idle() const noexcept {
        return stage_ == Stage::reading && phase_ == Phase::idle && out_.empty();
    }
    TimePoint since() const noexcept { return since_; }
    /// Gives memory back while the connection is idle.
    void release() noexcept;

    std::string const& peer() const noexcept { return peer_; }
    void set_certificate(std::string subject) { certificate_ = std::move(subject); }
    /// Memory held, but for the object itself.
    std::size_t capacity() const noexcept;

    // Reply
    void watch(ReplyWatcher* watcher) noexcept override { watcher_ = watcher; }
    bool keeps_request() const noexcept override { return holds_; }
    std::string& begin_whole(ReplyHead const& head) override;
    void end_whole() override;
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
        verifying,  // the head is complete, and who sent it is being found out
        replying,
        ending,    // sends the rest
        upgraded,  // sends the rest, and is not HTTP's any more
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
    bool heartbeat();
    void begin_output() noexcept;
    /// Whether the shell sends in any case, soon.
    bool is_held() const noexcept { return running_ || holds_; }
    TimePoint present() const noexcept { return is_held() ? now_ : site_.time.now(); }
    ReplyHead complete(ReplyHead head) noexcept;
    /// Whether streams are sent in chunks; otherwise they end with the connection.
    bool chunked() const noexcept { return !reader_.head().old; }

    ConnectionSite& site_;
    ConnectionShell& shell_;
    RequestReader reader_;
    std::string peer_;
    std::string certificate_;
    std::string known_host_;  // by which the client has called before
    Admission admission_;
    std::uint64_t admitted_ = 0;  // the edition of the head that admission_ was given to
    std::shared_ptr<Principal const> principal_;
    PrincipalCounts::Slot slot_;
    std::shared_ptr<void> attachment_;
    std::string body_;
    std::string backlog_;  // input that came while it could not be looked at
    std::string out_;
    std::size_t sent_ = 0;        // of out_
    std::size_t mark_ = 0;        // where the body or the chunk being written begins
    std::uint64_t received_ = 0;  // of the present body
    std::size_t counted_ = 0;     // of body_ in the site's sum
    ReplyWatcher* watcher_ = nullptr;
    std::unique_ptr<Upgrade> upgrade_;
    TimePoint since_;     // the beginning of the phase or of the reply
    TimePoint progress_;  // when the client last took something, or there was nothing to take
    TimePoint now_;
    Stage stage_ = Stage::reading;
    Phase phase_ = Phase::head;
    bool running_ = false;     // inside of run()
    bool holds_ = false;       // replies are left for the shell to send
    bool streaming_ = false;   // the reply is a stream
    bool discarding_ = false;  // the request was answered before its body had come
    bool keep_alive_ = true;
    bool behind_ = false;
    bool broken_ = false;
};

}  // namespace lanyard::http
