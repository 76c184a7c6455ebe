// What a child writes to stderr, with a blocking client.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <string>

#include "conversation.hpp"
#include "lanyard/client.hpp"
#include "lanyard/transport/child_process.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;

constexpr auto guard = 60s;

ChildProcessOptions noisy_server() {
    return ChildProcessOptions(
        {"sh", "-c", "echo noise >&2; exec \"$0\"", LANYARD_CONVERSATION_SERVER});
}

TEST(ChildStderr, calls_are_answered_while_on_stderr_blocks) {
    std::binary_semaphore entered(0);
    std::binary_semaphore answered(0);
    std::atomic<bool> was_released = false;
    auto options = noisy_server();
    options.on_stderr([&](std::string_view) {
        entered.release();
        was_released = answered.try_acquire_for(guard);
    });
    {
        auto client = blocking::connect(child_process(options));
        ASSERT_TRUE(entered.try_acquire_for(guard));
        EXPECT_EQ(client.call<std::string>("echo", {{"text", "hello"}}), "hello");
        answered.release();
    }
    // The client is destroyed after the function has returned.
    EXPECT_TRUE(was_released) << "on_stderr has blocked the call";
}

TEST(ChildStderr, all_text_is_passed_on_before_the_client_is_destroyed) {
    std::string text;
    auto options = noisy_server();
    options.on_stderr([&](std::string_view part) { text += part; });
    {
        auto client = blocking::connect(child_process(options));
        EXPECT_EQ(client.call<std::string>("echo", {{"text", "hello"}}), "hello");
    }
    EXPECT_EQ(text, "noise\n");
}

}  // namespace
}  // namespace lanyard
