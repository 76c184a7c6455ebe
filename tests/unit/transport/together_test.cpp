// together(): several listeners as one.
#include "lanyard/transport/together.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

#include "lanyard/error.hpp"
#include "runtime/event.hpp"

namespace lanyard {
namespace {

class NoEndpoint final : public Endpoint {
    Task<> serve(std::unique_ptr<Transport>) override { co_return; }
};

// The state of a ScriptedListener: what it records for a test, and how the test makes it behave.
struct Script {
    std::string name;
    std::optional<Error> fails{};         // run() ends with this error
    std::optional<Error> reload_fails{};  // reload() throws this error
    bool has_files = false;
    bool ends_when_stopped = true;
    bool running = false;
    int stops = 0;
    int reloads = 0;
};

class ScriptedListener final : public Listener {
public:
    explicit ScriptedListener(Script& script) : script_(script) {}

    Task<> run(Endpoint&) override {
        runtime::Event changed(co_await boost::asio::this_coro::executor);
        changed_ = &changed;
        script_.running = true;
        while (!script_.fails && !(script_.stops > 0 && script_.ends_when_stopped)) {
            co_await changed.wait();
        }
        script_.running = false;
        changed_ = nullptr;
        if (script_.fails) throw Error(*script_.fails);
    }
    void stop() noexcept override {
        ++script_.stops;
        wake();
    }
    bool reload() override {
        ++script_.reloads;
        if (script_.reload_fails) throw Error(*script_.reload_fails);
        return script_.has_files;
    }
    std::string describe() const override { return script_.name; }

    void wake() noexcept {
        if (changed_ != nullptr) changed_->notify();
    }

private:
    Script& script_;
    runtime::Event* changed_ = nullptr;
};

class TogetherTest : public ::testing::Test {
protected:
    TogetherTest() {
        std::vector<std::unique_ptr<Listener>> made;
        for (auto& script : scripts) {
            auto one = std::make_unique<ScriptedListener>(script);
            listeners.push_back(one.get());
            made.push_back(std::move(one));
        }
        all = together(std::move(made));
    }
    void run() {
        boost::asio::co_spawn(context, all->run(endpoint), [this](std::exception_ptr error) {
            ended = true;
            failure = error;
        });
        poll();
    }
    void poll() {
        context.restart();
        context.poll();
    }
    /// The script of the listener has changed.
    void wake(std::size_t number) {
        listeners[number]->wake();
        poll();
    }
    std::string message() const {
        try {
            if (failure) std::rethrow_exception(failure);
        } catch (Error const& error) {
            return error.message();
        }
        return "none";
    }

    std::vector<Script> scripts{{.name = "one"}, {.name = "two"}, {.name = "three"}};
    boost::asio::io_context context;
    NoEndpoint endpoint;
    std::vector<ScriptedListener*> listeners;
    std::unique_ptr<Listener> all;
    bool ended = false;
    std::exception_ptr failure;
};

TEST_F(TogetherTest, runs_all_listeners_until_they_are_stopped) {
    run();
    for (auto const& script : scripts) EXPECT_TRUE(script.running) << script.name;
    EXPECT_EQ(all->describe(), "one, two, three");
    EXPECT_FALSE(ended);
    all->stop();
    poll();
    EXPECT_TRUE(ended);
    EXPECT_EQ(message(), "none");
}

TEST_F(TogetherTest, a_listener_that_fails_stops_the_others) {
    scripts[2].ends_when_stopped = false;
    run();
    scripts[0].fails = Error(Errc::unavailable, "the port is gone");
    wake(0);
    EXPECT_FALSE(scripts[1].running);
    EXPECT_EQ(scripts[2].stops, 1);
    EXPECT_FALSE(ended) << "the third listener has not ended";
    scripts[2].fails = Error(Errc::unavailable, "a later failure");
    wake(2);
    EXPECT_TRUE(ended);
    EXPECT_EQ(message(), "the port is gone");
}

TEST_F(TogetherTest, a_listener_that_cannot_reload_does_not_keep_the_others_from_it) {
    EXPECT_FALSE(all->reload()) << "no listener has files";
    scripts[1].has_files = true;
    EXPECT_TRUE(all->reload());
    scripts[0].reload_fails = Error(Errc::invalid_argument, "no such file");
    EXPECT_THROW(all->reload(), Error);
    for (auto const& script : scripts) EXPECT_EQ(script.reloads, 3) << script.name;
}

}  // namespace
}  // namespace lanyard
