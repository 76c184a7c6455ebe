// Writes and reads single messages with a transport.
#pragma once

#include <string>
#include <vector>

#include "lanyard/transport.hpp"
#include "support/run_task.hpp"

namespace lanyard::test {

inline Task<> send(Transport& transport, std::string text) {
    rpc::Outbox outbox;
    outbox.begin().append(text);
    outbox.end();
    co_await transport.write(outbox);
}

/// Returns at least this many messages; fewer if the connection has ended.
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
