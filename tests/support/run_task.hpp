// Runs a coroutine on an event loop until it has ended.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/task.hpp"

namespace lanyard::test {

/// Runs until nothing is left to do. Fails the test if the task throws or takes longer than the
/// guard; `describe` then says what the task was waiting for.
inline void run_task(boost::asio::io_context& context, Task<> task,
                     std::chrono::seconds guard = std::chrono::seconds(60),
                     std::function<std::string()> const& describe = nullptr) {
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
    EXPECT_TRUE(ended) << "still running after " << guard.count() << " s"
                       << (describe ? ": " + describe() : "");
}

}  // namespace lanyard::test
