// A fixture for stateless requests: a server, its request entry, and recorded answers.
#pragma once

#include <deque>
#include <latch>

#include "jsonrpc/envelope.hpp"
#include "unit/server/clients/recording_responder.hpp"
#include "unit/server/raw_client.hpp"

namespace lanyard::server {

using namespace std::chrono_literals;

struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"))

struct Confirm {
    bool really = false;
};
LANYARD_STRUCT(Confirm, really)

class StatelessPeerTest : public ::testing::Test {
protected:
    StatelessPeerTest() {
        server.tool(
            "greet", "Say hello", [](Greet in) { return "Hello, " + in.name; },
            ToolOptions().inline_());
        server.tool(
            "who", "Who asks",
            [](Context& ctx) {
                std::string text(ctx.identity());
                for (auto const& header : ctx.headers())
                    text += " " + header.name + "=" + header.value;
                return text + " " + std::string(ctx.transport()) + "|" +
                       std::string(ctx.session_id());
            },
            ToolOptions().inline_());
        server.tool("sure", "Ask", [](Context& ctx) -> Task<std::string> {
            auto const sure = co_await ctx.elicit<Confirm>("sure", "Really?");
            co_return sure && sure->really ? "did it" : "left it";
        });
        server.tool(
            "steps", "Report",
            [](Context& ctx) {
                ctx.log(LoggingLevel::info, "beginning", "steps");
                ctx.report_progress(1, 2, "half");
                ctx.report_progress(2, 2);
                return "done";
            },
            ToolOptions().inline_());
        server.tool("forever", "", [this](Context&) -> Task<std::string> {
            try {
                co_await sleep_until(time, never - 1h);
            } catch (...) {
                ++unwound;
                throw;
            }
            co_return "never";
        });
        server.tool(
            "slow", "", [this] { return sleep_until(time, never - 1h); },
            ToolOptions().timeout(2s));
        server.resource("test://watched", "watched", "text");
        server.prompt("review", "Review", [] { return std::string("Look."); });
        entry = rpc::RequestEntry::open(server, context.get_executor());
    }
    ~StatelessPeerTest() override {
        entry.reset();
        poll();
    }

    void poll() {
        context.restart();
        context.poll();
    }
    RecordingResponder& handle(std::string_view message, std::shared_ptr<PeerInfo const> from) {
        auto const& envelope = reader.read(message);
        EXPECT_TRUE(envelope) << message;
        auto& responder = responders.emplace_back();
        entry->handle(*envelope, from, responder, time.now());
        poll();
        return responder;
    }
    /// Sends a request; the metadata is appended to its params.
    RecordingResponder& ask(std::string_view method, std::string params = "",
                            std::string const& meta = RawClient::meta()) {
        if (!params.empty()) params += ",";
        return handle(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                          R"(","params":{)" + params + meta + "}}",
                      info);
    }
    /// Waits for a handler that runs on another thread.
    void finish(RecordingResponder const& responder) {
        auto const until = std::chrono::steady_clock::now() + 20s;
        while (!responder.ended() && std::chrono::steady_clock::now() < until) {
            context.restart();
            context.run_one_for(50ms);
        }
    }
    Json result(RecordingResponder const& responder) {
        finish(responder);
        EXPECT_FALSE(responder.error) << responder.error->message;
        auto json = json::parse(responder.result);
        EXPECT_TRUE(json) << responder.result;
        return json ? *json : Json(nullptr);
    }
    std::string text(RecordingResponder const& responder) {
        auto const found = at(result(responder), "content", 0, "text");
        return found.is_string() ? std::string(found.as_string()) : "";
    }

    testing::FakeTime time;
    Server server{"greeter", "1.0.0", ServerOptions().time(time).on_log([](auto, auto) {})};
    boost::asio::io_context context;
    std::shared_ptr<PeerInfo> info = [] {
        auto http = std::make_shared<PeerInfo>();
        http->transport = "http";
        http->headers_of_request = true;
        return http;
    }();
    rpc::EnvelopeReader reader;
    std::deque<RecordingResponder> responders;
    std::shared_ptr<rpc::RequestEntry> entry;
    int unwound = 0;
};

using Refusal = std::pair<std::int64_t, int>;

inline Refusal refusal(RecordingResponder const& responder) {
    EXPECT_TRUE(responder.ended());
    EXPECT_TRUE(responder.error);
    return responder.error ? Refusal(responder.error->code, responder.error->http_status)
                           : Refusal();
}

}  // namespace lanyard::server
