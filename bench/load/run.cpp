#include "load/run.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "load/latency.hpp"

namespace lanyard::bench {
namespace {

using Clock = std::chrono::steady_clock;

// A run at a fixed rate may take this many times as long before it is given up.
constexpr double patience = 2;

double microseconds(Clock::duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
}

Clock::duration seconds(double count) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

class Run {
public:
    Run(Channel& channel, Process const& server) : channel_(channel), server_(server) {}

    Figures closed(double duration) {
        begin();
        auto const end = start_ + seconds(duration);
        auto now = start_;
        do {
            while (channel_.ready()) send(now);
            receive(-1);
            now = Clock::now();
        } while (now < end);
        while (under_way_ > 0) receive(-1);
        return finish();
    }

    Figures open(double duration, double rate) {
        begin();
        Schedule const schedule(start_, rate);
        auto const total = static_cast<std::size_t>(duration * rate);
        auto const end = start_ + seconds(duration * (1 + patience));
        std::size_t sent = 0;
        for (auto now = start_; now < end && answered_ < total; now = Clock::now()) {
            auto const due = std::min(total, schedule.due_by(now));
            while (sent < due && channel_.ready()) send(schedule.due(sent++));
            // Polls without waiting: this core has nothing else to do.
            receive(0);
        }
        auto const now = Clock::now();
        for (; sent < total; ++sent) due_.push_back(schedule.due(sent));
        auto figures = finish();
        figures.unanswered = total - answered_;
        // The latency of an unanswered call is at least the time waited for it.
        for (auto const when : due_) {
            if (when != Time()) figures.latency_microseconds.push_back(microseconds(now - when));
        }
        std::ranges::sort(figures.latency_microseconds);
        return figures;
    }

private:
    void begin() {
        first_ += due_.size();
        due_.clear();
        answered_ = 0;
        latency_.clear();
        cpu_ = server_.cpu_seconds();
        start_ = Clock::now();
    }
    void send(Time due) {
        channel_.send(first_ + due_.size());
        due_.push_back(due);
        ++under_way_;
    }
    void receive(int milliseconds) {
        channel_.receive(milliseconds, [this](std::size_t number) {
            auto& due = due_.at(number - first_);
            if (due == Time()) throw std::runtime_error("two answers to a call");
            latency_.push_back(microseconds(Clock::now() - due));
            due = Time();
            --under_way_;
            ++answered_;
        });
    }
    Figures finish() {
        Figures figures;
        figures.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
        figures.cpu_seconds = server_.cpu_seconds() - cpu_;
        figures.calls = answered_;
        std::ranges::sort(latency_);
        figures.latency_microseconds = std::move(latency_);
        return figures;
    }

    Channel& channel_;
    Process const& server_;
    Time start_;
    std::size_t first_ = 0;  // number of the first call
    std::vector<Time> due_;  // of each call since; zero once it is answered
    std::vector<double> latency_;
    std::size_t under_way_ = 0;
    std::size_t answered_ = 0;
    double cpu_ = 0;
};

}  // namespace

Figures run(Channel& channel, Process const& server, RunOptions const& options) {
    Run run(channel, server);
    if (options.warm_up_seconds > 0) run.closed(options.warm_up_seconds);
    return options.rate > 0 ? run.open(options.seconds, options.rate) : run.closed(options.seconds);
}

}  // namespace lanyard::bench
