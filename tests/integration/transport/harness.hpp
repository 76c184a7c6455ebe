// Runs coroutines with a guard against hangs, and writes and reads single messages.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/transport.hpp"

namespace lanyard::test {

/// Runs the task to its end; fails the test where it throws or takes longer than the guard.
inline void run_guarded(boost::asio::io_context& context, Task<> task,
                        std::chrono::seconds guard = std::chrono::seconds(60)) {
    bool ended = false;
    boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr failure) {
        ended = true;
        if (!failure) return;
        try {
            std::rethrow_exception(failure);
        } catch (std::exception const& error) {
            ADD_FAILURE() << "threw: " << error.what();
        }
    });
    context.restart();
    context.run_for(guard);
    EXPECT_TRUE(ended) << "still running after " << guard.count() << " s";
}

inline Task<> send(Transport& transport, std::string text) {
    rpc::Outbox outbox;
    outbox.begin().append(text);
    outbox.end();
    co_await transport.write(outbox);
}

/// The next messages, at least this many; fewer where the connection ended.
inline Task<std::vector<std::string>> receive(Transport& transport, std::size_t count) {
    std::vector<std::string> texts;
    while (texts.size() < count) {
        auto const frames = co_await transport.read();
        if (!frames) break;
        for (auto const& frame : *frames) texts.emplace_back(frame.text);
    }
    co_return texts;
}

}  // namespace lanyard::test
