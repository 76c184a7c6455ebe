// The client's side of HTTP: whatever a server answers, in whatever pieces, and however connections
// break, every request has at most one outcome, and exactly one in the end. The input is a script
// of actions.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "fuzz/require.hpp"
#include "http/client/client_machine.hpp"

using namespace lanyard;

namespace {

class NoRandom final : public Random {
public:
    void fill(std::span<std::byte> bytes) override { std::ranges::fill(bytes, std::byte{0x40}); }
};

class Script final : public http::CallRunner {
public:
    explicit Script(std::span<std::uint8_t const> actions)
        : actions_(actions),
          machine_(http::Url::parse("http://a.example/mcp").value(), {}, *this, inbox_, random_) {}

    void run() {
        while (!actions_.empty()) {
            act();
            take_frames();
        }
        wind_up();
    }

    void start(http::CallId id, http::HttpCall call) override {
        fuzz::require(!calls_.contains(id), "a call is made twice at a time");
        fuzz::require(call.bytes.find("\r\n\r\n") != call.bytes.npos, "a request has no end");
        calls_.try_emplace(id);
        note_posted(call.bytes);
    }
    void abort(http::CallId id) noexcept override { calls_.erase(id); }

private:
    void note_posted(std::string_view request) {
        constexpr std::string_view opening = R"({"jsonrpc":"2.0","id":)";
        auto const body = request.substr(request.find("\r\n\r\n") + 4);
        if (body.starts_with(opening)) {
            posted_.insert(std::stoll(std::string(body.substr(opening.size()))));
        }
    }

    std::uint8_t next() {
        if (actions_.empty()) return 0;
        auto const byte = actions_.front();
        actions_ = actions_.subspan(1);
        return byte;
    }
    std::string_view next_bytes(std::size_t count) {
        count = std::min(count, actions_.size());
        std::string_view const bytes(reinterpret_cast<char const*>(actions_.data()), count);
        actions_ = actions_.subspan(count);
        return bytes;
    }

    void act() {
        switch (next() % 10) {
            case 0:
                request(R"("method":"tools/call","params":{"name":"t"})");
                break;
            case 1:
                request(R"("method":"tools/list","params":{"_meta":{)"
                        R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
                break;
            case 2:
                request(R"("method":"initialize","params":{})");
                break;
            case 3:
                machine_.send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {},
                              now_);
                break;
            case 4:
                cancel(next());
                break;
            case 5: {
                auto const call = pick();
                feed(call, next_bytes(next()));
                break;
            }
            case 6: {
                auto const call = pick();
                feed(call, canned(next()));
                break;
            }
            case 7:
                finish(pick());
                break;
            case 8: {
                auto const call = pick();
                lose(call, next());
                break;
            }
            default:
                pass(std::chrono::milliseconds(100 * next()));
                break;
        }
    }

    void request(std::string const& rest) {
        auto const id = ++last_request_;
        open_.insert(id);
        machine_.send(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + "," + rest + "}", {},
                      now_);
    }
    void cancel(std::int64_t id) {
        if (open_.erase(id) == 0) return;
        cancelled_.insert(id);
        machine_.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{)"
                      R"("requestId":)" +
                          std::to_string(id) + "}}",
                      {}, now_);
    }

    http::CallId pick() {
        if (calls_.empty()) return 0;
        auto at = calls_.begin();
        std::advance(at, next() % calls_.size());
        return at->first;
    }
    std::string canned(std::uint8_t which) {
        auto const id = std::to_string(std::max<std::int64_t>(last_request_ - which / 16, 1));
        auto const answer =
            R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"protocolVersion":"2025-11-25"}})";
        switch (which % 16) {
            case 0:
                return whole("200 OK", "application/json", answer);
            case 1:
                return whole("200 OK", "application/json", answer, "Mcp-Session-Id: s-1\r\n");
            case 2:
                return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
            case 3:
                return "id: " + id + "\nretry: 10\ndata:\n\n";
            case 4:
                return "data: " + answer + "\n\n";
            case 5:
                return "event: endpoint\ndata: /messages?session=1\n\n";
            case 6:
                return whole("202 Accepted", "", "");
            case 7:
                return whole("404 Not Found", "", "");
            case 8:
                return whole("400 Bad Request", "application/json",
                             R"({"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"v",)"
                             R"("data":{"supported":["2025-11-25"]}}})");
            case 9:
                return whole("503 Busy", "", "", "Retry-After: 1\r\n");
            case 10:
                return whole("307 There", "", "", "Location: /other\r\n");
            case 11:
                return whole("307 Elsewhere", "", "", "Location: http://evil.example/\r\n");
            case 12:
                return whole("405 No", "", "");
            case 13:
                return whole("401 Who", "", "", "WWW-Authenticate: Bearer\r\n");
            case 14:
                return R"(data: {"jsonrpc":"2.0","id":"q","method":"ping"})"
                       "\n\n";
            default:
                return ": silence\n\n";
        }
    }
    static std::string whole(std::string_view status, std::string_view type, std::string_view body,
                             std::string_view more = {}) {
        std::string text = "HTTP/1.1 " + std::string(status) + "\r\n";
        if (!type.empty()) text += "Content-Type: " + std::string(type) + "\r\n";
        return text + std::string(more) + "Content-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + std::string(body);
    }

    void feed(http::CallId id, std::string_view bytes) {
        if (!calls_.contains(id)) return;
        calls_[id].feed(bytes);
        while (calls_.contains(id)) {
            auto& reader = calls_[id];
            switch (reader.next()) {
                case http::ResponseReader::Event::head:
                    machine_.on_head(id, reader.head(), now_);
                    break;
                case http::ResponseReader::Event::body:
                    // A copy: the machine may abort the call meanwhile.
                    machine_.on_body(id, std::string(reader.body()), now_);
                    break;
                case http::ResponseReader::Event::done:
                    calls_.erase(id);
                    machine_.on_done(id, now_);
                    return;
                case http::ResponseReader::Event::need_more:
                    return;
                case http::ResponseReader::Event::failed:
                    lose(id, 2);
                    return;
            }
        }
    }
    void finish(http::CallId id) {
        auto const found = calls_.find(id);
        if (found == calls_.end()) return;
        auto const event = found->second.finish();
        if (event == http::ResponseReader::Event::done) {
            calls_.erase(found);
            machine_.on_done(id, now_);
        } else {
            lose(id, 2);
        }
    }
    void lose(http::CallId id, std::uint8_t how) {
        using Stage = http::CallLoss::Stage;
        if (calls_.erase(id) == 0) return;
        constexpr Stage stages[] = {Stage::unsent, Stage::unanswered, Stage::answering};
        machine_.on_lost(id, {stages[how % 3], Error(Errc::transport_down, "lost"), (how & 4) != 0},
                         now_);
    }
    void pass(Duration time) {
        now_ += time;
        machine_.on_time(now_);
    }

    void take_frames() {
        for (auto const& frame : inbox_.take()) {
            if (frame.kind == rpc::Frame::Kind::failed) {
                auto const id = frame.failure->id;
                // A server that mixes up answers may have sent the answer on another call; then the
                // request already has its outcome, and no second one is reported.
                fuzz::require(
                    open_.erase(id) == 1 || cancelled_.contains(id) || answered_.erase(id) == 1,
                    "a request fails that has had its outcome");
            } else if (frame.kind == rpc::Frame::Kind::message) {
                auto const id = answered_by(frame.text);
                if (id && open_.erase(*id) == 1) answered_.insert(*id);
            }
        }
    }

    // The request that a message ends: an answer that cannot be read ends one, too.
    std::optional<std::int64_t> answered_by(std::string_view text) {
        auto const item = reader_.read(text);
        std::optional<RequestId> id;
        if (!item) {
            bool const may_be_answer = item.error().intent == rpc::Intent::response ||
                                       item.error().intent == rpc::Intent::unknown;
            if (may_be_answer) id = item.error().id;
        } else if (item->id && item->method.empty()) {
            id = rpc::to_id(*item->id);
        }
        return id ? rpc::own_id(*id) : std::nullopt;
    }

    // Every connection breaks until no attempt is left. A stream that carries everything
    // (2024-11-05) is retried forever; requests that were not POSTed yet wait for it, and have a
    // time limit in the session.
    void wind_up() {
        for (int i = 0; i < 200 && !open_.empty(); ++i) {
            while (!calls_.empty()) lose(calls_.begin()->first, 2);
            take_frames();
            pass(std::chrono::seconds(60));
            take_frames();
        }
        for (auto const id : open_) {
            fuzz::require(!posted_.contains(id) && !calls_.empty(), "a request has no outcome");
        }
        machine_.close(now_);
        take_frames();
        pass(std::chrono::hours(1));
        machine_.abandon();
        fuzz::require(machine_.idle(), "something is left over");
        fuzz::require(calls_.empty(), "a call is left over");
    }

    std::span<std::uint8_t const> actions_;
    TimePoint now_{std::chrono::hours(1)};
    http::ClientInbox inbox_;
    NoRandom random_;
    rpc::EnvelopeReader reader_;
    std::map<http::CallId, http::ResponseReader> calls_;
    std::set<std::int64_t> open_;
    std::set<std::int64_t> answered_;
    std::set<std::int64_t> cancelled_;
    std::set<std::int64_t> posted_;
    std::int64_t last_request_ = 0;
    http::ClientMachine machine_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    constexpr std::size_t longest = 600;
    Script script({data, std::min(size, longest)});
    script.run();
    return 0;
}
