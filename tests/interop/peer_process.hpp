// Starts peers of other SDKs, and waits for messages from them.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lanyard/client.hpp"
#include "lanyard/transport/child_process.hpp"

namespace lanyard::interop {

/// Collects received values for a test that waits for them. Thread-safe.
template <class T>
class Inbox {
public:
    void push(T value) {
        std::lock_guard const lock(mutex_);
        values_.push_back(std::move(value));
        changed_.notify_all();
    }

    /// Waits for a value that satisfies the condition and returns it; nothing after 30 seconds.
    template <class Condition>
    std::optional<T> find(Condition condition) {
        std::unique_lock lock(mutex_);
        std::optional<T> found;
        changed_.wait_for(lock, std::chrono::seconds(30), [&] {
            for (auto const& value : values_) {
                if (condition(value)) found = value;
            }
            return found.has_value();
        });
        return found;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<T> values_;
};

inline RawJson json(std::string text) {
    return RawJson::trusted(std::move(text));
}

/// A server of an npm package, run by the Node of tests/interop/npm.
inline ChildProcessOptions npm_server(std::string const& script,
                                      std::vector<std::string> arguments = {}) {
    std::filesystem::path const folder(LANYARD_INTEROP_NPM);
    arguments.insert(arguments.begin(),
                     {(folder / "bin/node").string(),
                      (folder / "node_modules/@modelcontextprotocol" / script).string()});
    ChildProcessOptions options(std::move(arguments));
    options.on_stderr([](std::string_view) {});
    return options;
}

}  // namespace lanyard::interop
