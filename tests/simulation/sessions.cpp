// A server and two clients over simulated connections, in both eras, on one event loop that is
// stepped manually.
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>

#include "lanyard/client.hpp"
#include "lanyard/server.hpp"
#include "offer.hpp"
#include "simulated_transport.hpp"
#include "stage.hpp"

namespace lanyard::simulation {

namespace {

using namespace std::chrono_literals;

// How long the end of a call may take to reach the server: the longest stall, and the longest time
// by which one direction outlives the other.
constexpr Duration longest_news = 90s + 30s + 5s;

// How long a server may serve a client that has vanished: it pings after 30 s of silence, waits 10
// s for the answer, and gives handlers 5 s to unwind. A handshake has 30 s.
constexpr Duration longest_silence = 30s + 10s + 5s + 1s;

// How long a client may stay in one state before it is ready: the longest wait, or two probes and a
// handshake.
constexpr Duration longest_attempt = 36s + 1s;

// After this many connections, a caller's attempts to connect fail.
constexpr int most_connections = 4;

// Opens simulated connections.
class SimulatedConnector final : public Connector {
public:
    explicit SimulatedConnector(std::function<Task<std::unique_ptr<Transport>>()> open)
        : open_(std::move(open)) {}

    Task<std::unique_ptr<Transport>> open() override { return open_(); }
    std::string describe() const override { return "simulated"; }

private:
    std::function<Task<std::unique_ptr<Transport>>()> open_;
};

// Checks the states of a client that reconnects. Lives as long as the client.
class Course final : public ClientObserver {
public:
    Course(Stage& stage, std::string name) : stage_(stage), name_(std::move(name)) {}

    void on_state(ConnectionState, ConnectionState to,
                  std::optional<Error> const& reason) override {
        stage_.world.note(name_, to_string(to), reason ? reason->message() : std::string());
        state_ = to;
        since_ = stage_.world.now;
    }

    void check() const {
        bool const on_its_way = state_ == ConnectionState::starting ||
                                state_ == ConnectionState::initializing ||
                                state_ == ConnectionState::backoff;
        require(!on_its_way || stage_.world.now - since_ < longest_attempt,
                "a client is stuck on its way to being ready");
    }

private:
    Stage& stage_;
    std::string name_;
    ConnectionState state_ = ConnectionState::closed;
    TimePoint since_{};
};

// A client and its pending calls. It reconnects automatically or manually.
class Caller {
public:
    Caller(Stage& stage, std::unique_ptr<Server>& server, std::string name, Version version,
           bool reconnects)
        : stage_(stage),
          server_(server),
          name_(std::move(name)),
          version_(version),
          reconnects_(reconnects),
          course_(std::make_shared<Course>(stage, name_)) {}

    void connect() {
        auto const executor = stage_.context.get_executor();
        auto opening = reconnects_ ? start() : open(open_link());
        boost::asio::co_spawn(executor, std::move(opening), [this](std::exception_ptr failure) {
            if (failure) stage_.violate("opening threw something odd");
        });
    }

    void check() const { course_->check(); }

    void call() {
        bool const waits = reconnects_ && stage_.world.dice.percent(30);
        if (!client_.is_open() && !waits) return;
        auto const tool = tool_names[stage_.world.dice.below(tool_names.size())];
        auto& call = *calls_.emplace_back(std::make_unique<Call>());
        call.token = name_ + "-" + std::to_string(calls_.size());
        call.tool = tool;
        call.waits = waits;
        ++stage_.calls_begun;
        stage_.world.note(call.token, "calls", tool);
        boost::asio::co_spawn(stage_.context, make(call), [this](std::exception_ptr failure) {
            if (failure) stage_.violate("a call threw something odd");
        });
    }

    void cancel_one() {
        if (calls_.empty()) return;
        auto& call = *calls_[stage_.world.dice.below(calls_.size())];
        if (!call.ended) call.cancelled = true;
        stage_.world.note(call.token, "is cancelled");
        call.stop.request_stop();
    }

    void list() { request(list_tools()); }
    void read() { request(read_resource(some_uri())); }
    void subscribe() { request(subscribe_to(some_uri())); }
    void unsubscribe() { request(unsubscribe_from(some_uri())); }

    void close() {
        stage_.world.note(name_, "closes");
        client_.close();
    }
    // Closes permanently.
    void leave() {
        leaving_ = true;
        if (stage_.defect == Defect::forgets_a_handler) return;
        client_.close();
        client_ = Client();
    }

    int connections() const noexcept { return connections_; }

private:
    struct Call {
        std::string token;
        std::string_view tool;
        std::stop_source stop;
        bool waits = false;
        bool cancelled = false;
        bool ended = false;
    };

    /// Opens a new connection to the server; returns the client's end.
    std::unique_ptr<Transport> open_link() {
        ++connections_;
        auto const name = name_ + std::to_string(connections_);
        stage_.world.note(name, "connects");
        auto const link = std::make_shared<Link>(stage_.world, name);
        auto const connection = stage_.connections.emplace_back(
            std::make_shared<Connection>(Connection{link, version_ != newest_version}));
        link->plan_faults(10s);
        if (!reconnects_) subscribed_.clear();
        if (stage_.defect == Defect::answers_twice) link->forth.repeat_everything();
        auto const executor = stage_.context.get_executor();
        auto here = std::make_unique<SimulatedTransport>(executor, link->back, link->forth,
                                                         stage_.transports);
        auto there = std::make_unique<SimulatedTransport>(executor, link->forth, link->back,
                                                          stage_.transports);
        boost::asio::co_spawn(executor, server_->serve(std::move(there)),
                              [this, connection](std::exception_ptr failure) {
                                  if (failure) stage_.violate("serving threw");
                                  connection->served = false;
                                  ++stage_.served;
                              });
        return here;
    }

    Task<std::unique_ptr<Transport>> open_again() {
        if (stage_.defect == Defect::never_reconnects && connections_ > 0) {
            co_await sleep_until(stage_.time, stage_.time.now() + 10min);
        }
        if (connections_ >= most_connections || stage_.world.dice.percent(10)) {
            throw Error(Errc::unavailable, "nobody is there");
        }
        co_return open_link();
    }

    Task<> start() {
        auto const open = [this] { return open_again(); };
        auto connector = std::make_unique<SimulatedConnector>(open);
        auto starting = start_client(std::move(connector), options());
        client_ = co_await std::move(starting);
        if (leaving_) leave();
    }

    ClientOptions options() {
        ClientOptions options(name_, "1");
        options.time(stage_.time).random(stage_.random).preferred_version(version_);
        options.on_elicitation([this](ElicitFormParams const&) { return accept(); });
        options.on_sampling([this](CreateMessageParams const& params) { return think(params); });
        options.on_resource_updated([this](std::string const& uri) { on_updated(uri); });
        options.on_closed([this](std::optional<Error> const&) { on_lost(); });
        if (reconnects_) options.observer(course_);
        return options;
    }

    Task<> open(std::unique_ptr<Transport> transport) {
        bool opened = false;
        try {
            auto client = co_await lanyard::connect(std::move(transport), options());
            opened = true;
            client_ = std::move(client);
        } catch (Error const& error) {
            stage_.world.note(name_, "cannot connect", error.what());
        }
        if (opened && leaving_) leave();
        if (!opened) on_lost();
    }

    Task<ElicitResult> accept() {
        auto const until = stage_.time.now() + stage_.world.dice.up_to(3s);
        co_await sleep_until(stage_.time, until);
        ElicitResult result;
        result.action =
            stage_.world.dice.percent(80) ? ElicitAction::accept : ElicitAction::decline;
        if (result.action == ElicitAction::accept) {
            JsonObject content;
            content["really"] = true;
            result.content = std::move(content);
        }
        co_return result;
    }

    // Returns the text it was given, after a while.
    Task<CreateMessageResult> think(CreateMessageParams params) {
        auto const until = stage_.time.now() + stage_.world.dice.up_to(3s);
        co_await sleep_until(stage_.time, until);
        CreateMessageResult result;
        result.content = params.messages.at(0).content;
        result.model = "simulated";
        result.stop_reason = std::string(stop_reason::end_turn);
        co_return result;
    }

    void on_updated(std::string const& uri) {
        stage_.world.note(name_, "is told of", uri);
        if (!subscribed_.contains(uri)) stage_.violate(name_ + " is told of what it never asked");
    }

    std::string some_uri() { return resource_uri(stage_.world.dice.below(stage_.editions.size())); }

    void on_lost() {
        stage_.world.note(name_, "is disconnected");
        if (leaving_ || connections_ >= 3 || !stage_.world.dice.percent(60)) return;
        stage_.world.in(stage_.world.dice.up_to(1s), [this] {
            if (!leaving_) connect();
        });
    }

    Task<> make(Call& call) {
        auto const client = client_;
        CallOptions options;
        options.timeout(100ms + stage_.world.dice.up_to(20s)).max_total(60s);
        options.stop_token(call.stop.get_token()).wait_until_ready(call.waits);
        double last = 0;
        auto const on_progress = [&](ProgressParams const& params) {
            if (call.ended) stage_.violate(call.token + " gets progress after its end");
            if (params.progress <= last) stage_.violate(call.token + " gets progress backwards");
            last = params.progress;
        };
        if (stage_.world.dice.percent(50)) options.on_progress(on_progress);
        Work work;
        work.token = call.token;
        std::string how;
        try {
            auto const text =
                co_await client.call<std::string>(std::string(call.tool), work, options);
            how = "answered";
            if (text != call.token) stage_.violate(call.token + " got a foreign answer: " + text);
            if (call.tool == "fail") stage_.violate(call.token + " did not fail");
            if (stage_.runs[call.token] != 1) stage_.violate(call.token + " was not run once");
        } catch (ToolError const& error) {
            how = "failed";
            std::string const text = error.what();
            if (text.find(call.token) == std::string::npos) {
                stage_.violate(call.token + " got a foreign failure: " + text);
            }
        } catch (Error const& error) {
            how = error.what();
            if (call.cancelled && !error.is(Errc::cancelled) && !client_ended(error)) {
                stage_.violate(call.token + " was cancelled and has another outcome: " + how);
            }
        }
        call.ended = true;
        ++stage_.calls_ended;
        stage_.ended[call.token] = stage_.time.now();
        stage_.world.note(call.token, "ends", how);
    }

    static bool client_ended(Error const& error) {
        return error.is(Errc::closed) || error.is(Errc::shutdown) ||
               error.is(Errc::transport_down) || error.is(Errc::unavailable);
    }

    // Starts any request except a call. It may fail.
    void request(Task<> task) {
        if (!client_.is_open()) return;
        ++stage_.calls_begun;
        boost::asio::co_spawn(stage_.context, attempt(std::move(task)),
                              [this](std::exception_ptr failure) {
                                  if (failure) stage_.violate("a request threw something odd");
                              });
    }

    Task<> attempt(Task<> task) {
        try {
            co_await std::move(task);
        } catch (Error const& error) {
            stage_.world.note(name_, "cannot", error.what());
        }
        ++stage_.calls_ended;
    }

    Task<> list_tools() {
        auto const client = client_;
        auto const tools = co_await client.list_tools();
        // One more tool is added and removed at times.
        auto const more = tools.size() - tool_names.size();
        if (more > 1) stage_.violate("a list is incomplete");
    }

    Task<> read_resource(std::string uri) {
        auto const client = client_;
        auto const result = co_await client.read_resource(uri);
        auto const* const text = std::get_if<TextResourceContents>(&result.contents.at(0));
        if (text == nullptr || text->uri != uri || !text->text.starts_with(uri + "#")) {
            stage_.violate(name_ + " has read another resource than " + uri);
        }
    }

    Task<> subscribe_to(std::string uri) {
        auto const client = client_;
        // The first update may arrive before the answer.
        if (stage_.defect != Defect::forgets_subscriptions) subscribed_.insert(uri);
        co_await client.subscribe(uri);
    }

    // Updates that are under way may still arrive.
    Task<> unsubscribe_from(std::string uri) {
        auto const client = client_;
        co_await client.unsubscribe(uri);
    }

    Stage& stage_;
    std::unique_ptr<Server>& server_;
    std::string name_;
    Version version_;
    bool reconnects_;
    std::shared_ptr<Course> course_;
    Client client_;
    std::vector<std::unique_ptr<Call>> calls_;
    std::set<std::string> subscribed_;  // URIs ever subscribed to on this connection
    int connections_ = 0;
    bool leaving_ = false;
};

class SessionWorld {
public:
    SessionWorld(std::uint64_t seed, bool prints, Defect defect)
        : stage_(seed, prints, defect), offer_(stage_), posts_(stage_.world.dice.percent(30)) {
        start_server();
        for (auto const* name : {"A", "B"}) {
            bool const newest = stage_.world.dice.percent(50);
            bool const reconnects = stage_.world.dice.percent(50);
            callers_.push_back(std::make_unique<Caller>(
                stage_, server_, name, newest ? newest_version : Version::v2025_11_25, reconnects));
        }
    }

    Outcome run() {
        Outcome outcome;
        try {
            for (auto const& caller : callers_) plan(*caller);
            plan_server();
            while (step()) require(++outcome.steps < 20'000, "does not come to rest");
            check_rest();
        } catch (Violation const& violation) {
            outcome.violation = violation.what();
        }
        outcome.hash = stage_.world.trace.hash();
        return outcome;
    }

private:
    ServerOptions options() {
        ServerOptions options;
        options.time(stage_.time).random(stage_.random).initialization_timeout(30s);
        if (stage_.defect == Defect::never_pings) options.ping(0s, 0s);
        options.on_log([this](LoggingLevel, std::string_view text) {
            stage_.world.note("server", "logs", text);
        });
        return options;
    }

    void start_server() {
        server_ = std::make_unique<Server>("simulated", "1", options());
        offer_.add_to(*server_);
        if (posts_) server_->executor(stage_.context.get_executor());
    }

    // Plans replacements of the server and changes of its tools and resources.
    void plan_server() {
        auto& world = stage_.world;
        if (world.dice.percent(15)) {
            world.in(world.dice.up_to(12s), [this] {
                stage_.world.note("server", "is replaced");
                start_server();
            });
        }
        if (world.dice.percent(30)) {
            auto const add = [this] {
                server_->tool("extra", "Comes and goes", [](Work in) { return in.token; });
            };
            world.in(world.dice.up_to(6s), add);
            world.in(6s + world.dice.up_to(6s), [this] { server_->remove_tool("extra"); });
        }
        for (auto changes = world.dice.below(4); changes > 0; --changes) {
            world.in(world.dice.up_to(15s), [this] { change_a_resource(); });
        }
        if (world.dice.percent(10)) {
            world.in(world.dice.up_to(12s), [this] {
                stage_.world.note("server", "stops");
                server_->stop(1s);
            });
        }
    }

    void change_a_resource() {
        auto const number = stage_.world.dice.below(stage_.editions.size());
        ++stage_.editions[number];
        server_->resource_updated(resource_uri(number));
    }

    void plan(Caller& caller) {
        auto& world = stage_.world;
        caller.connect();
        auto const actions = world.dice.between(2, 8);
        for (std::uint64_t i = 0; i < actions; ++i) {
            auto const choice = world.dice.below(100);
            world.in(world.dice.up_to(12s), [&caller, choice] { act(caller, choice); });
        }
        world.in(200s, [&caller] { caller.leave(); });
    }

    static void act(Caller& caller, std::uint64_t choice) {
        if (choice < 60) {
            caller.call();
        } else if (choice < 70) {
            caller.cancel_one();
        } else if (choice < 75) {
            caller.list();
        } else if (choice < 81) {
            caller.read();
        } else if (choice < 92) {
            caller.subscribe();
        } else if (choice < 95) {
            caller.unsubscribe();
        } else {
            caller.close();
        }
    }

    bool step() {
        stage_.context.restart();
        for (int turns = 0; stage_.context.poll_one() > 0; ++turns) {
            require(turns < 20'000, "runs in circles");
        }
        check();
        auto const next = std::min(stage_.world.agenda.next(), stage_.time.next_alarm());
        if (next == TimePoint::max()) return false;
        if (next > stage_.time.now()) stage_.time.advance(next - stage_.time.now());
        stage_.world.now = stage_.time.now();
        if (stage_.world.agenda.next() <= stage_.world.now) stage_.world.agenda.run_one();
        return true;
    }

    void check() const {
        if (!stage_.violation.empty()) throw Violation(stage_.violation);
        for (auto const& caller : callers_) caller->check();
        for (auto const& token : stage_.working) {
            auto const ended = stage_.ended.find(token);
            require(ended == stage_.ended.end() || stage_.world.now - ended->second < longest_news,
                    "a handler outlives its call");
        }
        for (auto const& connection : stage_.connections) {
            auto const& link = *connection->link;
            for (auto const* direction : {&link.forth, &link.back}) {
                require(direction->under_way() < 2 * Direction::room, "too much is under way");
            }
            bool const is_silent = connection->served && connection->keeps_alive && link.vanished;
            require(!is_silent || stage_.world.now - *link.vanished < longest_silence,
                    "the server does not notice that a client has vanished");
        }
    }

    void check_rest() const {
        int connections = 0;
        for (auto const& caller : callers_) connections += caller->connections();
        require(stage_.calls_begun == stage_.calls_ended, "a call has not ended at rest");
        require(stage_.working.empty(), "a handler is left at rest");
        require(stage_.served == connections, "a connection is served at rest");
        require(stage_.transports == 0, "a transport is left at rest");
    }

    Stage stage_;
    Offer offer_;
    bool posts_;  // handlers run on the simulation's executor
    std::unique_ptr<Server> server_;
    std::vector<std::unique_ptr<Caller>> callers_;
};

}  // namespace

Outcome simulate_sessions(std::uint64_t seed, bool prints, Defect defect) {
    return SessionWorld(seed, prints, defect).run();
}

}  // namespace lanyard::simulation
