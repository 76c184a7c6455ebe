// The gate: Host x Origin x Content-Type on every route, Accept, metadata, CORS.
#include "http/server/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/http.hpp"

namespace lanyard::http {
namespace {

using ::testing::HasSubstr;

using Kind = RouteTarget::Kind;

EndpointOptions every_route() {
    EndpointOptions options;
    options.sse_path = "/sse";
    options.message_path = "/messages";
    options.websocket_path = "/mcp/ws";
    return options;
}

AdmissionGate make_gate(AdmissionOptions const& options = {}) {
    auto router = Router::make(every_route()).value();
    EXPECT_TRUE(router.add("/health", {.route = {Kind::extra, 1}}));
    return AdmissionGate::make(options, std::move(router)).value();
}

constexpr std::string_view json_type = "Content-Type: application/json\r\n";

/// Asks a gate about a request; "" means that a field is absent.
class Asker {
public:
    explicit Asker(AdmissionGate gate) : gate_(std::move(gate)) {}

    // Returns the status of the refusal, or 0 if the request is admitted.
    int ask(std::string_view method, std::string_view target, std::string_view fields) {
        text_ = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\n" +
                std::string(fields) + "\r\n";
        reader_ = RequestReader();
        reader_.feed(text_);
        if (reader_.next() != RequestReader::Event::head) {
            rejection_ = reader_.rejection();
            return number_of(rejection_.status);
        }
        auto const result = gate_.admit(reader_.head());
        if (result) {
            admission_ = *result;
            return 0;
        }
        rejection_ = result.error();
        return number_of(rejection_.status);
    }

    int post(std::string_view fields) {
        return ask("POST", "/mcp", "Host: localhost\r\n" + std::string(fields));
    }

    Admission const& admission() const { return admission_; }
    Rejection const& rejection() const { return rejection_; }
    std::string preflight() const {
        std::string out;
        append_preflight(out, admission_, reader_.head(), gate_);
        return out;
    }

private:
    AdmissionGate gate_;
    std::string text_;
    RequestReader reader_;
    Admission admission_;
    Rejection rejection_;
};

struct Sample {
    std::string_view value;
    int status;  // of the refusal; 0 if it is admitted
};

TEST(Hardening, S01_host_origin_and_content_type_on_every_route) {
    Sample const hosts[] = {{"localhost", 0},
                            {"localhost:8080", 0},
                            {"LOCALHOST", 0},
                            {"127.0.0.1:1", 0},
                            {"[::1]", 0},
                            {"[::1]:8080", 0},
                            {"evil.com", 403},
                            {"evil.com:8080", 403},
                            {"localhost.evil.com", 403},
                            {"127.0.0.1.evil.com", 403},
                            {"localhost.", 403},
                            {"[::ffff:127.0.0.1]", 403},
                            {"127.0.0.2", 403},
                            {"0.0.0.0", 403},
                            {"2130706433", 400},
                            {"localhost:", 400},
                            {"localhost:x", 400},
                            {"user@localhost", 400},
                            {"localhost, evil.com", 400},
                            {"", 400}};
    Sample const origins[] = {{"", 0},
                              {"http://localhost:8080", 0},
                              {"http://127.0.0.1:6274", 0},
                              {"https://[::1]", 0},
                              {"null", 403},
                              {"http://evil.com", 403},
                              {"http://localhost.evil.com", 403},
                              {"http://localhost@evil.com", 403},
                              {"http://localhost/", 403},
                              {"file://", 403},
                              {"localhost", 403}};
    Sample const types[] = {{"application/json", 0},
                            {"application/json; charset=utf-8", 0},
                            {"application/json;charset=x", 415},
                            {"text/plain", 415},
                            {"application/x-www-form-urlencoded", 415},
                            {"multipart/form-data; boundary=x", 415},
                            {"text/plain, application/json", 415},
                            {"", 415}};
    auto const gate = make_gate();
    Asker asker(gate);
    std::size_t routes = 0, refused = 0, admitted = 0;
    // The loops cover all routes, so that none can be omitted (S-02).
    for (auto const& path : gate.router().paths()) {
        for (auto const& rule : path.rules) {
            ++routes;
            for (auto const& host : hosts) {
                std::string const name(host.value);
                for (auto const& origin : origins) {
                    for (auto const& type : types) {
                        std::string fields = "Host: " + std::string(host.value) + "\r\n";
                        if (!origin.value.empty()) {
                            fields += "Origin: " + std::string(origin.value) + "\r\n";
                        }
                        if (!type.value.empty()) {
                            fields += "Content-Type: " + std::string(type.value) + "\r\n";
                        }
                        auto expected = host.status;
                        if (expected == 0) expected = origin.status;
                        if (expected == 0 && rule.route.kind == Kind::websocket &&
                            !origin.value.empty() && !origin.value.ends_with("/" + name)) {
                            expected = 403;
                        }
                        if (expected == 0 && rule.json_body) expected = type.status;
                        EXPECT_EQ(asker.ask(to_string(rule.method), path.path, fields), expected)
                            << path.path << "\n"
                            << fields;
                        ++(expected == 0 ? admitted : refused);
                    }
                }
            }
        }
    }
    EXPECT_EQ(routes, 7U);
    EXPECT_GT(admitted, 500U);
    EXPECT_GT(refused, 5000U);
}

TEST(Hardening, S01_a_request_has_exactly_one_host) {
    Asker asker(make_gate());
    EXPECT_EQ(asker.ask("GET", "/health", ""), 400);
    EXPECT_EQ(asker.ask("GET", "/health", "Host: localhost\r\nHost: localhost\r\n"), 400);
    EXPECT_EQ(asker.ask("GET", "http://localhost/health", "Host: localhost\r\n"), 400);
    EXPECT_EQ(asker.ask("GET", "http://evil.com/health", "Host: localhost\r\n"), 400);
    EXPECT_EQ(asker.ask("GET", "/health",
                        "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://a\r\n"),
              400);
}

TEST(Hardening, S01_a_public_server_without_a_list_does_not_start) {
    for (std::string const bind : {"0.0.0.0", "[::]", "192.168.1.5", "example.com"}) {
        AdmissionOptions options;
        options.bind_host = bind;
        auto const gate = AdmissionGate::make(options, Router());
        ASSERT_FALSE(gate) << bind;
        EXPECT_TRUE(gate.error().is(Errc::invalid_argument));
        EXPECT_THAT(gate.error().message(), HasSubstr("allow_host()"));
        options.allowed_hosts = {"example.com"};
        EXPECT_TRUE(AdmissionGate::make(options, Router()));
    }
    for (std::string const bind : {"127.0.0.1", "[::1]", "localhost", "127.1.2.3"}) {
        AdmissionOptions options;
        options.bind_host = bind;
        EXPECT_TRUE(AdmissionGate::make(options, Router())) << bind;
    }
}

TEST(AdmissionGate, errors_name_the_invalid_entry_of_a_list) {
    AdmissionOptions options;
    options.bind_host = "127.0.0.1:80";
    EXPECT_THAT(AdmissionGate::make(options, Router()).error().message(),
                HasSubstr("127.0.0.1:80"));
    options = {};
    options.allowed_hosts = {"a", "http://b"};
    EXPECT_THAT(AdmissionGate::make(options, Router()).error().message(), HasSubstr("http://b"));
    for (std::string const origin : {"a.example", "https://a/", "https://", "null", "://a"}) {
        options = {};
        options.allowed_origins = {origin};
        EXPECT_FALSE(AdmissionGate::make(options, Router())) << origin;
    }
}

TEST(AdmissionGate, a_public_server_accepts_the_hosts_of_its_list) {
    AdmissionOptions options;
    options.bind_host = "0.0.0.0";
    options.allowed_hosts = {"API.example", "other.example:8443", "[2001:db8::1]"};
    Asker asker(make_gate(options));
    auto const host = [&](std::string const& text) {
        return asker.ask("GET", "/health", "Host: " + text + "\r\n");
    };
    EXPECT_EQ(host("api.example"), 0);
    EXPECT_EQ(host("api.example:99"), 0);
    EXPECT_EQ(host("other.example:8443"), 0);
    EXPECT_EQ(host("other.example"), 403);
    EXPECT_EQ(host("other.example:443"), 403);
    EXPECT_EQ(host("[2001:DB8:0::1]:80"), 0);
    EXPECT_EQ(host("localhost"), 403);
    EXPECT_EQ(host("127.0.0.1"), 403);
    EXPECT_EQ(host("0.0.0.0"), 403);
}

TEST(AdmissionGate, the_servers_own_loopback_address_is_accepted_as_host) {
    AdmissionOptions options;
    options.bind_host = "127.0.0.2";
    options.allowed_hosts = {"my.example"};
    Asker asker(make_gate(options));
    EXPECT_EQ(asker.ask("GET", "/health", "Host: 127.0.0.2:80\r\n"), 0);
    EXPECT_EQ(asker.ask("GET", "/health", "Host: my.example\r\n"), 0);
    EXPECT_EQ(asker.ask("GET", "/health", "Host: 127.0.0.3\r\n"), 403);
}

TEST(Rule, H03_pages_of_the_servers_own_origin_may_call) {
    AdmissionOptions options;
    options.bind_host = "0.0.0.0";
    options.allowed_hosts = {"api.example"};
    Asker asker(make_gate(options));
    auto const from = [&](std::string const& host, std::string const& origin) {
        return asker.ask("GET", "/health", "Host: " + host + "\r\nOrigin: " + origin + "\r\n");
    };
    EXPECT_EQ(from("api.example", "https://api.example"), 0);
    EXPECT_EQ(from("api.example", "http://api.example"), 0);
    EXPECT_EQ(from("api.example:8080", "http://api.example:8080"), 0);
    EXPECT_EQ(from("api.example:443", "https://api.example"), 0);
    EXPECT_EQ(from("api.example:8080", "http://api.example"), 403);
    EXPECT_EQ(from("api.example", "http://localhost"), 403);
    EXPECT_EQ(from("api.example", "https://evil.example"), 403);
    EXPECT_EQ(asker.admission().cors_origin, "");
}

TEST(Hardening, S04_only_listed_and_own_origins_open_a_websocket) {
    AdmissionOptions options;
    options.allowed_origins = {"https://app.example"};
    Asker asker(make_gate(options));
    auto const open = [&](std::string const& host, std::string const& origin) {
        return asker.ask(
            "GET", "/mcp/ws",
            "Host: " + host + "\r\n" + (origin.empty() ? origin : "Origin: " + origin + "\r\n"));
    };
    EXPECT_EQ(open("localhost", ""), 0);
    EXPECT_EQ(open("localhost:80", "http://localhost"), 0);
    EXPECT_EQ(open("localhost:3000", "http://localhost:3000"), 0);
    EXPECT_EQ(open("localhost", "https://app.example"), 0);
    EXPECT_EQ(asker.admission().route.kind, Kind::websocket);
    for (auto const* const stranger :
         {"http://localhost:3000", "http://127.0.0.1", "https://evil.example", "null"}) {
        EXPECT_EQ(open("localhost", stranger), 403) << stranger;
    }
}

TEST(AdmissionGate, a_server_that_accepts_any_host_trusts_only_listed_origins) {
    AdmissionOptions options;
    options.bind_host = "0.0.0.0";
    options.allowed_hosts = {"*"};
    options.allowed_origins = {"https://app.example"};
    Asker asker(make_gate(options));
    EXPECT_EQ(asker.ask("GET", "/health", "Host: evil.com\r\n"), 0);
    EXPECT_EQ(asker.ask("GET", "/health", "Host: evil.com\r\nOrigin: http://evil.com\r\n"), 403);
    EXPECT_EQ(asker.ask("GET", "/health", "Host: a\r\nOrigin: https://app.example\r\n"), 0);
}

TEST(Cors, listed_origins_may_read_the_answer_and_the_refusal) {
    AdmissionOptions options;
    options.allowed_origins = {"https://app.example", "vscode-webview://abc"};
    Asker asker(make_gate(options));
    for (std::string const origin : {"https://app.example", "vscode-webview://abc"}) {
        auto const field = "Origin: " + origin + "\r\n";
        EXPECT_EQ(asker.post(field + std::string(json_type)), 0);
        EXPECT_EQ(asker.admission().cors_origin, origin);
        EXPECT_EQ(asker.post(field), 415);
        EXPECT_EQ(asker.rejection().cors_origin, origin);
        EXPECT_EQ(asker.ask("GET", "/nothing", "Host: localhost\r\n" + field), 404);
        EXPECT_EQ(asker.rejection().cors_origin, origin);
    }
    EXPECT_EQ(asker.post("Origin: https://app.example:444\r\n"), 403);
    EXPECT_EQ(asker.rejection().cors_origin, "");
    EXPECT_EQ(asker.post("Origin: http://localhost\r\n" + std::string(json_type)), 0);
    EXPECT_EQ(asker.admission().cors_origin, "") << "may call, but is not listed";
}

TEST(Cors, a_wildcard_accepts_any_origin_except_null) {
    AdmissionOptions options;
    options.allowed_origins = {"*"};
    Asker asker(make_gate(options));
    EXPECT_EQ(asker.post("Origin: https://who.example\r\n" + std::string(json_type)), 0);
    EXPECT_EQ(asker.admission().cors_origin, "https://who.example");
    EXPECT_EQ(asker.post("Origin: null\r\n"), 403);
}

TEST(Cors, a_preflight_of_a_listed_origin_is_answered) {
    AdmissionOptions options;
    options.allowed_origins = {"https://app.example"};
    Asker asker(make_gate(options));
    auto const preflight = [&](std::string const& target, std::string const& fields) {
        return asker.ask("OPTIONS", target, "Host: localhost\r\n" + fields);
    };
    std::string const listed = "Origin: https://app.example\r\n";
    std::string const method = "Access-Control-Request-Method: POST\r\n";
    EXPECT_EQ(preflight("/mcp", listed + method), 0);
    EXPECT_EQ(asker.admission().route.kind, Kind::preflight);
    auto const plain = test::responses_of({asker.preflight()});
    ASSERT_EQ(plain.size(), 1U);
    EXPECT_TRUE(plain[0].starts_with("204 "));
    EXPECT_THAT(plain[0], HasSubstr("Access-Control-Allow-Origin=https://app.example|"));
    EXPECT_THAT(plain[0], HasSubstr("Access-Control-Allow-Methods=POST, GET, DELETE|"));
    EXPECT_THAT(plain[0], HasSubstr("Mcp-Session-Id|Access-Control-Max-Age=600]"));

    EXPECT_EQ(
        preflight("/mcp", listed + method +
                              "Access-Control-Request-Headers: content-type, mcp-param-Region,"
                              "x-evil,mcp-param-,Mcp-Param-b(d\r\n"
                              "Access-Control-Request-Private-Network: true\r\n"),
        0);
    auto const full = asker.preflight();
    EXPECT_THAT(full, HasSubstr("Mcp-Session-Id, mcp-param-Region\r\n"));
    EXPECT_THAT(full, HasSubstr("Access-Control-Allow-Private-Network: true\r\n"));

    EXPECT_EQ(preflight("/nothing", listed + method), 404);
    EXPECT_EQ(preflight("/mcp", listed), 405);
    EXPECT_EQ(preflight("/mcp", method), 405);
    EXPECT_EQ(preflight("/mcp", "Origin: http://localhost\r\n" + method), 405);
    EXPECT_EQ(preflight("/mcp", "Origin: https://evil.example\r\n" + method), 403);
}

TEST(AdmissionGate, unknown_paths_and_methods_are_refused) {
    Asker asker(make_gate());
    EXPECT_EQ(asker.ask("GET", "/", "Host: localhost\r\n"), 404);
    EXPECT_EQ(asker.ask("GET", "/health?x=y", "Host: localhost\r\n"), 0);
    EXPECT_EQ(asker.admission().route.number, 1);
    EXPECT_EQ(asker.ask("PUT", "/mcp", "Host: localhost\r\n"), 405);
    EXPECT_EQ(asker.rejection().allow, "POST, GET, DELETE");
    EXPECT_EQ(asker.ask("POST", "/sse", "Host: localhost\r\n"), 405);
    EXPECT_EQ(asker.rejection().allow, "GET");
}

TEST(Rule, H07_post_must_accept_both_kinds_of_answers) {
    Asker asker(make_gate());
    auto const accept = [&](std::string const& value) {
        return asker.post(std::string(json_type) + "Accept: " + value + "\r\n");
    };
    EXPECT_EQ(accept("application/json, text/event-stream"), 0);
    EXPECT_TRUE(asker.admission().takes_stream);
    EXPECT_EQ(accept("*/*"), 0);
    EXPECT_EQ(asker.post(json_type), 0);
    EXPECT_EQ(accept("application/json"), 406);
    EXPECT_EQ(accept("text/event-stream"), 406);
    EXPECT_EQ(accept("application/json, text/event-stream;q=0"), 406);
    EXPECT_EQ(asker.rejection().reason, "Accept must list application/json and text/event-stream");
}

TEST(AdmissionGate, a_server_without_streams_needs_json_only) {
    EndpointOptions endpoint;
    endpoint.stream_answers = false;
    Asker asker(AdmissionGate::make({}, Router::make(endpoint).value()).value());
    EXPECT_EQ(asker.post(std::string(json_type) + "Accept: application/json\r\n"), 0);
    EXPECT_FALSE(asker.admission().takes_stream);
    EXPECT_EQ(asker.post(std::string(json_type) + "Accept: text/event-stream\r\n"), 406);
    EXPECT_EQ(asker.rejection().reason, "Accept must list application/json");
}

TEST(Rule, H24_get_must_accept_streams) {
    Asker asker(make_gate());
    for (std::string const path : {"/mcp", "/sse"}) {
        EXPECT_EQ(asker.ask("GET", path, "Host: localhost\r\nAccept: text/event-stream\r\n"), 0);
        EXPECT_EQ(asker.ask("GET", path, "Host: localhost\r\nAccept: application/json\r\n"), 406);
        EXPECT_EQ(asker.rejection().reason, "Accept must list text/event-stream");
    }
    EXPECT_EQ(asker.ask("DELETE", "/mcp", "Host: localhost\r\nAccept: text/html\r\n"), 0);
}

TEST(Hardening, S03_compressed_bodies_are_refused) {
    Asker asker(make_gate());
    EXPECT_EQ(asker.post(std::string(json_type) + "Content-Encoding: gzip\r\n"), 415);
    EXPECT_EQ(asker.post(std::string(json_type) + "Content-Encoding: Identity\r\n"), 0);
}

TEST(AdmissionGate, repeated_single_headers_are_refused) {
    Asker asker(make_gate());
    for (std::string const field : {"Authorization: Bearer a\r\n", "Last-Event-ID: a\r\n",
                                    "Content-Encoding: identity\r\n"}) {
        EXPECT_EQ(asker.post(std::string(json_type) + field), 0) << field;
        EXPECT_EQ(asker.post(std::string(json_type) + field + field), 400) << field;
        EXPECT_EQ(asker.rejection().code, -32600);
    }
    EXPECT_EQ(asker.post(std::string(json_type) + std::string(json_type)), 400);
}

TEST(Hardening, S25_headers_of_the_protocol_have_one_well_formed_value) {
    Asker asker(make_gate());
    for (std::string const field :
         {"Mcp-Method: tools/call\r\n", "Mcp-Name: a\r\n", "Mcp-Session-Id: a\r\n",
          "MCP-Protocol-Version: 2025-11-25\r\n"}) {
        EXPECT_EQ(asker.post(std::string(json_type) + field), 0) << field;
        EXPECT_EQ(asker.post(std::string(json_type) + field + field), 400) << field;
        EXPECT_EQ(asker.rejection().code, -32020);
    }
    auto const version = [&](std::string const& value) {
        return asker.post(std::string(json_type) + "MCP-Protocol-Version: " + value + "\r\n");
    };
    EXPECT_EQ(version("v999"), 0) << "whether it is served is another question";
    EXPECT_EQ(version(std::string(64, 'x')), 0);
    EXPECT_EQ(version(std::string(65, 'x')), 400);
    EXPECT_EQ(version(""), 400);
    EXPECT_EQ(version("2025-11-25, 2025-11-25"), 400);
    auto const session = [&](std::string const& value) {
        return asker.post(std::string(json_type) + "Mcp-Session-Id: " + value + "\r\n");
    };
    EXPECT_EQ(session(std::string(256, '~')), 0);
    EXPECT_EQ(session(std::string(257, '~')), 400);
    EXPECT_EQ(session("a b"), 400);
    EXPECT_EQ(session("\xC3\xA9"), 400);
    EXPECT_EQ(session(""), 400);
}

}  // namespace
}  // namespace lanyard::http
