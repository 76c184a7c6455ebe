// The client's side of HTTP with a server that accepts answers late or never: the pool's accounting
// is correct in whatever order calls end, and nothing is left of cancelled calls. The input is a
// script of actions.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "fuzz/require.hpp"
#include "http/client/call_pool.hpp"
#include "http/client/client_machine.hpp"

using namespace lanyard;

namespace {

class NoRandom final : public Random {
public:
    void fill(std::span<std::byte> bytes) override { std::ranges::fill(bytes, std::byte{0x40}); }
};

constexpr http::CallPoolLimits limits{.calls = 2, .messages = 2, .queued = 20, .idle = 2};

class Script final : public http::CallRunner {
public:
    explicit Script(std::span<std::uint8_t const> actions)
        : actions_(actions),
          pool_(limits),
          machine_(http::Url::parse("http://a.example/mcp").value(), {}, *this, inbox_, random_) {}

    void run() {
        open_session();
        while (!actions_.empty()) {
            act();
            pump();
            check();
        }
        wind_up();
    }

    void start(http::CallId id, http::HttpCall call) override {
        fuzz::require(!waiting_.contains(id) && !running_.contains(id), "a call is made twice");
        if (pool_.submit(id, call.lane, call.fresh)) {
            waiting_.insert(id);
        } else {
            refused_.insert(id);
        }
    }
    void abort(http::CallId id) noexcept override {
        auto const link = pool_.withdraw(id);
        auto const found = running_.find(id);
        fuzz::require(link.has_value() == (found != running_.end()), "the pool has lost a call");
        waiting_.erase(id);
        refused_.erase(id);
        if (found == running_.end()) return;
        fuzz::require(found->second == *link, "the pool mixes connections up");
        running_.erase(found);
        readers_.erase(id);
    }

private:
    std::uint8_t next() {
        if (actions_.empty()) return 0;
        auto const byte = actions_.front();
        actions_ = actions_.subspan(1);
        return byte;
    }

    void open_session() {
        machine_.send(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})", {}, now_);
        pump();
        answer(R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}})",
               "Mcp-Session-Id: s\r\n");
        machine_.send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {}, now_);
        pump();
        answer("", "");
        pump();
    }
    // Answers the only call that is running.
    void answer(std::string_view body, std::string_view fields) {
        feed(running_.begin()->first, whole(body, fields));
    }
    static std::string whole(std::string_view body, std::string_view fields) {
        std::string const type = body.empty() ? "" : "Content-Type: application/json\r\n";
        return "HTTP/1.1 200 X\r\n" + type + std::string(fields) +
               "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
    }

    void act() {
        switch (next() % 9) {
            case 0:
                for (int i = next(); i > 0; --i) {
                    machine_.send(R"({"jsonrpc":"2.0","id":"q","result":{}})", {}, now_);
                }
                break;
            case 1:
                machine_.send(R"({"jsonrpc":"2.0","id":)" + std::to_string(++last_request_) +
                                  R"(,"method":"tools/call","params":{"name":"t"}})",
                              {}, now_);
                break;
            case 2:
                machine_.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{)"
                              R"("requestId":)" +
                                  std::to_string(next()) + "}}",
                              {}, now_);
                break;
            case 3: {
                auto const call = pick();
                feed(call, canned(next()));
                break;
            }
            case 4: {
                auto const call = pick();
                lose(call, next());
                break;
            }
            case 5:
                pass(std::chrono::milliseconds(200) * next());
                break;
            case 6:
                if (!readers_.empty()) feed(pick(), canned(2));
                break;
            case 7:
                // The server closed a connection while it was idle.
                if (!idle_.empty()) {
                    pool_.on_gone(*idle_.begin());
                    idle_.erase(idle_.begin());
                }
                break;
            default:
                if (next() == 0) machine_.close(now_);
                break;
        }
    }

    http::CallId pick() {
        if (running_.empty()) return 0;
        auto at = running_.begin();
        std::advance(at, next() % running_.size());
        return at->first;
    }
    static std::string canned(std::uint8_t which) {
        switch (which % 8) {
            case 0:
                return "HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n";
            case 1:
                return "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n\r\n";
            case 2:
                return "id: 1\nretry: 0\ndata: "
                       "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"p\"}\n\n";
            case 3:
                return "HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n";
            case 4:
                return "HTTP/1.1 503 X\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
            case 5:
                return "HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: "
                       "9999\r\n\r\n";
            case 6:
                return whole(R"({"jsonrpc":"2.0","id":1,"result":)"
                             R"({"protocolVersion":"2025-11-25"}})",
                             "Mcp-Session-Id: t\r\n");
            default:
                return "HTTP/1.1 307 X\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n";
        }
    }

    void feed(http::CallId id, std::string_view bytes) {
        if (!running_.contains(id)) return;
        readers_[id].feed(bytes);
        while (running_.contains(id)) {
            auto& reader = readers_[id];
            switch (reader.next()) {
                case http::ResponseReader::Event::head:
                    if (reader.head().ok() &&
                        reader.head().content == http::ResponseHead::Content::event_stream) {
                        pool_.on_stream(id);
                    }
                    machine_.on_head(id, reader.head(), now_);
                    break;
                case http::ResponseReader::Event::body:
                    machine_.on_body(id, std::string(reader.body()), now_);
                    break;
                case http::ResponseReader::Event::done: {
                    auto const link = running_[id];
                    forget(id);
                    if (pool_.on_free(link)) idle_.insert(link);
                    machine_.on_done(id, now_);
                    return;
                }
                case http::ResponseReader::Event::need_more:
                    return;
                case http::ResponseReader::Event::failed:
                    lose(id, 2);
                    return;
            }
        }
    }
    void lose(http::CallId id, std::uint8_t how) {
        using Stage = http::CallLoss::Stage;
        if (!running_.contains(id)) return;
        pool_.on_gone(running_[id]);
        forget(id);
        constexpr Stage stages[] = {Stage::unsent, Stage::unanswered, Stage::answering};
        machine_.on_lost(id, {stages[how % 3], Error(Errc::transport_down, "lost"), (how & 4) != 0},
                         now_);
    }
    void forget(http::CallId id) {
        running_.erase(id);
        readers_.erase(id);
    }
    void pass(Duration time) {
        now_ += time;
        machine_.on_time(now_);
    }

    void pump() {
        inbox_.take();
        for (bool more = true; more;) {
            more = false;
            while (!refused_.empty()) {
                auto const id = *refused_.begin();
                refused_.erase(refused_.begin());
                machine_.on_lost(
                    id, {http::CallLoss::Stage::unsent, Error(Errc::busy, "full"), false}, now_);
            }
            while (auto const assigned = pool_.next()) {
                fuzz::require(waiting_.erase(assigned->call) == 1, "a call is assigned twice");
                fuzz::require(assigned->open == (idle_.erase(assigned->link) == 0),
                              "a connection is there or is not");
                running_[assigned->call] = assigned->link;
                readers_.try_emplace(assigned->call);
                more = true;
            }
        }
    }
    void check() const {
        fuzz::require(pool_.queued() == waiting_.size(), "the pool counts wrongly");
        fuzz::require(pool_.links() == running_.size() + idle_.size(), "a connection is lost");
        fuzz::require((machine_.unaccepted() == 0) == (machine_.unaccepted_bytes() == 0),
                      "messages without bytes");
    }

    // The server accepts nothing any more.
    void wind_up() {
        for (int i = 0; i < 4; ++i) {
            pass(std::chrono::seconds(31));
            pump();
            check();
            while (!running_.empty() && i < 3) lose(running_.begin()->first, 2);
            pump();
        }
        pass(std::chrono::minutes(1));
        machine_.abandon();
        fuzz::require(machine_.idle() && machine_.unaccepted() == 0, "something is left over");
        fuzz::require(running_.empty() && waiting_.empty(), "a call is left over");
        fuzz::require(pool_.queued() == 0 && pool_.links() == idle_.size(), "the pool keeps calls");
    }

    std::span<std::uint8_t const> actions_;
    TimePoint now_{std::chrono::hours(1)};
    http::ClientInbox inbox_;
    NoRandom random_;
    http::CallPool pool_;
    std::set<http::CallId> waiting_;
    std::set<http::CallId> refused_;
    std::map<http::CallId, http::LinkId> running_;
    std::map<http::CallId, http::ResponseReader> readers_;
    std::set<http::LinkId> idle_;
    std::int64_t last_request_ = 1;
    http::ClientMachine machine_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    constexpr std::size_t longest = 400;
    Script script({data, std::min(size, longest)});
    script.run();
    return 0;
}
