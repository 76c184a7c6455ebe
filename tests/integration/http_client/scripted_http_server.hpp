// An HTTP server controlled by the test, byte by byte: one thread per connection, blocking sockets,
// optional TLS. It counts connections and records every request.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/json.hpp>

#include "http/server/request_reader.hpp"
#include "sockets/tls_engine.hpp"

namespace lanyard::http_client_test {

struct Seen {
    int connection = 0;  ///< starts at 1
    int on_connection = 0;
    std::string line{};                           ///< "POST /mcp"
    std::map<std::string, std::string> fields{};  ///< names in lower case
    std::string body{};

    std::string operator[](std::string const& name) const {
        auto const found = fields.find(name);
        return found == fields.end() ? "-" : found->second;
    }
    boost::json::object json() const { return boost::json::parse(body).as_object(); }
    /// The JSON-RPC method; empty if there is none.
    std::string method() const {
        if (body.empty() || body[0] != '{') return {};
        auto const object = json();
        auto const* const name = object.if_contains("method");
        return name != nullptr ? std::string(name->as_string()) : std::string();
    }
    std::int64_t id() const { return json().at("id").to_number<std::int64_t>(); }
};

/// One end of a socket. Reading returns an empty text once the peer has disconnected.
class Stream {
public:
    Stream(int socket, sockets::TlsContext const* tls) : socket_(socket) {
        if (tls != nullptr) tls_ = std::make_unique<sockets::TlsEngine>(*tls);
    }
    ~Stream() { ::close(socket_); }
    Stream(Stream const&) = delete;
    Stream& operator=(Stream const&) = delete;

    std::string read() {
        std::string text;
        for (;;) {
            if (tls_ && tls_->read(text)) return text;
            char buffer[16 * 1024];
            auto const got = ::recv(socket_, buffer, sizeof buffer, 0);
            if (got <= 0) return {};
            std::string_view const bytes(buffer, static_cast<std::size_t>(got));
            if (!tls_) return std::string(bytes);
            tls_->receive(bytes);
            send_output();
        }
    }
    void write(std::string_view text) {
        if (!tls_) {
            write_all(text);
            return;
        }
        while (!text.empty()) {
            text.remove_prefix(tls_->write(text));
            send_output();
        }
    }
    /// Ends the connection, also for threads that wait for it.
    void close() {
        if (tls_) {
            tls_->end();
            send_output();
        }
        ::shutdown(socket_, SHUT_RDWR);
    }
    void cut() const { ::shutdown(socket_, SHUT_RDWR); }

private:
    void send_output() {
        write_all(tls_->output());
        tls_->consume(tls_->output().size());
    }
    void write_all(std::string_view text) const {
        while (!text.empty()) {
            auto const sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    int socket_;
    std::unique_ptr<sockets::TlsEngine> tls_;
};

/// A request, and functions to answer it.
class Turn {
public:
    Turn(Seen request, Stream& stream) : seen(std::move(request)), stream_(stream) {}

    void send(std::string_view bytes) { stream_.write(bytes); }
    void status(int code, std::string_view fields = {}) {
        send("HTTP/1.1 " + std::to_string(code) + " X\r\n" + std::string(fields) +
             "Content-Length: 0\r\n\r\n");
    }
    void json(std::string_view body, std::string_view fields = {}, int code = 200) {
        send("HTTP/1.1 " + std::to_string(code) + " X\r\nContent-Type: application/json\r\n" +
             std::string(fields) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
             std::string(body));
    }
    /// Answers the JSON-RPC request.
    void result(std::string_view content, std::string_view fields = {}) {
        json(result_text(content), fields);
    }
    std::string result_text(std::string_view content) const {
        return R"({"jsonrpc":"2.0","id":)" + std::to_string(seen.id()) + R"(,"result":)" +
               std::string(content) + "}";
    }
    void begin_stream(std::string_view fields = {}) {
        send("HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n" +
             std::string(fields) + "\r\n");
    }
    void chunk(std::string_view text) {
        char size[20];
        std::snprintf(size, sizeof size, "%zx\r\n", text.size());
        send(size + std::string(text) + "\r\n");
    }
    void end_stream() { send("0\r\n\r\n"); }
    /// Closes the connection after the sent bytes.
    void close() {
        stream_.close();
        closed_ = true;
    }
    /// Returns once the client has closed the connection.
    void wait_until_closed() {
        while (!stream_.read().empty()) continue;
        closed_ = true;
    }
    bool is_closed() const { return closed_; }
    Stream& stream() { return stream_; }

    Seen const seen;

private:
    Stream& stream_;
    bool closed_ = false;
};

class ScriptedHttpServer {
public:
    using Script = std::function<void(Turn&)>;

    explicit ScriptedHttpServer(Script script, sockets::TlsContext const* tls = nullptr)
        : script_(std::move(script)), tls_(tls) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
        socklen_t size = sizeof address;
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        ::listen(listener_, 128);
        acceptor_ = std::thread([this] { accept_all(); });
    }
    ~ScriptedHttpServer() { stop(); }
    ScriptedHttpServer(ScriptedHttpServer const&) = delete;
    ScriptedHttpServer& operator=(ScriptedHttpServer const&) = delete;

    /// Ends all connections and stops accepting new ones.
    void stop() {
        if (!acceptor_.joinable()) return;
        ::shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        ::close(listener_);
        {
            std::lock_guard const lock(mutex_);
            for (auto const& stream : streams_) stream->cut();
        }
        for (auto& thread : threads_) thread.join();
    }

    int port() const { return port_; }
    std::string url(std::string const& path = "/mcp") const {
        return (tls_ != nullptr ? "https://localhost:" : "http://127.0.0.1:") +
               std::to_string(port_) + path;
    }

    int connections() const { return connections_.load(); }
    /// The largest number of requests that were being answered at the same time.
    int most_at_a_time() const { return most_.load(); }
    std::vector<Seen> requests() const {
        std::lock_guard const lock(mutex_);
        return requests_;
    }
    /// The requests with this JSON-RPC method or request line.
    std::vector<Seen> requests(std::string const& what) const {
        std::vector<Seen> found;
        for (auto& seen : requests()) {
            if (seen.line == what || seen.method() == what) found.push_back(seen);
        }
        return found;
    }
    /// Waits until this many requests have arrived.
    bool wait_for(std::string const& what, std::size_t count) const {
        for (int i = 0; i < 3'000 && requests(what).size() < count; ++i) {
            std::unique_lock lock(mutex_);
            came_.wait_for(lock, std::chrono::milliseconds(10));
        }
        return requests(what).size() >= count;
    }

private:
    void accept_all() {
        for (;;) {
            int const socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (socket < 0) return;
            auto const stream = std::make_shared<Stream>(socket, tls_);
            int const number = ++connections_;
            std::lock_guard const lock(mutex_);
            streams_.push_back(stream);
            threads_.emplace_back([this, stream, number] { serve(*stream, number); });
        }
    }

    void serve(Stream& stream, int number) {
        http::RequestReader reader;
        Seen seen;
        seen.connection = number;
        for (std::string bytes; !(bytes = stream.read()).empty();) {
            reader.feed(bytes);
            for (bool more = true; more;) {
                switch (reader.next()) {
                    case http::RequestReader::Event::head:
                        seen.line = std::string(reader.head().method_text) + " " +
                                    std::string(reader.head().target);
                        seen.fields.clear();
                        seen.body.clear();
                        for (auto const& field : reader.head().fields.all()) {
                            std::string name(field.name);
                            for (char& c : name) c = static_cast<char>(std::tolower(c));
                            seen.fields[name] = field.value;
                        }
                        break;
                    case http::RequestReader::Event::body:
                        seen.body += reader.body();
                        break;
                    case http::RequestReader::Event::done:
                        ++seen.on_connection;
                        if (!answer(seen, stream)) return;
                        break;
                    case http::RequestReader::Event::need_more:
                        more = false;
                        break;
                    default:
                        stream.cut();
                        return;
                }
            }
        }
    }

    bool answer(Seen const& seen, Stream& stream) {
        {
            std::lock_guard const lock(mutex_);
            requests_.push_back(seen);
        }
        came_.notify_all();
        int const busy = ++busy_;
        int most = most_.load();
        while (busy > most && !most_.compare_exchange_weak(most, busy)) continue;
        Turn turn(seen, stream);
        script_(turn);
        --busy_;
        return !turn.is_closed();
    }

    Script script_;
    sockets::TlsContext const* tls_;
    int listener_ = -1;
    int port_ = 0;
    std::thread acceptor_;
    mutable std::mutex mutex_;
    mutable std::condition_variable came_;
    std::list<std::thread> threads_;
    std::vector<std::shared_ptr<Stream>> streams_;
    std::vector<Seen> requests_;
    std::atomic<int> connections_ = 0;
    std::atomic<int> busy_ = 0;
    std::atomic<int> most_ = 0;
};

/// Answers server/discover, which every server must support; returns false for other requests.
inline bool answer_modern(Turn& turn, std::string_view capabilities = R"({"tools":{}})") {
    if (turn.seen.method() != "server/discover") return false;
    turn.result(R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":)" +
                std::string(capabilities) + R"(,"ttlMs":0,"cacheScope":"private"})");
    return true;
}

inline bool answer_session(Turn& turn, std::string_view session = "s-1",
                           std::string_view capabilities = R"({"tools":{}})") {
    auto const method = turn.seen.method();
    if (method == "server/discover") {
        turn.json(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}})",
                  "", 400);
    } else if (method == "initialize") {
        auto const field =
            session.empty() ? std::string() : "Mcp-Session-Id: " + std::string(session) + "\r\n";
        turn.result(R"({"protocolVersion":"2025-11-25","capabilities":)" +
                        std::string(capabilities) +
                        R"(,"serverInfo":{"name":"scripted","version":"1"}})",
                    field);
    } else if (method == "notifications/initialized") {
        turn.status(202);
    } else if (turn.seen.line == "GET /mcp" && turn.seen["last-event-id"] == "-") {
        turn.status(405);
    } else if (turn.seen.line == "DELETE /mcp") {
        turn.status(200);
    } else {
        return false;
    }
    return true;
}

inline std::string text_result(std::string_view text, bool modern = true) {
    return std::string(modern ? R"({"resultType":"complete",)" : "{") +
           R"("content":[{"type":"text","text":")" + std::string(text) + R"("}]})";
}

}  // namespace lanyard::http_client_test
