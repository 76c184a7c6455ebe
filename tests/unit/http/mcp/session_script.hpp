// A script of actions of clients and a server on the sessions of an endpoint, read from bytes, with
// the invariants that hold for every script. Used by the fuzz target and by a test.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fuzz/require.hpp"
#include "mcp_bench.hpp"

namespace lanyard::test {

class SessionScript {
public:
    explicit SessionScript(std::span<std::uint8_t const> bytes)
        : bytes_(bytes),
          keeps_few_(!bytes.empty() && bytes.front() % 2 != 0),
          bench_(options(next())) {}

    void run() {
        while (!bytes_.empty()) {
            step(next());
            note_events();
            check();
        }
        finish();
    }

private:
    using Kind = rpc::Route::Kind;
    using State = RecordingReply::State;

    struct Client {
        Headers headers;
        bool ended = false;
        std::shared_ptr<ScriptedEndpoint::Connection> server;
        // The messages sent on each origin, in order.
        std::map<std::uint64_t, std::vector<std::string>> sent;
        std::vector<std::uint64_t> open;  // origins without an answer
    };
    // A reply that a client reads, either to a request of the client or as its own stream.
    struct Reader {
        std::shared_ptr<Call> call;
        std::size_t client;
        std::uint64_t origin;
        std::string resumed_from;
        std::chrono::seconds since{};  // when it began to read, or got its last event
        bool unsure = false;           // the requested events may have expired
        std::string last_id{};
    };

    static McpHttpOptions options(std::uint8_t choice) {
        McpHttpOptions made;
        made.max_sessions(4).max_kept_events(choice % 2 == 0 ? 1000 : 3);
        // Sessions end only when the script ends them.
        made.evict_after(std::chrono::hours(24));
        made.sse();
        if (choice % 3 == 1) made.answers(HttpAnswers::json);
        if (choice % 3 == 2) made.answers(HttpAnswers::stream);
        if (choice % 5 == 4) made.sessions(Sessions::hybrid);
        return made;
    }

    std::uint8_t next() {
        if (bytes_.empty()) return 0;
        auto const byte = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return byte;
    }

    std::string nonce() { return "n" + std::to_string(++nonces_); }

    void step(std::uint8_t action) {
        switch (action % 12) {
            case 0:
                open_client();
                break;
            case 1:
                post_request();
                break;
            case 2:
                post_quietly();
                break;
            case 3:
                open_stream();
                break;
            case 4:
                disconnect();
                break;
            case 5:
                resume();
                break;
            case 6:
                server_notifies();
                break;
            case 7:
                server_answers();
                break;
            case 8:
                end_client();
                break;
            case 9:
                server_lets_go();
                break;
            case 10:
                pass(std::chrono::seconds(next()));
                note_expired();
                break;
            default:
                misuse();
        }
    }

    void pass(std::chrono::seconds time) {
        elapsed_ += time;
        bench_.advance(time);
    }

    Client* some_client() {
        if (clients_.empty()) return nullptr;
        chosen_ = next() % clients_.size();
        return &clients_[chosen_];
    }

    void open_client() {
        constexpr std::string_view versions[] = {"2025-11-25", "2025-06-18", "2025-03-26"};
        auto const before = bench_.scripted.connections.size();
        Client client;
        client.headers = bench_.open(versions[next() % 3]);
        bool const opened = !client.headers.front().second.empty();
        fuzz::require(opened == (bench_.scripted.connections.size() > before),
                      "a session is served that has no name, or the other way round");
        if (!opened) return;
        client.server = bench_.scripted.connections.back();
        clients_.push_back(std::move(client));
    }

    void post_request() {
        auto* const client = some_client();
        if (client == nullptr) return;
        auto const call = bench_.post(request("later", 1), client->headers);
        if (client->ended) {
            fuzz::require(call->status() == http::Status::not_found, "an ended session answers");
            return;
        }
        auto const origin = client->server->seen.back().origin;
        client->open.push_back(origin);
        readers_.push_back({call, chosen_, origin, "", elapsed_});
    }

    void post_quietly() {
        auto* const client = some_client();
        if (client == nullptr) return;
        auto const call =
            bench_.post(next() % 2 == 0 ? notification("x") : result(9), client->headers);
        fuzz::require(
            call->status() == (client->ended ? http::Status::not_found : http::Status::accepted),
            "a notification is not accepted");
    }

    void open_stream() {
        auto* const client = some_client();
        if (client == nullptr) return;
        auto const call = bench_.get(client->headers);
        if (client->ended) {
            fuzz::require(call->status() == http::Status::not_found, "an ended session streams");
        } else if (call->status() == http::Status::ok) {
            readers_.push_back({call, chosen_, 0, "", elapsed_});
        } else {
            fuzz::require(call->status() == http::Status::conflict, "a stream is refused");
        }
    }

    Reader* some_reader() {
        return readers_.empty() ? nullptr : &readers_[next() % readers_.size()];
    }

    void disconnect() {
        auto* const reader = some_reader();
        if (reader == nullptr) return;
        auto const state = reader->call->reply.state();
        if (state == State::pending || state == State::streaming) {
            reader->call->reply.disconnect();
        }
    }

    // Resumes from an event of any stream, of the same client or of another one.
    void resume() {
        auto* const reader = some_reader();
        auto* const client = some_client();
        if (reader == nullptr || client == nullptr) return;
        auto const id = reader->call->last_id();
        if (id.empty()) return;
        auto const call = bench_.get(with(client->headers, "Last-Event-ID", id));
        if (client->ended || call->status() != http::Status::ok) return;
        // An id of another session, or an expired one, opens the session's own stream.
        bool const foreign = reader->client != chosen_;
        if (foreign) {
            fuzz::require(call->messages().size() <= undelivered(*client),
                          "another session's events are replayed");
        }
        // Events expire after a time, and earlier if there is no room for them.
        bool const late = keeps_few_ || elapsed_ - reader->since >= McpHttpOptions().event_expiry();
        readers_.push_back({call, chosen_, foreign ? any_origin : reader->origin, id, elapsed_,
                            reader->unsure || late});
    }

    void note_events() {
        for (auto& reader : readers_) {
            auto id = reader.call->last_id();
            if (id == reader.last_id) continue;
            reader.last_id = std::move(id);
            reader.since = elapsed_;
        }
    }

    static std::size_t undelivered(Client const&) { return 100; }

    void server_notifies() {
        auto* const client = some_client();
        if (client == nullptr || client->ended) return;
        bool const own = client->open.empty() || next() % 3 == 0;
        auto const origin = own ? 0 : client->open[next() % client->open.size()];
        auto const text = notification(nonce());
        nonce_owner_[text] = {chosen_, origin};
        bench_.on_executor([&] { client->server->send(text, origin); });
    }

    void server_answers() {
        auto* const client = some_client();
        if (client == nullptr || client->ended || client->open.empty()) return;
        auto const at = client->open.begin() + next() % static_cast<int>(client->open.size());
        auto const origin = *at;
        client->open.erase(at);
        bool const silent = next() % 4 == 0;
        auto const text = result(1, R"({"nonce":")" + nonce() + R"("})");
        if (!silent) nonce_owner_[text] = {chosen_, origin};
        bench_.on_executor([&] {
            client->server->send(silent ? "" : text, origin, silent ? Kind::none : Kind::answer);
        });
        for (auto const& reader : readers_) {
            if (reader.client != chosen_ || reader.origin != origin || reader.unsure) continue;
            auto const& reply = reader.call->reply;
            fuzz::require(reply.ended() || reply.state() == State::gone,
                          "an answered request is left open");
        }
    }

    void server_lets_go() {
        auto* const client = some_client();
        if (client == nullptr || client->ended || client->open.empty()) return;
        auto const origin = client->open[next() % client->open.size()];
        bench_.on_executor([&] { client->server->extras->release_stream(origin); });
    }

    void end_client() {
        auto* const client = some_client();
        if (client == nullptr) return;
        if (next() % 2 == 0) {
            auto const call = bench_.del(client->headers);
            fuzz::require(call->status() ==
                              (client->ended ? http::Status::not_found : http::Status::no_content),
                          "a session is not deleted");
        } else if (!client->ended) {
            bench_.on_executor([&] { client->server->transport->close(); });
        }
        close(*client);
    }

    void close(Client& client) {
        client.ended = true;
        client.open.clear();
        fuzz::require(client.server->transport == nullptr, "the server keeps an ended session");
    }

    void note_expired() {
        for (auto& client : clients_) {
            if (!client.ended && client.server->transport == nullptr) close(client);
        }
    }

    // Sends requests that no well-behaved client sends.
    void misuse() {
        constexpr std::string_view bodies[] = {
            "", "{", "[]", "null", "{}", R"({"jsonrpc":"2.0","id":null,"method":"x"})"};
        Headers headers;
        if (auto* const client = some_client(); client != nullptr && next() % 2 == 0) {
            headers = client->headers;
        }
        auto const call = bench_.post(bodies[next() % std::size(bodies)], headers);
        fuzz::require(call->reply.ended(), "a bad body is left unanswered");
        fuzz::require(static_cast<int>(call->status()) >= 400, "a bad body is taken");
    }

    // Checks that every message arrived at its own session and stream, and only once.
    void check() {
        for (auto const& reader : readers_) {
            fuzz::require(reader.call->reply.misuses() == 0, "a reply is used after its end");
            auto messages = reader.call->is_json() ? std::vector<std::string>{reader.call->text()}
                                                   : reader.call->messages();
            std::set<std::string> seen;
            for (auto const& message : messages) {
                auto const owner = nonce_owner_.find(message);
                if (owner == nonce_owner_.end()) continue;  // an error made by the endpoint
                fuzz::require(owner->second.first == reader.client,
                              "a message reaches another session");
                fuzz::require(reader.origin == any_origin ? owner->second.second == 0
                                                          : owner->second.second == reader.origin ||
                                                                !reader.resumed_from.empty(),
                              "a message goes out on another stream");
                fuzz::require(seen.insert(message).second, "an event arrives twice");
            }
        }
        // A message is read by at most one reader, apart from resumed streams.
        std::map<std::string, int> times;
        for (auto const& reader : readers_) {
            if (!reader.resumed_from.empty() || reader.call->is_json()) continue;
            for (auto const& message : reader.call->messages()) ++times[message];
        }
        for (auto const& [message, count] : times) {
            fuzz::require(count == 1, "a message goes out on two streams");
        }
        fuzz::require(bench_.counters().sessions <= 4, "there are too many sessions");
    }

    void finish() {
        for (auto& client : clients_) {
            if (client.ended) continue;
            bench_.del(client.headers);
            close(client);
        }
        fuzz::require(bench_.counters().sessions == 0, "a session is left over");
        fuzz::require(bench_.counters().streams == 0, "a stream is left over");
        for (auto const& reader : readers_) {
            auto const& reply = reader.call->reply;
            fuzz::require(reply.ended() || reply.state() == State::gone, "a reply is left open");
        }
        check();
    }

    static constexpr std::uint64_t any_origin = ~std::uint64_t{0};

    std::span<std::uint8_t const> bytes_;
    bool keeps_few_;
    McpBench bench_;
    std::vector<Client> clients_;
    std::vector<Reader> readers_;
    std::map<std::string, std::pair<std::size_t, std::uint64_t>> nonce_owner_;
    std::size_t chosen_ = 0;
    std::uint64_t nonces_ = 0;
    std::chrono::seconds elapsed_{};
};

}  // namespace lanyard::test
