#include "lanyard/transport/together.hpp"

#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "runtime/event.hpp"

namespace lanyard {

namespace {

class Together final : public Listener {
public:
    explicit Together(std::vector<std::unique_ptr<Listener>> listeners)
        : listeners_(std::move(listeners)) {}

    Task<> run(Endpoint& endpoint) override {
        auto const executor = co_await boost::asio::this_coro::executor;
        auto const state = std::make_shared<State>(executor, listeners_.size());
        for (auto const& listener : listeners_) {
            auto const on_end = [this, state](std::exception_ptr failure) {
                --state->running;
                if (failure && !state->failure) {
                    state->failure = failure;
                    stop();
                }
                state->changed.notify();
            };
            boost::asio::co_spawn(executor, listener->run(endpoint), on_end);
        }
        while (state->running > 0) co_await state->changed.wait();
        if (state->failure) std::rethrow_exception(state->failure);
    }

    void stop() noexcept override {
        for (auto const& listener : listeners_) listener->stop();
    }

    // If one listener cannot reload its files, the others still reload theirs.
    bool reload() override {
        bool any = false;
        std::exception_ptr failure;
        for (auto const& listener : listeners_) {
            try {
                any = listener->reload() || any;
            } catch (...) {
                failure = std::current_exception();
            }
        }
        if (failure) std::rethrow_exception(failure);
        return any;
    }

    std::string describe() const override {
        std::string text;
        for (auto const& listener : listeners_) {
            text += (text.empty() ? "" : ", ") + listener->describe();
        }
        return text;
    }

private:
    struct State {
        State(boost::asio::any_io_executor const& executor, std::size_t count)
            : changed(executor), running(count) {}

        runtime::Event changed;
        std::size_t running;
        std::exception_ptr failure;
    };

    std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace

std::unique_ptr<Listener> together(std::vector<std::unique_ptr<Listener>> listeners) {
    return std::make_unique<Together>(std::move(listeners));
}

}  // namespace lanyard
