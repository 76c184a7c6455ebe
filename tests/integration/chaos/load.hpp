// Makes calls continuously while a test breaks connections, and counts how they end.
#pragma once

#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/client.hpp"
#include "runtime/event.hpp"

namespace lanyard::chaos {

struct Text {
    std::string text;
};
LANYARD_STRUCT(Text, (text, "Anything"))

/// Workers that make one call after the other, each with a unique text.
class Load {
public:
    /// Calls that take longer than the timeout count as lost.
    Load(boost::asio::io_context& context, Client client, int workers,
         Duration timeout = std::chrono::seconds(60))
        : client_(std::move(client)),
          timeout_(timeout),
          changed_(context.get_executor()),
          working_(workers) {
        for (int i = 0; i < workers; ++i) {
            boost::asio::co_spawn(context, work(i), [this](std::exception_ptr failure) {
                if (failure) unexpected_.emplace_back("a worker threw something odd");
                --working_;
                changed_.notify();
            });
        }
    }
    Load(Load const&) = delete;
    Load& operator=(Load const&) = delete;

    /// Completes when this many more calls were answered.
    Task<> answers(std::size_t more) {
        auto const enough = answered_ + more;
        while (answered_ < enough && working_ > 0) co_await changed_.wait();
    }
    /// Completes when the last call of each worker has ended.
    Task<> finish() {
        stopping_ = true;
        while (working_ > 0) co_await changed_.wait();
    }

    std::size_t begun() const noexcept { return begun_; }
    std::size_t answered() const noexcept { return answered_; }
    /// The number of calls that failed because of a lost connection or a timeout.
    std::size_t lost() const noexcept { return lost_; }
    /// The number of answers that belong to another call.
    std::size_t foreign() const noexcept { return foreign_; }
    /// Errors that a broken connection does not explain.
    std::vector<std::string> const& unexpected() const noexcept { return unexpected_; }

private:
    Task<> work(int worker) {
        for (std::size_t number = 0; !stopping_; ++number) {
            Text work;
            work.text = std::to_string(worker) + "-" + std::to_string(number);
            CallOptions options;
            options.wait_until_ready(true).timeout(timeout_);
            std::string const tool = number % 4 == 0 ? "slow" : "echo";
            ++begun_;
            try {
                auto const text = co_await client_.call<std::string>(tool, work, options);
                ++(text == work.text ? answered_ : foreign_);
            } catch (Error const& error) {
                note(error);
            } catch (ToolError const& error) {
                unexpected_.emplace_back(error.what());
            }
            changed_.notify();
        }
    }

    void note(Error const& error) {
        if (error.is(Errc::transport_down) || error.is(Errc::unavailable) ||
            error.is(Errc::timeout)) {
            ++lost_;
        } else {
            unexpected_.emplace_back(error.what());
        }
    }

    Client client_;
    Duration timeout_;
    runtime::Event changed_;
    int working_;
    std::size_t begun_ = 0;
    std::size_t answered_ = 0;
    std::size_t lost_ = 0;
    std::size_t foreign_ = 0;
    std::vector<std::string> unexpected_;
    bool stopping_ = false;
};

/// Lets a test wait until a client has lost its connection.
class Watch final : public ClientObserver {
public:
    explicit Watch(boost::asio::any_io_executor const& executor) : changed_(executor) {}

    void on_state(ConnectionState from, ConnectionState, std::optional<Error> const&) override {
        if (from == ConnectionState::ready) ++losses_;
        changed_.notify();
    }
    std::size_t losses() const noexcept { return losses_; }
    /// Completes when the connection was lost this many times.
    Task<> lost(std::size_t times) {
        while (losses_ < times) co_await changed_.wait();
    }

private:
    runtime::Event changed_;
    std::size_t losses_ = 0;
};

/// The resident memory of this process, in bytes.
inline std::size_t resident_memory() {
    std::ifstream statistics("/proc/self/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    statistics >> all >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

inline constexpr std::chrono::milliseconds backoff(10);
/// The limit for being ready again: ten times the expected duration. Only guards against hangs.
inline constexpr std::chrono::milliseconds guard = 10 * (backoff + std::chrono::seconds(1));

/// 50 cycles, or 1,000 with LANYARD_TEST_LONG.
inline int cycles() {
    return std::getenv("LANYARD_TEST_LONG") != nullptr ? 1000 : 50;
}

/// On a busy machine, a cycle of 20 ms may take seconds.
inline std::chrono::seconds guard_of_all() {
    return std::chrono::seconds(5 * cycles());
}

}  // namespace lanyard::chaos
