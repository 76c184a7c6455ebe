#include "http/server/forwarding.hpp"

#include <string>
#include <utility>

#include <boost/asio/cancellation_signal.hpp>

#include "http/server/connection.hpp"
#include "http/server/loop_set.hpp"
#include "http/server/server_loop.hpp"
#include "lanyard/protocol/logging.hpp"
#include "runtime/loop.hpp"
#include "runtime/post.hpp"

namespace lanyard::http {
namespace {

// The maximum number of bytes of a response that the other loop has sent and that were not copied
// to the reply yet, or that the client does not read fast enough.
constexpr std::size_t window = std::size_t{256} * 1024;

class ForwardedRequest;

// Leads from the loop of the connection to the request on the other loop. Used on the other loop.
struct ForwardingLink {
    std::weak_ptr<ForwardedRequest> request;
};

// The reply on the loop of the connection. Used on that loop, except as noted.
class ForwardedReply final : public ReplyWatcher,
                             public std::enable_shared_from_this<ForwardedReply> {
public:
    ForwardedReply(Reply& reply, boost::asio::any_io_executor executor,
                   boost::asio::any_io_executor other)
        : reply_(&reply),
          executor_(std::move(executor)),
          other_(std::move(other)),
          link_(std::make_shared<ForwardingLink>()) {}

    void begin() {
        self_ = shared_from_this();
        reply_->watch(this);
    }
    std::shared_ptr<ForwardingLink> const& link() const noexcept { return link_; }

    // These functions are called on the other loop.

    void post_output(std::string bytes) {
        auto const shared = std::make_shared<std::string const>(std::move(bytes));
        runtime::post_always(executor_,
                             [self = shared_from_this(), shared] { self->on_output(*shared); });
    }
    void post_end(bool keep_alive) {
        runtime::post_always(executor_,
                             [self = shared_from_this(), keep_alive] { self->on_end(keep_alive); });
    }
    void post_failure() noexcept {
        runtime::post_always(executor_, [self = shared_from_this()] { self->on_failure(); });
    }

private:
    void on_gone() noexcept override;
    void on_drained() noexcept override { acknowledge(); }

    void on_output(std::string_view bytes) {
        if (reply_ == nullptr) return;
        begun_ = true;
        unacknowledged_ += bytes.size();
        auto const self = shared_from_this();
        reply_->copy(bytes);
        if (reply_ != nullptr && !reply_->behind()) acknowledge();
    }
    void on_end(bool keep_alive) {
        if (reply_ != nullptr) take_reply().end_copy(keep_alive);
    }
    void on_failure() {
        if (reply_ == nullptr) return;
        if (begun_) {
            take_reply().cut();
        } else {
            take_reply().whole(
                {.status = Status::service_unavailable, .more = "Retry-After: 1\r\n"});
        }
    }
    // Ends the use of the reply. This object may be destroyed when the calling function returns.
    Reply& take_reply() noexcept {
        runtime::post_always(executor_, [self = std::move(self_)] {});
        return *std::exchange(reply_, nullptr);
    }
    void acknowledge();

    Reply* reply_;
    boost::asio::any_io_executor executor_;
    boost::asio::any_io_executor other_;  // the executor of the request
    std::shared_ptr<ForwardingLink> link_;
    std::shared_ptr<ForwardedReply> self_;  // keeps this object alive while it watches the reply
    std::size_t unacknowledged_ = 0;
    bool begun_ = false;  // a part of the response was sent
};

// The request on the loop that serves it. Used on that loop.
class ForwardedRequest final : public ConnectionHost,
                               public LoopMember,
                               public runtime::Round,
                               public std::enable_shared_from_this<ForwardedRequest> {
public:
    ForwardedRequest(std::shared_ptr<ServerLoop> loop, std::shared_ptr<ForwardedReply> reply,
                     std::string peer, std::string certificate)
        : loop_(std::move(loop)),
          reply_(std::move(reply)),
          connection_(loop_->shared(), *this, std::move(peer), std::move(certificate)) {}

    // Reads the request, which is `text`, in a round of its own. Must be called at a shallow point.
    void start(std::string text) {
        text_ = std::move(text);
        if (auto* const loop = runtime::Loop::of(loop_->executor())) {
            loop->drive(std::static_pointer_cast<Round>(shared_from_this()));
        } else {
            while (step()) continue;
        }
    }
    void on_acknowledged(std::size_t bytes) {
        on_their_way_ -= bytes;
        pump();
    }

    void tick(TimePoint now) override {
        switch (connection_.tick(now)) {
            case Connection::Due::cut:
                close();
                break;
            case Connection::Due::output:
                pump();
                break;
            case Connection::Due::nothing:
                break;
        }
    }
    void stop() override {
        if (closed_) return;
        connection_.stop();
        pump();
    }
    void close() noexcept override {
        if (closed_) return;
        reply_->post_failure();
        leave();
    }
    void abandon() noexcept {
        if (!closed_) leave();
    }

private:
    bool step() override {
        auto* const loop = runtime::Loop::of(loop_->executor());
        auto const has_ready = [loop] { return loop != nullptr && loop->has_ready(); };
        try {
            if (!text_.empty() && !closed_) {
                runtime::Loop::Turn const turn(loop);
                connection_.begin_turn();
                connection_.receive(std::exchange(text_, {}), loop_->now());
                in_turn_ = true;
                if (has_ready()) return true;
            }
            if (std::exchange(in_turn_, false) && !closed_) {
                connection_.end_turn();
                pump();
            }
        } catch (std::exception const& error) {
            fail(error);
        }
        return has_ready();
    }
    void fail(std::exception const& error) noexcept {
        loop_->record(LoggingLevel::error, error.what());
        close();
    }
    void on_reply() noexcept override {
        auto const self = shared_from_this();
        try {
            pump();
        } catch (std::exception const& error) {
            fail(error);
        }
    }
    void on_broken() noexcept override {
        runtime::post_always(loop_->executor(), [self = shared_from_this()] { self->close(); });
    }
    void ask_verifier(Credentials const& credentials) override {
        verifying_ = std::make_unique<boost::asio::cancellation_signal>();
        loop_->verify(credentials, *verifying_,
                      [self = shared_from_this()](Verification const& verification) {
                          self->verifying_.reset();
                          if (self->closed_) return;
                          self->connection_.on_verification(verification, self->loop_->now());
                          self->pump();
                      });
    }

    // Passes output on, and ends when the response is complete.
    void pump() {
        if (closed_ || pumping_) return;
        pumping_ = true;
        while (!connection_.output().empty() && on_their_way_ < window) {
            std::string part(connection_.output().substr(0, window - on_their_way_));
            on_their_way_ += part.size();
            connection_.sent(part.size(), loop_->now());
            reply_->post_output(std::move(part));
        }
        pumping_ = false;
        if (!connection_.output().empty()) return;
        if (connection_.idle() || connection_.ending()) {
            reply_->post_end(!connection_.ending());
            leave();
        } else if (connection_.upgraded()) {
            close();
        }
    }
    void leave() noexcept {
        closed_ = true;
        if (verifying_) verifying_->emit(boost::asio::cancellation_type::all);
        auto const self = shared_from_this();
        connection_.lost();
        loop_->remove(*this);
        loop_->check_stopped();
        // Keeps this object alive until the functions that called leave() have returned.
        runtime::post_always(loop_->executor(), [self] {});
    }

    std::shared_ptr<ServerLoop> loop_;
    std::shared_ptr<ForwardedReply> reply_;
    Connection connection_;
    std::string text_;  // the request, until it is read
    std::unique_ptr<boost::asio::cancellation_signal> verifying_;
    std::size_t on_their_way_ = 0;  // bytes that were passed on and not acknowledged
    bool in_turn_ = false;          // between begin_turn() and end_turn() of the connection
    bool pumping_ = false;
    bool closed_ = false;
};

void ForwardedReply::on_gone() noexcept {
    reply_ = nullptr;
    runtime::post_always(other_, [link = link_] {
        if (auto const request = link->request.lock()) request->abandon();
    });
    runtime::post_always(executor_, [self = std::move(self_)] {});
}

void ForwardedReply::acknowledge() {
    auto const bytes = std::exchange(unacknowledged_, 0);
    runtime::post_always(other_, [link = link_, bytes] {
        if (auto const request = link->request.lock()) request->on_acknowledged(bytes);
    });
}

}  // namespace

void forward(boost::asio::any_io_executor const& here, boost::asio::any_io_executor const& there,
             std::weak_ptr<ServerLoop> const& to, HttpRequest const& request, Reply& reply) {
    struct Start {
        std::string text;
        std::string peer;
        std::string certificate;
    };
    auto const start = std::make_shared<Start>(
        Start{text_of(request), std::string(request.peer), std::string(request.certificate)});
    auto const forwarded = std::make_shared<ForwardedReply>(reply, here, there);
    forwarded->begin();
    runtime::post_always(there, [to, start, forwarded] {
        auto const loop = to.lock();
        if (!loop || loop->ended_early()) {
            forwarded->post_failure();
            return;
        }
        try {
            auto const served = std::make_shared<ForwardedRequest>(loop, forwarded, start->peer,
                                                                   start->certificate);
            forwarded->link()->request = served;
            loop->add(served);
            served->start(std::move(start->text));
        } catch (std::bad_alloc const&) {
            forwarded->post_failure();
        }
    });
}

}  // namespace lanyard::http
