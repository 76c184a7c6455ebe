// The fixture of client tests: a client, and the server end of its connection for the test.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "lanyard/client.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "lanyard/transport/memory.hpp"
#include "runtime/cancelled_by.hpp"

namespace lanyard {

using namespace std::chrono_literals;

inline Json json_of(std::string_view text) {
    return boost::json::parse({text.data(), text.size()});
}

// The server's end of an in-memory connection: the test reads and sends its messages.
class ServerEnd {
public:
    ServerEnd(boost::asio::io_context& context, std::unique_ptr<Transport> transport)
        : context_(context), state_(std::make_shared<State>()) {
        state_->transport = std::move(transport);
        boost::asio::co_spawn(context, read_all(state_), boost::asio::detached);
    }

    /// Returns the next message of the client; null if there is none.
    Json next() {
        poll();
        if (state_->inbox.empty()) return nullptr;
        auto message = json_of(state_->inbox.front());
        state_->inbox.pop_front();
        return message;
    }
    /// Returns the next message, which must have this method.
    Json expect(std::string_view method) {
        auto message = next();
        if (!message.is_object() || !message.as_object().contains("method") ||
            message.at("method").as_string() !=
                boost::json::string_view(method.data(), method.size())) {
            ADD_FAILURE() << "expected " << method << ", got " << boost::json::serialize(message);
            return Json{{"id", nullptr}, {"params", JsonObject()}};
        }
        return message;
    }
    bool silent() {
        poll();
        return state_->inbox.empty();
    }
    bool ended() {
        poll();
        return state_->ended;
    }

    void send(std::string_view line) {
        put(line);
        poll();
    }
    /// Sends the line without running the event loop, so that it is not read yet.
    void put(std::string_view line) {
        state_->outbox.begin() += line;
        state_->outbox.end();
        state_->transport->write_now(state_->outbox);
    }
    void result(Json const& request, std::string_view result) {
        send(R"({"jsonrpc":"2.0","id":)" + boost::json::serialize(request.at("id")) +
             R"(,"result":)" + std::string(result) + "}");
    }
    void error(Json const& request, int code, std::string_view data = {}) {
        send(R"({"jsonrpc":"2.0","id":)" + boost::json::serialize(request.at("id")) +
             R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":"no")" +
             (data.empty() ? "" : R"(,"data":)" + std::string(data)) + "}}");
    }
    void request(int id, std::string_view method, std::string_view params) {
        send(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" +
             std::string(method) + R"(","params":)" + std::string(params) + "}");
    }
    void notify(std::string_view method, std::string_view params = "{}") {
        send(R"({"jsonrpc":"2.0","method":")" + std::string(method) + R"(","params":)" +
             std::string(params) + "}");
    }
    void close() {
        state_->transport->close();
        poll();
    }
    /// Reads one more message, then stops reading.
    void stall() { state_->stalled = true; }
    /// Starts reading again.
    void go_on() {
        state_->stalled = false;
        state_->ended = false;
        boost::asio::co_spawn(context_, read_all(state_), boost::asio::detached);
        poll();
    }
    /// Whether everything was sent: read by the client, or buffered by the connection.
    bool all_sent() {
        state_->transport->write_now(state_->outbox);
        return state_->outbox.empty();
    }

private:
    struct State {
        std::unique_ptr<Transport> transport;
        rpc::Outbox outbox;
        std::deque<std::string> inbox;
        bool ended = false;
        bool stalled = false;
    };

    static Task<> read_all(std::shared_ptr<State> state) {
        while (!state->stalled) {
            auto const frames = co_await state->transport->read();
            if (!frames) break;
            for (auto const& frame : *frames) state->inbox.emplace_back(frame.text);
        }
        state->ended = true;
    }
    void poll() {
        context_.restart();
        context_.poll();
    }

    boost::asio::io_context& context_;
    std::shared_ptr<State> state_;
};

// A running task and its outcome.
template <class T>
class Running {
public:
    using Value = std::conditional_t<std::is_void_v<T>, bool, T>;

    Running(boost::asio::io_context& context, Task<T> task)
        : context_(context), state_(std::make_shared<State>()) {
        boost::asio::co_spawn(context, run(state_, std::move(task)),
                              runtime::cancelled_by(state_->cancellation.slot(),
                                                    [state = state_](std::exception_ptr failure) {
                                                        state->failure = failure;
                                                        state->done = true;
                                                    }));
        poll();
    }

    bool done() {
        poll();
        return state_->done;
    }
    Value value() {
        EXPECT_TRUE(done());
        if (state_->failure) std::rethrow_exception(state_->failure);
        return *std::move(state_->value);
    }
    /// The Error with which the task ended.
    Error error() {
        EXPECT_TRUE(done());
        if (!state_->failure) return {Errc::failed, "no error"};
        try {
            std::rethrow_exception(state_->failure);
        } catch (Error const& error) {
            return error;
        } catch (std::exception const& error) {
            return {Errc::failed, std::string("not an Error: ") + error.what()};
        }
    }
    void cancel() {
        state_->cancellation.emit(boost::asio::cancellation_type::terminal);
        poll();
    }

private:
    struct State {
        bool done = false;
        std::optional<Value> value;
        std::exception_ptr failure;
        boost::asio::cancellation_signal cancellation;
    };

    static Task<> run(std::shared_ptr<State> state, Task<T> task) {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(task);
            state->value = true;
        } else {
            auto value = co_await std::move(task);
            state->value.emplace(std::move(value));
        }
    }
    void poll() {
        context_.restart();
        context_.poll();
    }

    boost::asio::io_context& context_;
    std::shared_ptr<State> state_;
};

inline constexpr std::string_view all_capabilities =
    R"({"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},)"
    R"("prompts":{"listChanged":true},"completions":{},"logging":{}})";

class ClientTest : public ::testing::Test {
protected:
    ~ClientTest() override {
        client = Client();
        poll();
    }

    void poll() {
        context.restart();
        context.poll();
    }
    void advance(Duration by) {
        time.advance(by);
        poll();
    }
    template <class T>
    Running<T> start(Task<T> task) {
        return Running<T>(context, std::move(task));
    }

    /// Makes a new connection and returns the client's end.
    std::unique_ptr<Transport> make_transport() {
        auto [ours, theirs] = memory_pair(context.get_executor(), context.get_executor());
        server.emplace(context, std::move(theirs));
        return std::move(ours);
    }
    ClientOptions timed(ClientOptions options) {
        options.time(time);
        options.on_diagnostic([this](std::string_view text) { diagnostics.emplace_back(text); });
        return options;
    }

    static std::string discovery(std::string_view capabilities = all_capabilities) {
        return R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":)" +
               std::string(capabilities) +
               R"(,"instructions":"be kind","ttlMs":0,"cacheScope":"private",)"
               R"("_meta":{"io.modelcontextprotocol/serverInfo":)"
               R"({"name":"scripted","version":"1"}}})";
    }
    static std::string initialization(std::string_view version = "2025-11-25",
                                      std::string_view capabilities = all_capabilities) {
        return R"({"protocolVersion":")" + std::string(version) + R"(","capabilities":)" +
               std::string(capabilities) +
               R"(,"serverInfo":{"name":"scripted","version":"1"},"instructions":"be kind"})";
    }

    /// Connects to a server of this version.
    void open(Version version, ClientOptions options = {},
              std::string_view capabilities = all_capabilities) {
        auto connecting = start(connect(make_transport(), timed(std::move(options))));
        auto const probe = server->expect("server/discover");
        if (version == Version::v2026_07_28) {
            server->result(probe, discovery(capabilities));
        } else {
            server->error(probe, -32601);
            auto const opening = server->expect("initialize");
            server->result(opening, initialization(to_string(version), capabilities));
            server->expect("notifications/initialized");
        }
        client = connecting.value();
    }

    boost::asio::io_context context;
    testing::FakeTime time;
    std::vector<std::string> diagnostics;
    std::optional<ServerEnd> server;
    Client client;
};

// Tests of behaviour that is the same in every version.
class EachEra : public ClientTest, public ::testing::WithParamInterface<Version> {
protected:
    bool is_modern() const { return GetParam() == Version::v2026_07_28; }
    /// A result with these members and those that the version requires in every result.
    std::string complete(std::string_view members) const {
        std::string text = "{";
        if (is_modern()) {
            text += R"("resultType":"complete")";
            if (!members.empty()) text += ",";
        }
        return text.append(members).append("}");
    }
};

inline std::string name_of(::testing::TestParamInfo<Version> const& info) {
    std::string name(to_string(info.param));
    std::replace(name.begin(), name.end(), '-', '_');
    return "v" + name;
}

#define LANYARD_EACH_ERA(suite) \
    INSTANTIATE_TEST_SUITE_P(   \
        Versions, suite, ::testing::Values(Version::v2025_11_25, Version::v2026_07_28), name_of)

}  // namespace lanyard
