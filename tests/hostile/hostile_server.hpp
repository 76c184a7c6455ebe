// HostileServer: a server that misbehaves as a test specifies, in a separate process, so that the
// memory of this process is that of the client only.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/json.hpp>
#include <boost/uuid/detail/sha1.hpp>

#include "lanyard/base64.hpp"
#include "lanyard/connect.hpp"
#include "support/websocket_frames.hpp"
#include "transport/stream_transport.hpp"

namespace lanyard::hostile {

/// `http_with_sse` is the transport of 2024-11-05: one event stream carries all messages of the
/// server.
enum class Carrier { stdio, tcp, websocket, http, http_with_sse };

inline std::string name_of(Carrier carrier) {
    constexpr char const* names[] = {"stdio", "tcp", "websocket", "http", "http_with_sse"};
    return names[static_cast<int>(carrier)];
}

/// Blocking input and output of the hostile side. Failures end the process or the thread.
class Wire {
public:
    Wire(int in, int out) : in_(in), out_(out) {}

    /// Returns false once the client is gone.
    bool write(std::string_view bytes) const {
        while (!bytes.empty()) {
            auto const sent = ::write(out_, bytes.data(), bytes.size());
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    /// Reads more into the buffer; returns false at the end.
    bool fill() {
        char bytes[64 * 1024];
        auto const got = ::read(in_, bytes, sizeof bytes);
        if (got <= 0) return false;
        buffer_.append(bytes, static_cast<std::size_t>(got));
        return true;
    }
    /// Returns everything before the mark, and removes both; nullopt at the end.
    std::optional<std::string> read_to(std::string_view mark) {
        auto at = buffer_.find(mark);
        while (at == std::string::npos) {
            if (!fill()) return std::nullopt;
            at = buffer_.find(mark);
        }
        auto text = buffer_.substr(0, at);
        buffer_.erase(0, at + mark.size());
        return text;
    }
    std::optional<std::string> read_bytes(std::size_t count) {
        while (buffer_.size() < count) {
            if (!fill()) return std::nullopt;
        }
        auto text = buffer_.substr(0, count);
        buffer_.erase(0, count);
        return text;
    }
    std::string& buffer() { return buffer_; }
    /// Ends the connection; other threads may still use it.
    void shut_down() const { ::shutdown(in_, SHUT_RDWR); }
    void close() const {
        ::shutdown(in_, SHUT_RDWR);
        ::close(in_);
        if (out_ != in_) ::close(out_);
    }

private:
    int in_;
    int out_;
    std::string buffer_;
};

/// Sends JSON-RPC messages for the hostile side.
class Out {
public:
    explicit Out(Wire& wire) : wire_(wire) {}
    virtual ~Out() = default;

    /// The message with the framing of the transport.
    virtual std::string framed(std::string_view message) const = 0;
    /// Returns false once the client is gone.
    bool send(std::string_view message) const { return raw(framed(message)); }
    /// Sends bytes without framing.
    bool raw(std::string_view bytes) const { return wire_.write(bytes); }
    /// Sends the message repeatedly, as fast as the client reads it.
    void flood(std::string_view message) const {
        auto const one = framed(message);
        std::string many;
        while (many.size() < std::size_t{64} * 1024) many += one;
        while (raw(many)) continue;
    }
    Wire& wire() const { return wire_; }

private:
    Wire& wire_;
};

class Lines final : public Out {
public:
    using Out::Out;
    std::string framed(std::string_view message) const override {
        return std::string(message) + "\n";
    }
};

class Frames final : public Out {
public:
    using Out::Out;
    std::string framed(std::string_view message) const override {
        return test::text_frame(std::string(message), false);
    }
};

class Events final : public Out {
public:
    using Out::Out;
    std::string framed(std::string_view message) const override {
        return "data: " + std::string(message) + "\n\n";
    }
};

/// Events on a connection that also serves further requests.
class ChunkedEvents final : public Out {
public:
    using Out::Out;
    std::string framed(std::string_view message) const override {
        auto const event = "data: " + std::string(message) + "\n\n";
        std::array<char, 20> size{};
        auto const end =
            std::to_chars(size.data(), size.data() + size.size(), event.size(), 16).ptr;
        return std::string(size.data(), end) + "\r\n" + event + "\r\n";
    }
};

/// A message of the client.
struct Heard {
    explicit Heard(std::string const& text) {
        boost::system::error_code ignored;
        auto const value = boost::json::parse(text, ignored);
        if (!value.is_object()) return;
        auto const& object = value.as_object();
        if (auto const* const name = object.if_contains("method")) {
            method = name->as_string().c_str();
        }
        if (auto const* const number = object.if_contains("id"))
            id = boost::json::serialize(*number);
        if (auto const* const given = object.if_contains("params")) params = *given;
    }

    bool is_request() const { return !method.empty() && !id.empty(); }

    std::string method{};
    std::string id{};  ///< as JSON
    boost::json::value params{};
};

inline std::string result_of(std::string const& id, std::string_view result) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + std::string(result) + "}";
}

/// Answers the messages that open a connection of 2025-11-25; returns false for other messages.
inline bool answer_opening(Heard const& heard, Out const& out) {
    if (heard.method == "server/discover") {
        out.send(R"({"jsonrpc":"2.0","id":)" + heard.id +
                 R"(,"error":{"code":-32601,"message":"no"}})");
    } else if (heard.method == "initialize") {
        out.send(result_of(heard.id, R"({"protocolVersion":"2025-11-25","capabilities":)"
                                     R"({"tools":{},"resources":{},"prompts":{},"logging":{}},)"
                                     R"("serverInfo":{"name":"hostile","version":"1"}})"));
    } else {
        return heard.method.starts_with("notifications/");
    }
    return true;
}

struct Behaviour {
    /// Called for each message of the client; over HTTP for each request, whose response is a
    /// stream of events. Need not return. With HTTP+SSE, `Out` is the stream of the session.
    std::function<void(Heard const&, Out const&)> on_message{};
    /// HTTP: whether notifications and answers are accepted after the opening.
    bool accepts = true;
    /// HTTP: whether a connection serves several requests. on_message must return then.
    bool keeps_connections = false;
    /// Replaces all of the above: gets the raw connection.
    std::function<void(Wire&)> on_connection{};
};

class HostileServer {
public:
    HostileServer(Carrier carrier, Behaviour behaviour)
        : carrier_(carrier), behaviour_(std::move(behaviour)) {
        if (carrier == Carrier::stdio) {
            start_on_pipes();
        } else {
            start_listening();
        }
    }
    ~HostileServer() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    HostileServer(HostileServer const&) = delete;
    HostileServer& operator=(HostileServer const&) = delete;

    std::string url() const {
        auto const address = "127.0.0.1:" + std::to_string(port_);
        if (carrier_ == Carrier::tcp) return "tcp://" + address;
        if (carrier_ == Carrier::websocket) return "ws://" + address + "/mcp/ws";
        return "http://" + address + "/mcp";
    }
    Task<Client> connect(boost::asio::any_io_executor const& executor, ClientOptions const& options,
                         HttpClientOptions http = {}) {
        if (carrier_ == Carrier::tcp) return lanyard::connect(url(), options);
        if (carrier_ != Carrier::stdio) return lanyard::connect(url(), options, std::move(http));
        // As the transport for child processes does.
        std::signal(SIGPIPE, SIG_IGN);
        std::unique_ptr<Transport> transport = std::make_unique<transport::StreamTransport>(
            executor, transport::Descriptor(std::exchange(from_server_, -1)),
            transport::Descriptor(std::exchange(to_server_, -1)), StreamOptions(),
            TransportInfo{.kind = "stdio", .peer = "hostile"});
        return lanyard::connect(std::move(transport), options);
    }

private:
    // The process is killed when this one ends.
    template <class Run>
    void start(Run run) {
        process_ = ::fork();
        if (process_ != 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        std::signal(SIGPIPE, SIG_IGN);
        run();
        ::_exit(0);
    }

    void start_on_pipes() {
        int to_server[2];
        int from_server[2];
        if (::pipe(to_server) != 0 || ::pipe(from_server) != 0) std::abort();
        start([&] {
            ::close(to_server[1]);
            ::close(from_server[0]);
            Wire wire(to_server[0], from_server[1]);
            serve_lines(wire);
        });
        ::close(to_server[0]);
        ::close(from_server[1]);
        to_server_ = to_server[1];
        from_server_ = from_server[0];
    }

    void start_listening() {
        int const listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address);
        socklen_t size = sizeof address;
        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        ::listen(listener, 128);
        start([&] {
            for (;;) {
                int const socket = ::accept(listener, nullptr, nullptr);
                if (socket < 0) return;
                int const on = 1;  // a response may consist of several small writes
                ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                std::thread([this, socket] {
                    Wire wire(socket, socket);
                    serve(wire);
                    wire.close();
                }).detach();
            }
        });
        ::close(listener);
    }

    void serve(Wire& wire) {
        if (behaviour_.on_connection) {
            behaviour_.on_connection(wire);
        } else if (carrier_ == Carrier::tcp) {
            serve_lines(wire);
        } else if (carrier_ == Carrier::websocket) {
            serve_websocket(wire);
        } else if (carrier_ == Carrier::http_with_sse) {
            serve_http_with_sse(wire);
        } else {
            serve_http(wire);
        }
    }

    void serve_lines(Wire& wire) {
        Lines const out(wire);
        if (behaviour_.on_connection) {
            behaviour_.on_connection(wire);
            return;
        }
        while (auto const line = wire.read_to("\n")) behaviour_.on_message(Heard(*line), out);
    }

    void serve_websocket(Wire& wire) {
        if (!open_websocket(wire)) return;
        Frames const out(wire);
        for (;;) {
            auto const frame = test::take_frame(wire.buffer());
            if (!frame) {
                if (!wire.fill()) return;
            } else if (frame->opcode == test::opcode::text) {
                behaviour_.on_message(Heard(frame->payload), out);
            } else if (frame->opcode == test::opcode::close) {
                wire.write(test::close_frame(1000, {}, false));
                return;
            }
        }
    }

    /// Accepts a message that needs no answer. That of the opening is always accepted.
    void accept(Heard const& heard, Wire& wire) const {
        while (!behaviour_.accepts && heard.method != "notifications/initialized") ::pause();
        wire.write(accepted);
    }

    void serve_http_with_sse(Wire& wire) {
        while (auto const request = read_request(wire)) {
            auto const& [head, body] = *request;
            Heard const heard(body);
            if (head.starts_with("GET")) {
                events_ = &wire;
                wire.write(endpoint_stream);
                // Other threads write to this connection until the process ends.
                for (;;) ::pause();
            }
            if (!head.starts_with("POST /messages")) {
                wire.write(not_allowed);
            } else if (!heard.is_request()) {
                accept(heard, wire);
            } else {
                wire.write(accepted);
                behaviour_.on_message(heard, Events(*events_));
            }
        }
    }

    void serve_http(Wire& wire) {
        while (auto const request = read_request(wire)) {
            auto const& [head, body] = *request;
            Heard const heard(body);
            if (!head.starts_with("POST")) {
                wire.write(not_allowed);
            } else if (!heard.is_request()) {
                accept(heard, wire);
            } else if (behaviour_.keeps_connections) {
                wire.write(
                    "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n"
                    "Mcp-Session-Id: s\r\nTransfer-Encoding: chunked\r\n\r\n");
                behaviour_.on_message(heard, ChunkedEvents(wire));
                wire.write("0\r\n\r\n");
            } else {
                wire.write(
                    "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n"
                    "Mcp-Session-Id: s\r\nConnection: close\r\n\r\n");
                behaviour_.on_message(heard, Events(wire));
                return;
            }
        }
    }

public:
    static constexpr std::string_view not_allowed = "HTTP/1.1 405 X\r\nContent-Length: 0\r\n\r\n";
    static constexpr std::string_view accepted = "HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n";
    /// The response that opens the stream of HTTP+SSE.
    static constexpr std::string_view endpoint_stream =
        "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        "event: endpoint\ndata: /messages\n\n";

    /// Performs the server's side of the handshake; returns false if the client sent none.
    static bool open_websocket(Wire& wire) {
        auto const head = wire.read_to("\r\n\r\n");
        if (!head) return false;
        constexpr std::string_view name = "Sec-WebSocket-Key: ";
        auto const at = head->find(name);
        if (at == std::string::npos) return false;
        auto const key = head->substr(at + name.size(), 24);
        boost::uuids::detail::sha1 hash;
        auto const text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        hash.process_bytes(text.data(), text.size());
        unsigned words[5];
        hash.get_digest(words);
        std::string digest;
        for (auto const word : words) {
            for (int shift = 24; shift >= 0; shift -= 8) {
                digest.push_back(static_cast<char>(word >> shift & 0xFF));
            }
        }
        return wire.write(
            "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: " +
            base64::encode(digest) + "\r\n\r\n");
    }

    /// Reads the next HTTP request: its head and its body.
    static std::optional<std::pair<std::string, std::string>> read_request(Wire& wire) {
        auto head = wire.read_to("\r\n\r\n");
        if (!head) return std::nullopt;
        constexpr std::string_view name = "Content-Length: ";
        auto const at = head->find(name);
        auto const size = at == std::string::npos ? 0 : std::stoul(head->substr(at + name.size()));
        auto body = wire.read_bytes(size);
        if (!body) return std::nullopt;
        return std::pair(*std::move(head), *std::move(body));
    }

private:
    Carrier carrier_;
    Behaviour behaviour_;
    std::atomic<Wire*> events_ = nullptr;  // the stream of HTTP+SSE
    pid_t process_ = -1;
    int to_server_ = -1;
    int from_server_ = -1;
    int port_ = 0;
};

}  // namespace lanyard::hostile
