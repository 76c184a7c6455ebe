// Two JSON-RPC engines that call each other over a simulated connection, in both directions.
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "jsonrpc/framing.hpp"
#include "network.hpp"
#include "peer/peer.hpp"
#include "world.hpp"

namespace lanyard::simulation {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_pending = 8;
constexpr std::size_t max_in_flight = 6;
constexpr std::size_t max_unsent = 200;
constexpr Duration longest_call = 40s;

class Side;

// Returns the id of an answer; nullopt for other messages.
std::optional<std::int64_t> answered_id(std::string_view message) {
    constexpr std::string_view begin = R"({"jsonrpc":"2.0","id":)";
    if (!message.starts_with(begin)) return std::nullopt;
    message.remove_prefix(begin.size());
    std::int64_t id = 0;
    auto const parsed = std::from_chars(message.data(), message.data() + message.size(), id);
    if (parsed.ec != std::errc()) return std::nullopt;
    message.remove_prefix(static_cast<std::size_t>(parsed.ptr - message.data()));
    if (message.starts_with(R"(,"method")")) return std::nullopt;
    return id;
}

// Waits for an answer.
class Caller final : public rpc::AnswerSink {
public:
    Caller(Side& side, std::string token, bool wants_progress)
        : side_(side), token_(std::move(token)), wants_progress_(wants_progress) {}

    void on_answer(rpc::Answer const& answer) noexcept override;
    void on_progress(rpc::ProgressUpdate const& update) noexcept override;

    bool is_pending() const noexcept { return answers_ == 0; }
    std::string const& token() const noexcept { return token_; }

    std::int64_t id = 0;
    TimePoint latest{};
    bool cancelled = false;

private:
    Side& side_;
    std::string token_;
    bool wants_progress_;
    int answers_ = 0;
    double progress_ = -1;
};

// Works on a request.
class Handler final : public rpc::InboundWork {
public:
    Handler(Side& side, rpc::Ticket named, std::string for_token)
        : ticket(named), token(std::move(for_token)), side_(side) {}

    void on_cancel(std::string_view) noexcept override;

    rpc::Ticket ticket;
    std::string token;
    bool cancelled = false;
    bool answered = false;
    bool ended = false;

private:
    Side& side_;
};

// One engine and the program that uses it, for the duration of one connection.
class Side final : public rpc::PeerEvents, public Receiver {
public:
    Side(World& world, std::string name, char other, Direction& out, Defect defect)
        : world_(world),
          name_(std::move(name)),
          other_(other),
          out_(out),
          defect_(defect),
          peer_(*this, outbox_, options(defect)) {
        out_.on_room([this] { flush(); });
    }

    static rpc::PeerOptions options(Defect defect) {
        rpc::PeerOptions options;
        options.requests.max_pending = defect == Defect::queues_without_bound ? 1000 : max_pending;
        options.requests.max_total = longest_call;
        options.inbound.max_in_flight = max_in_flight;
        return options;
    }

    World& world() noexcept { return world_; }
    bool is_closed() const noexcept { return closed_; }
    Defect defect() const noexcept { return defect_; }
    std::string const& violation() const noexcept { return violation_; }
    void violate(std::string what) noexcept {
        if (violation_.empty()) violation_ = name_ + ": " + std::move(what);
    }
    TimePoint next_deadline() const {
        if (closed_ || defect_ == Defect::never_looks_at_the_time) return TimePoint::max();
        return peer_.next_deadline();
    }

    // Actions of the program.

    void call() {
        if (closed_) return;
        auto& dice = world_.dice;
        auto const token = name_ + "-" + std::to_string(callers_.size());
        rpc::RequestSettings options;
        options.timeout = 100ms + dice.up_to(30s);
        options.progress = dice.percent(30);
        options.progress_token = ProgressToken(token);
        auto const before = peer_.pending_count();
        auto& caller =
            *callers_.emplace_back(std::make_unique<Caller>(*this, token, options.progress));
        caller.latest = world_.now + longest_call;
        world_.note(name_, "calls", token);
        auto const sent =
            peer_.request("work", params_of(token, options.progress), caller, world_.now, options);
        if (sent) {
            caller.id = *sent;
        } else {
            if (before < max_pending) violate("a request was refused although there is room");
            callers_.pop_back();
        }
        flush();
    }

    void cancel_one() {
        if (closed_ || callers_.empty()) return;
        auto& caller = *callers_[world_.dice.below(callers_.size())];
        bool const was_pending = caller.is_pending();
        world_.note(name_, "cancels", caller.token());
        caller.cancelled = caller.cancelled || was_pending;
        bool const ended = peer_.cancel(caller.id, "changed its mind", world_.now);
        if (ended != was_pending) violate("cancel() is wrong about whether the request is pending");
        if (caller.is_pending()) violate("a cancelled request is still pending");
        flush();
    }

    void notify() {
        if (closed_) return;
        peer_.notify("news", "{}");
        flush();
    }

    // Sends text that no engine would send.
    void send_nonsense() {
        if (closed_) return;
        static constexpr std::string_view nonsense[] = {
            "nonsense",
            "{}",
            R"({"jsonrpc":"2.0","id":999999,"result":{"token":"none"}})",
            R"({"jsonrpc":"2.0","id":"one","result":{"token":"none"}})",
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999999}})",
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}})",
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":999,"progress":1}})",
            R"([{"jsonrpc":"2.0","method":"news"}])",
        };
        out_.send(nonsense[world_.dice.below(std::size(nonsense))]);
    }

    void close(rpc::Outcome outcome) {
        if (closed_) return;
        world_.note(name_, "closes");
        closed_ = true;
        peer_.on_closed(outcome, world_.now);
        outbox_.clear();
        out_.finish();
    }

    void on_time() {
        peer_.on_time(world_.now);
        flush();
    }

    // Incoming messages.

    void on_bytes(std::string_view bytes) override {
        if (closed_ && defect_ != Defect::calls_after_close) return;
        reader_.feed(bytes);
        while (auto const frame = reader_.next()) take(*frame);
        flush();
    }

    void on_end() override {
        if (closed_) return;
        if (auto const last = reader_.finish()) take(*last);
        flush();
        close(rpc::Outcome::connection_lost);
    }

    void on_request(rpc::Envelope const& request, rpc::Ticket ticket) override {
        if (closed_) violate("a request was taken after the end");
        auto const value = request.params ? request.params->find("token") : std::nullopt;
        auto token = value ? value->as_string().value_or("") : "";
        if (token.empty() || token.front() != other_) violate("got a request of somebody else");
        auto& handler =
            *handlers_.emplace_back(std::make_unique<Handler>(*this, ticket, std::move(token)));
        by_id_[request.id->as_int64().value_or(0)] = &handler;
        if (!peer_.attach(ticket, handler)) violate("a new request is not active");
        work_on(handler);
    }

    void on_notification(rpc::Envelope const&) override {
        if (closed_) violate("a notification was taken after the end");
    }

    // Actions of a handler.

    void answer(Handler& handler) {
        if (handler.ended) return;
        end_with(handler, [&] {
            auto* const out = peer_.begin_result(handler.ticket);
            if (out == nullptr) return false;
            out->append(R"({"token":")")
                .append(defect_ == Defect::swaps_answers && world_.dice.percent(10) ? "x"
                                                                                    : handler.token)
                .append("\"}");
            handler.answered = true;
            peer_.end_result();
            return true;
        });
    }

    void fail(Handler& handler) {
        if (handler.ended) return;
        end_with(handler, [&] {
            bool const active = peer_.active(handler.ticket);
            handler.answered = active;
            peer_.fail(handler.ticket, {-32000, handler.token, {}});
            return active;
        });
    }

    void progress(Handler& handler, int value) {
        if (handler.ended) return;
        rpc::ProgressUpdate update;
        update.progress = value;
        peer_.progress(handler.ticket, update, world_.now);
        flush();
    }

    void unwind(Handler& handler) {
        if (handler.ended) return;
        if (defect_ == Defect::forgets_a_handler && world_.dice.percent(20)) return;
        // A handler that ignores the cancellation still answers, which must not be sent.
        if (world_.dice.percent(50)) {
            answer(handler);
            return;
        }
        handler.ended = true;
        peer_.abandon(handler.ticket);
    }

    void answer_by_mistake(Handler const& handler) {
        for (auto const& [id, known] : by_id_) {
            if (known != &handler) continue;
            outbox_.begin().append(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                                   R"(,"result":{"token":")" + handler.token + "\"}}");
            outbox_.end();
        }
        flush();
    }

    // Checks the invariants; called after every step.
    void check() const {
        auto const pending = static_cast<std::size_t>(
            std::count_if(callers_.begin(), callers_.end(),
                          [](auto const& caller) { return caller->is_pending(); }));
        require(pending == peer_.pending_count(), "pending requests differ from who waits");
        require(pending <= max_pending, "more requests are pending than allowed");
        auto const working = static_cast<std::size_t>(
            std::count_if(handlers_.begin(), handlers_.end(),
                          [](auto const& handler) { return !handler->ended; }));
        require(working == peer_.in_flight(), "requests in flight differ from who works");
        auto const& counters = peer_.request_counters();
        std::uint64_t ended = 0;
        for (auto const count : counters.ended) ended += count;
        require(counters.begun == ended + pending, "requests begun are neither pending nor ended");
        require(outbox_.count() <= max_unsent, "too many messages wait to be sent");
        for (auto const& caller : callers_) {
            require(!caller->is_pending() || world_.now <= caller->latest,
                    "a request outlives its time");
        }
        if (closed_) {
            require(pending == 0, "requests are pending after the end");
            require(outbox_.empty(), "something is to be sent after the end");
        }
        if (!violation_.empty()) throw Violation(violation_);
    }

    void check_rest() const {
        check();
        require(closed_, "a connection is open at rest");
        require(peer_.in_flight() == 0, "handlers are left at rest");
    }

private:
    static std::string params_of(std::string const& token, bool progress) {
        auto params = R"({"token":")" + token + "\"";
        if (progress) params += R"(,"_meta":{"progressToken":")" + token + "\"}";
        return params + "}";
    }

    void take(rpc::Frame const& frame) {
        if (frame.kind == rpc::Frame::Kind::message) {
            peer_.on_message(frame.text, world_.now);
        } else {
            peer_.on_dropped(frame, world_.now);
        }
    }

    void work_on(Handler& handler) {
        auto const choice = world_.dice.below(100);
        if (choice < 45) {
            answer(handler);
        } else if (choice < 55) {
            fail(handler);
        } else if (choice < 80) {
            world_.in(world_.dice.up_to(8s), [this, &handler] { answer(handler); });
        } else if (choice < 93) {
            for (int i = 1; i <= 3; ++i) {
                world_.in(i * world_.dice.up_to(2s), [this, &handler, i] { progress(handler, i); });
            }
            world_.in(world_.dice.up_to(7s), [this, &handler] { answer(handler); });
        }
        // The others never answer: they end when they are cancelled.
    }

    template <class F>
    void end_with(Handler& handler, F answer_it) {
        handler.ended = true;
        bool const sent = answer_it();
        if (sent == handler.cancelled) {
            violate(sent ? "a cancelled request was answered" : "an answer was not sent");
        }
        flush();
    }

    void flush() {
        while (!closed_ && !outbox_.empty() && out_.has_room()) {
            if (auto const id = answered_id(outbox_.front())) check_answer(*id);
            out_.send(outbox_.front());
            outbox_.pop();
        }
    }

    void check_answer(std::int64_t id) {
        if (!answered_.insert(id).second) violate("a request is answered twice");
        auto const known = by_id_.find(id);
        if (known == by_id_.end()) return;  // refused before it reached a handler
        if (!known->second->answered) violate("a request is answered that was not to be");
    }

    World& world_;
    std::string name_;
    char other_;
    Direction& out_;
    Defect defect_;
    rpc::Outbox outbox_;
    rpc::Peer peer_;
    rpc::LineReader reader_{64 * 1024};
    std::vector<std::unique_ptr<Caller>> callers_;
    std::vector<std::unique_ptr<Handler>> handlers_;
    std::map<std::int64_t, Handler*> by_id_;
    std::set<std::int64_t> answered_;
    std::string violation_;
    bool closed_ = false;
};

void Caller::on_answer(rpc::Answer const& answer) noexcept {
    ++answers_;
    side_.world().note(token_, "ends", to_string(answer.outcome));
    if (answers_ > 1) side_.violate(token_ + " has more than one outcome");
    if (cancelled && answer.outcome != rpc::Outcome::cancelled) {
        side_.violate(token_ + " was cancelled and has another outcome");
    }
    if (answer.result) {
        auto const token = answer.result->find("token");
        if (!token || !token->equals(token_)) side_.violate(token_ + " got a foreign answer");
    } else if (answer.outcome == rpc::Outcome::failed && answer.error->message() != token_) {
        // Refused because there were too many requests.
        if (answer.error->message().find("requests") == std::string::npos) {
            side_.violate(token_ + " got a foreign error: " + answer.error->message());
        }
    }
    if (side_.defect() == Defect::answers_twice && answer.result &&
        side_.world().dice.percent(10)) {
        on_answer(answer);
    }
}

void Caller::on_progress(rpc::ProgressUpdate const& update) noexcept {
    if (answers_ > 0) side_.violate(token_ + " gets progress after its outcome");
    if (!wants_progress_) side_.violate(token_ + " gets progress it has not asked for");
    if (update.progress <= progress_) side_.violate(token_ + " gets progress backwards");
    progress_ = update.progress;
}

void Handler::on_cancel(std::string_view) noexcept {
    if (cancelled) side_.violate(token + " is cancelled twice");
    if (ended) side_.violate(token + " is cancelled after its end");
    cancelled = true;
    if (side_.defect() == Defect::answers_after_cancel && side_.world().dice.percent(20)) {
        side_.answer_by_mistake(*this);
    }
    side_.world().in(side_.world().dice.up_to(100ms), [this] { side_.unwind(*this); });
}

// Both sides, for the duration of one connection.
struct Connection {
    Connection(World& world, int number, Defect defect)
        : link(std::make_shared<Link>(world, "link" + std::to_string(number))),
          left(world, "L" + std::to_string(number), 'R', link->forth, defect),
          right(world, "R" + std::to_string(number), 'L', link->back, defect) {
        link->forth.deliver_to(&right);
        link->back.deliver_to(&left);
    }

    bool is_closed() const noexcept { return left.is_closed() && right.is_closed(); }

    std::shared_ptr<Link> link;
    Side left;
    Side right;
};

class EngineWorld {
public:
    EngineWorld(std::uint64_t seed, bool prints, Defect defect)
        : world_(seed, prints), defect_(defect) {}

    Outcome run() {
        Outcome outcome;
        try {
            connect();
            while (step()) {
                require(++outcome.steps < 20'000, "does not come to rest");
            }
            for (auto const& connection : connections_) {
                connection->left.check_rest();
                connection->right.check_rest();
            }
        } catch (Violation const& violation) {
            outcome.violation = violation.what();
        }
        outcome.hash = world_.trace.hash();
        return outcome;
    }

private:
    void connect() {
        auto const number = static_cast<int>(connections_.size());
        auto& connection =
            *connections_.emplace_back(std::make_unique<Connection>(world_, number, defect_));
        connection.link->plan_faults(10s);
        auto const actions = world_.dice.between(4, 24);
        for (std::uint64_t i = 0; i < actions; ++i) {
            auto& side = world_.dice.percent(50) ? connection.left : connection.right;
            auto const choice = world_.dice.below(100);
            world_.in(world_.dice.up_to(10s), [&side, choice] { act(side, choice); });
        }
        // Every connection ends, even one without faults.
        world_.in(200s, [&connection] { connection.left.close(rpc::Outcome::shutdown); });
        world_.in(400s, [&connection] { connection.right.close(rpc::Outcome::shutdown); });
    }

    static void act(Side& side, std::uint64_t choice) {
        if (choice < 65) {
            side.call();
        } else if (choice < 80) {
            side.cancel_one();
        } else if (choice < 88) {
            side.notify();
        } else if (choice < 97) {
            side.send_nonsense();
        } else {
            side.close(rpc::Outcome::shutdown);
        }
    }

    bool step() {
        auto& now = *connections_.back();
        auto const left = now.left.next_deadline();
        auto const right = now.right.next_deadline();
        auto const next = std::min({world_.agenda.next(), left, right});
        if (next == TimePoint::max()) return false;
        world_.now = std::max(world_.now, next);
        if (left <= world_.now) {
            now.left.on_time();
        } else if (right <= world_.now) {
            now.right.on_time();
        } else {
            world_.agenda.run_one();
        }
        for (auto const& connection : connections_) {
            connection->left.check();
            connection->right.check();
        }
        if (now.is_closed() && may_restart_ && connections_.size() < 3) {
            may_restart_ = world_.dice.percent(50);
            if (may_restart_) connect();
        }
        return true;
    }

    World world_;
    Defect defect_;
    std::vector<std::unique_ptr<Connection>> connections_;
    bool may_restart_ = true;
};

}  // namespace

Outcome simulate_engines(std::uint64_t seed, bool prints, Defect defect) {
    return EngineWorld(seed, prints, defect).run();
}

}  // namespace lanyard::simulation
