// Servers that violate the rules of HTTP, of event streams and of sessions.
#include <fcntl.h>

#include "hostile/hostile_case.hpp"

namespace lanyard::hostile {
namespace {

std::string response(int status, std::string_view fields, std::string_view body) {
    return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + std::string(fields) +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

constexpr auto accepted = HostileServer::accepted;
constexpr std::string_view stream_head =
    "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// Answers the opening of 2025-11-25 as JSON; returns false for other requests.
bool answer_honestly(std::string const& head, Heard const& heard, Wire& wire) {
    if (heard.method == "server/discover") {
        wire.write(
            response(400, "Content-Type: application/json\r\n",
                     R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"n"}})"));
    } else if (heard.method == "initialize") {
        wire.write(response(
            200, "Content-Type: application/json\r\nMcp-Session-Id: s\r\n",
            result_of(heard.id, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                                R"("serverInfo":{"name":"hostile","version":"1"}})")));
    } else if (heard.method == "notifications/initialized") {
        wire.write(accepted);
    } else if (head.starts_with("GET") || head.starts_with("DELETE")) {
        wire.write(response(405, "", ""));
    } else {
        return false;
    }
    return true;
}

class HostileHttp : public HostileCase {
protected:
    using OnRequest = std::function<void(std::string const&, Heard const&, Wire&)>;
    /// Runs a server that does this with every request after the opening.
    void serve(OnRequest const& on_request) {
        Behaviour behaviour;
        behaviour.on_connection = [on_request](Wire& wire) {
            while (auto const request = HostileServer::read_request(wire)) {
                Heard const heard(request->second);
                if (answer_honestly(request->first, heard, wire)) continue;
                on_request(request->first, heard, wire);
            }
        };
        server.emplace(Carrier::http, behaviour);
    }
    void open(OnRequest const& on_request, ClientOptions const& options = {}) {
        serve(on_request);
        connect(*server, options);
    }
    /// Returns how a call ends; it must end in time and without much memory.
    Result<std::vector<Tool>> list(Duration timeout = 1s,
                                   std::size_t memory_limit = 64 * mebibyte) {
        MemoryWatch const memory;
        auto const begin = Clock::now();
        auto listed = attempt(client.list_tools(CallOptions().timeout(timeout)));
        EXPECT_LT(Clock::now() - begin, timeout + 10s);
        memory.expect_below(memory_limit);
        return listed;
    }
    std::optional<HostileServer> server;
};

std::string repeated(std::string_view piece) {
    std::string many;
    while (many.size() < std::size_t{64} * 1024) many += piece;
    return many;
}

TEST_F(HostileHttp, heads_and_bodies_without_an_end_fail_the_call) {
    struct Endless {
        std::string begin;
        std::string more;
    };
    std::string const json = "Content-Type: application/json\r\n";
    Endless const cases[] = {
        {"HTTP/1.1 200 X\r\n", "X-A: b\r\n"},
        {"HTTP/1.1 200 X\r\n", "x"},
        {"", "x"},
        {"", "HTTP/1.1 100 Continue\r\n\r\n"},
        {"HTTP/1.1 200 X\r\n" + json + "\r\n", "x"},
        {"HTTP/1.1 200 X\r\n" + json + "Content-Length: 99999999999\r\n\r\n", "x"},
        {"HTTP/1.1 200 X\r\n" + json + "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"},
        {"HTTP/1.1 200 X\r\n" + json + "Transfer-Encoding: chunked\r\n\r\n", "1"},
        {"HTTP/1.1 200 X\r\n" + json + "Transfer-Encoding: chunked\r\n\r\n1;", "x"},
        {"HTTP/1.1 200 X\r\n" + json + "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: b\r\n"},
        {"HTTP/1.1 500 X\r\n\r\n", "x"},
        {"HTTP/1.1 404 X\r\nContent-Type: text/html\r\n\r\n", "<p>"},
    };
    for (auto const& endless : cases) {
        open([endless](std::string const&, Heard const&, Wire& wire) {
            if (!wire.write(endless.begin)) return;
            auto const many = repeated(endless.more);
            while (wire.write(many)) continue;
        });
        EXPECT_FALSE(list()) << endless.begin << endless.more;
        client = {};
    }
}

TEST_F(HostileHttp, event_streams_without_an_answer_end_with_the_call) {
    for (std::string const piece :
         {": comment\n", "\n", "data: x\n", "id: 1\n", "retry: 1\n", "event: message\n\n",
          "data:\n\n", "id: 1\n\n", "x", "data: {}\n\n", "event: endpoint\ndata: /other\n\n"}) {
        open([piece](std::string const&, Heard const&, Wire& wire) {
            if (!wire.write(stream_head)) return;
            auto const many = repeated(piece);
            while (wire.write(many)) continue;
        });
        EXPECT_FALSE(list(500ms, 96 * mebibyte)) << piece;
        client = {};
    }
}

TEST_F(HostileHttp, redirects_are_followed_a_few_times_and_never_to_another_server) {
    // Another server, which must not get a request.
    int const other = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(other, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    ::getsockname(other, reinterpret_cast<sockaddr*>(&address), &size);
    ::listen(other, 8);
    auto const elsewhere = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/mcp";
    for (auto const& location :
         {std::string("/mcp"), std::string("/mcp?again"), elsewhere, std::string("//evil.example/"),
          std::string("file:///etc/passwd"), std::string(100'000, 'x'), std::string()}) {
        for (int const status : {301, 302, 303, 307, 308}) {
            open([location, status](std::string const&, Heard const&, Wire& wire) {
                wire.write(response(status, "Location: " + location + "\r\n", ""));
            });
            EXPECT_FALSE(list(5s)) << status << " " << location.substr(0, 40);
            client = {};
        }
    }
    ::fcntl(other, F_SETFL, O_NONBLOCK);
    EXPECT_LT(::accept(other, nullptr, nullptr), 0) << "the client has followed";
    ::close(other);
}

TEST_F(HostileHttp, a_server_that_is_always_busy_gets_few_requests) {
    open([](std::string const&, Heard const&, Wire& wire) {
        static std::atomic<int> asked = 0;
        // A fifth request would be one too many.
        wire.write(++asked > 4 ? response(200, "Content-Type: application/json\r\n", "{}")
                               : response(503, "Retry-After: 0\r\n", ""));
    });
    auto const listed = list(20s);
    ASSERT_FALSE(listed);
    EXPECT_TRUE(listed.error().is(Errc::unavailable)) << listed.error().what();
}

TEST_F(HostileHttp, a_server_that_loses_every_session_gets_two_requests) {
    open([](std::string const&, Heard const&, Wire& wire) { wire.write(response(404, "", "")); });
    auto const listed = list(20s);
    ASSERT_FALSE(listed);
    EXPECT_TRUE(listed.error().is(Errc::unavailable)) << listed.error().what();
}

// The server's own stream repeatedly sends one event and ends immediately.
TEST_F(HostileHttp, streams_that_end_at_once_are_not_opened_without_a_pause) {
    Behaviour behaviour;
    behaviour.on_connection = [](Wire& wire) {
        static std::atomic<int> opened = 0;
        while (auto const request = HostileServer::read_request(wire)) {
            Heard const heard(request->second);
            if (request->first.starts_with("GET")) {
                wire.write(std::string(stream_head) + "id: 1\nretry: 0\ndata: {}\n\n");
                ++opened;
                return;
            }
            if (answer_honestly(request->first, heard, wire)) continue;
            wire.write(response(
                200, "Content-Type: application/json\r\n",
                result_of(heard.id, R"({"tools":[{"name":"n)" + std::to_string(opened.load()) +
                                        R"(","inputSchema":{"type":"object"}}]})")));
        }
    };
    server.emplace(Carrier::http, behaviour);
    connect(*server);
    context.restart();
    context.run_for(2s);
    auto const listed = list(20s);
    ASSERT_TRUE(listed) << listed.error().what();
    auto const opened = std::stoi(listed->at(0).name.substr(1));
    EXPECT_GE(opened, 1);
    EXPECT_LE(opened, 30) << "ten in a second";
}

// Answers are separate requests, and the server accepts none of them.
TEST_F(HostileHttp, a_flood_on_the_servers_own_stream_does_not_affect_calls) {
    Behaviour behaviour;
    behaviour.on_connection = [](Wire& wire) {
        while (auto const request = HostileServer::read_request(wire)) {
            Heard const heard(request->second);
            if (request->first.starts_with("GET")) {
                if (!wire.write(stream_head)) return;
                Events(wire).flood(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
                return;
            }
            if (answer_honestly(request->first, heard, wire)) continue;
            while (!heard.is_request()) ::pause();
            wire.write(response(200, "Content-Type: application/json\r\n",
                                result_of(heard.id, R"({"tools":[]})")));
        }
    };
    server.emplace(Carrier::http, behaviour);
    connect(*server);
    MemoryWatch const memory;
    context.restart();
    context.run_for(is_long() ? 20s : 1s);
    EXPECT_TRUE(list(20s));
    expect_stop();
    memory.expect_below(64 * mebibyte);
}

// A few bytes can request a lot of data: a single read may contain too many requests, before the
// unaccepted answers make the client stop reading. The requests are in the same write as the head,
// so that they are read together.
TEST_F(HostileHttp, answers_far_beyond_the_limit_end_the_connection) {
    ClientOptions options;
    options.roots({{.uri = "file:///" + std::string(4 * mebibyte, 'x')}});
    auto const on_request = [](std::string const&, Heard const& heard, Wire& wire) {
        if (heard.is_request()) {
            std::string answer(stream_head);
            for (int i = 0; i < 20; ++i) {
                answer += Events(wire).framed(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                                              R"(,"method":"roots/list"})");
            }
            wire.write(answer);
        }
        // The client's answers are never accepted.
        for (;;) ::pause();
    };
    open(on_request, options);
    // How long the client takes to write the answers depends on the load of the machine.
    auto const listed = attempt(client.list_tools(CallOptions().timeout(10min)));
    ASSERT_FALSE(listed);
    EXPECT_TRUE(listed.error().is(Errc::transport_down)) << listed.error().what();
    EXPECT_NE(listed.error().message().find("does not accept the answers"), std::string::npos)
        << listed.error().what();
    EXPECT_EQ(client.limit_counts().unread, 1U);
}

// Answers to which the server responds with streams must not occupy one connection each.
TEST_F(HostileHttp, answers_that_are_accepted_by_streams_do_not_use_up_connections) {
    Behaviour behaviour;
    behaviour.on_connection = [](Wire& wire) {
        while (auto const request = HostileServer::read_request(wire)) {
            Heard const heard(request->second);
            if (answer_honestly(request->first, heard, wire)) continue;
            if (!wire.write(stream_head)) return;
            if (heard.is_request()) {
                Events(wire).flood(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
            }
            for (;;) ::pause();
        }
    };
    server.emplace(Carrier::http, behaviour);
    connect(*server);
    EXPECT_FALSE(list(1s));
    int descriptors = 0;
    for (int i = 0; i < 1024; ++i) descriptors += ::fcntl(i, F_GETFD) >= 0 ? 1 : 0;
    EXPECT_LT(descriptors, 60);
    expect_stop();
}

// 2026-07-28: a call that is refused because of its headers makes the client list the tools again.
TEST_F(HostileHttp, listing_the_tools_again_has_an_end) {
    Behaviour behaviour;
    behaviour.on_connection = [](Wire& wire) {
        static std::atomic<int> page = 0;
        std::string const json = "Content-Type: application/json\r\n";
        while (auto const request = HostileServer::read_request(wire)) {
            Heard const heard(request->second);
            if (heard.method == "server/discover") {
                wire.write(response(
                    200, json,
                    result_of(heard.id,
                              R"({"resultType":"complete","supportedVersions":["2026-07-28"],)"
                              R"("capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"})")));
            } else if (heard.method == "tools/list") {
                wire.write(response(
                    200, json,
                    result_of(heard.id,
                              R"({"resultType":"complete","ttlMs":0,"cacheScope":"private",)"
                              R"("tools":[],"nextCursor":")" +
                                  std::to_string(++page) + R"("})")));
            } else {
                wire.write(response(400, json,
                                    R"({"jsonrpc":"2.0","id":)" + heard.id +
                                        R"(,"error":{"code":-32020,"message":"header"}})"));
            }
        }
    };
    server.emplace(Carrier::http, behaviour);
    connect(*server);
    auto const begin = Clock::now();
    auto const called = attempt(client.call_tool("t", RawJson(), CallOptions().timeout(1s)));
    ASSERT_FALSE(called);
    EXPECT_TRUE(called.error().is(Errc::timeout) || called.error().is(Errc::protocol_violation))
        << called.error().what();
    EXPECT_LT(Clock::now() - begin, 10s);
}

}  // namespace
}  // namespace lanyard::hostile
