#include "lanyard/server/engine.hpp"

#include <deque>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "runtime/event.hpp"
#include "server/call/post_executor.hpp"

namespace lanyard {

namespace {

/// Transfers messages between the engine's user and the session.
class HandTransport final : public Transport {
public:
    HandTransport(boost::asio::any_io_executor executor, ServerEngine::Send send)
        : executor_(std::move(executor)), arrived_(executor_), send_(std::move(send)) {}

    void put(std::string_view text) {
        waiting_.emplace_back(text);
        arrived_.notify();
    }

    boost::asio::any_io_executor executor() const override { return executor_; }

    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        while (waiting_.empty() && !closed_) co_await arrived_.wait();
        if (closed_) co_return std::nullopt;
        taken_.swap(waiting_);
        waiting_.clear();
        frames_.clear();
        for (auto const& text : taken_) {
            frames_.push_back({rpc::Frame::Kind::message, text});
            info_.bytes_in += text.size();
        }
        info_.messages_in += taken_.size();
        co_return std::span<rpc::Frame const>(frames_);
    }

    void write_now(rpc::Outbox& outbox) noexcept override {
        for (; !outbox.empty(); outbox.pop()) {
            ++info_.messages_out;
            info_.bytes_out += outbox.front().size();
            send_(outbox.front());
        }
    }

    Task<> write(rpc::Outbox& outbox) override {
        write_now(outbox);
        co_return;
    }

    void close() noexcept override {
        closed_ = true;
        arrived_.notify();
    }

    TransportInfo info() const override { return info_; }

private:
    boost::asio::any_io_executor executor_;
    runtime::Event arrived_;
    ServerEngine::Send send_;
    std::vector<std::string> waiting_;
    std::vector<std::string> taken_;
    std::vector<rpc::Frame> frames_;
    TransportInfo info_{.kind = "engine", .peer = {}};
    bool closed_ = false;
};

}  // namespace

struct ServerEngine::State {
    State(Server& server, Send send, Wake on_wake) : wake(std::move(on_wake)) {
        auto const post = [this](std::function<void()> work) {
            boost::asio::post(loop, std::move(work));
            if (wake) wake();
        };
        boost::asio::any_io_executor const executor(server::PostExecutor(post, loop));
        auto owned = std::make_unique<HandTransport>(executor, std::move(send));
        transport = owned.get();
        boost::asio::co_spawn(executor, server.serve(std::move(owned)),
                              [this](std::exception_ptr const&) { transport = nullptr; });
    }

    void poll() {
        loop.restart();
        loop.poll();
    }

    Wake wake;
    boost::asio::io_context loop{1};
    HandTransport* transport = nullptr;  // owned by the session; null after the session has ended
};

ServerEngine::ServerEngine(Server& server, Send send, Wake wake)
    : state_(std::make_unique<State>(server, std::move(send), std::move(wake))) {
    poll();
}

ServerEngine::~ServerEngine() {
    close();
}

void ServerEngine::on_message(std::string_view text) {
    if (state_->transport != nullptr) state_->transport->put(text);
    poll();
}

void ServerEngine::poll() {
    state_->poll();
}

void ServerEngine::close() {
    if (state_->transport != nullptr) state_->transport->close();
    poll();
}

bool ServerEngine::closed() const noexcept {
    return state_->transport == nullptr;
}

}  // namespace lanyard
