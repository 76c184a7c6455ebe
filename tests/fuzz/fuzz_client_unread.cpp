// A client with a server that sends anything and reads at any time, or never: the bytes that wait
// for the server are bounded, and every call ends in time. The input is a script of actions.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "fuzz/require.hpp"
#include "lanyard/client.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "runtime/event.hpp"

using namespace lanyard;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t max_unsent = std::size_t{64} * 1024;

// The server's side, which is used even after the client has destroyed the transport.
struct Server {
    explicit Server(boost::asio::any_io_executor const& executor) : changed(executor) {}

    std::deque<std::vector<std::string>> sent;  // each entry is returned to the client by one read
    std::size_t room = 0;                       // bytes that the server will still read
    rpc::Outbox const* outbox = nullptr;        // set while the client waits for room
    runtime::Event changed;
    bool closed = false;
};

class DeafTransport final : public Transport {
public:
    DeafTransport(boost::asio::any_io_executor executor, std::shared_ptr<Server> server)
        : executor_(std::move(executor)), server_(std::move(server)) {}
    ~DeafTransport() override { DeafTransport::close(); }

    boost::asio::any_io_executor executor() const override { return executor_; }
    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        while (server_->sent.empty() && !server_->closed) co_await server_->changed.wait();
        if (server_->closed) co_return std::nullopt;
        texts_ = std::move(server_->sent.front());
        server_->sent.pop_front();
        frames_.clear();
        for (auto const& text : texts_) frames_.push_back({rpc::Frame::Kind::message, text});
        co_return std::span<rpc::Frame const>(frames_);
    }
    void write_now(rpc::Outbox& outbox) noexcept override {
        auto const before = outbox.count();
        auto const taken = std::min(server_->room, outbox.bytes().size());
        outbox.consume(taken);
        server_->room -= taken;
        info_.bytes_out += taken;
        info_.messages_out += before - outbox.count();
    }
    Task<> write(rpc::Outbox& outbox) override {
        server_->outbox = &outbox;
        while (!server_->closed) {
            write_now(outbox);
            if (outbox.empty()) break;
            co_await server_->changed.wait();
        }
        server_->outbox = nullptr;
        if (!outbox.empty()) throw Error(Errc::transport_down, "closed");
    }
    void close() noexcept override {
        server_->closed = true;
        server_->changed.notify();
    }
    TransportInfo info() const override { return info_; }

private:
    boost::asio::any_io_executor executor_;
    std::shared_ptr<Server> server_;
    std::vector<std::string> texts_;
    std::vector<rpc::Frame> frames_;
    TransportInfo info_{.kind = "deaf", .peer = ""};
};

class Script {
public:
    explicit Script(std::span<std::uint8_t const> actions)
        : actions_(actions), server_(std::make_shared<Server>(context_.get_executor())) {}

    void run() {
        open();
        while (!actions_.empty()) {
            act();
            poll();
            check();
        }
        wind_up();
    }

private:
    std::uint8_t next() {
        if (actions_.empty()) return 0;
        auto const byte = actions_.front();
        actions_ = actions_.subspan(1);
        return byte;
    }
    void poll() {
        context_.restart();
        context_.poll();
    }
    void pass(Duration time) {
        time_.advance(time);
        poll();
    }

    void open() {
        ClientOptions options;
        options.time(time_).max_unsent_bytes(max_unsent).max_pending(50);
        options.roots({{.uri = "file:///" + std::string(500, 'x')}});
        auto transport = std::make_unique<DeafTransport>(context_.get_executor(), server_);
        ++running_;
        boost::asio::co_spawn(context_, attempt(connect(std::move(transport), options)),
                              [this](std::exception_ptr failure, Result<Client> opened) {
                                  fuzz::require(!failure, "opening throws something else");
                                  --running_;
                                  if (opened) client_ = *std::move(opened);
                              });
        poll();
    }

    void act() {
        switch (next() % 8) {
            case 0: {
                std::size_t const wanted = next();
                auto const size = std::min(wanted, actions_.size());
                send({std::string(reinterpret_cast<char const*>(actions_.data()), size)});
                actions_ = actions_.subspan(size);
                break;
            }
            case 1: {
                auto const which = next();
                send({canned(which, next())});
                break;
            }
            case 2: {
                // As much as a transport may read at once.
                auto const message = canned(next(), 1);
                send(std::vector<std::string>(std::size_t{1} << (next() % 11), message));
                break;
            }
            case 3:
                call(next());
                break;
            case 4:
                pass(std::chrono::milliseconds(100) * next());
                break;
            case 5:
                server_->room += std::size_t{16} * next();
                server_->changed.notify();
                break;
            case 6:
                server_->room += std::size_t{1} << (next() % 24);
                server_->changed.notify();
                break;
            default:
                if (next() % 16 == 0) client_.close();
                break;
        }
    }

    void send(std::vector<std::string> messages) {
        server_->sent.push_back(std::move(messages));
        server_->changed.notify();
    }
    static std::string canned(std::uint8_t which, std::uint8_t id) {
        auto const number = std::to_string(id);
        auto const answer = R"({"jsonrpc":"2.0","id":)" + number;
        switch (which % 12) {
            case 0:
                return R"({"jsonrpc":"2.0","id":"p","method":"ping"})";
            case 1:
                return R"({"jsonrpc":"2.0","id":)" + number + R"(,"method":"roots/list"})";
            case 2:
                return R"({"jsonrpc":"2.0","id":)" + number + R"(,"method":"no/such"})";
            case 3:
                return "x";
            case 4:
                return answer + R"(,"error":{"code":-32601,"message":"m"}})";
            case 5:
                return answer + R"(,"result":{"protocolVersion":"2025-11-25","capabilities":)"
                                R"({"tools":{}},"serverInfo":{"name":"n","version":"1"}}})";
            case 6:
                return answer + R"(,"result":{"resultType":"complete","supportedVersions":)"
                                R"(["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,)"
                                R"("cacheScope":"private"}})";
            case 7:
                return answer + R"(,"result":{"tools":[],"nextCursor":"c)" + number + "\"}}";
            case 8:
                return answer + R"(,"result":{"content":[]}})";
            case 9:
                return R"({"jsonrpc":"2.0","method":"notifications/message","params":)"
                       R"({"level":"info","data":1}})";
            case 10:
                return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)"
                       R"({"requestId":)" +
                       number + "}}";
            default:
                return R"([{"jsonrpc":"2.0","id":1,"method":"ping"},1])";
        }
    }

    void call(std::uint8_t which) {
        if (!client_.is_open()) return;
        ++running_;
        auto const done = [this](std::exception_ptr failure, auto const&) {
            fuzz::require(!failure, "a call throws something else");
            --running_;
        };
        if (which % 2 == 0) {
            boost::asio::co_spawn(context_, attempt(client_.list_tools()), done);
        } else {
            auto const text = std::string(std::size_t{1} << (which % 16), 'x');
            auto const arguments = RawJson(Json(JsonObject{{"a", text}}));
            boost::asio::co_spawn(context_, attempt(client_.call_tool("t", arguments)), done);
        }
    }

    // Beyond eight times the limit, requests are refused and answers close the connection; the
    // answers to the requests of one read are added to that.
    void check() const {
        if (server_->outbox == nullptr) return;
        fuzz::require(server_->outbox->bytes().size() < 2 * 8 * max_unsent + 1024 * 1024,
                      "what waits for the server is not bounded");
    }

    // The server sends nothing more: every call ends by its timeout, or with the connection.
    void wind_up() {
        for (int i = 0; i < 100 && running_ > 0; ++i) pass(10s);
        fuzz::require(running_ == 0, "a call has no end");
        bool stopped = !client_.is_open();
        if (!stopped) {
            boost::asio::co_spawn(context_, client_.stop(0s),
                                  [&](std::exception_ptr) { stopped = true; });
        }
        for (int i = 0; i < 10 && !stopped; ++i) pass(1s);
        fuzz::require(stopped, "the client does not stop");
        client_ = Client();
        poll();
    }

    std::span<std::uint8_t const> actions_;
    testing::FakeTime time_;
    boost::asio::io_context context_;
    std::shared_ptr<Server> server_;
    Client client_;
    int running_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    constexpr std::size_t longest = 400;
    Script script({data, std::min(size, longest)});
    script.run();
    return 0;
}
