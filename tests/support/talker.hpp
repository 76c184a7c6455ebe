// A tool that logs many messages in one call.
#pragma once

#include "lanyard/server/server.hpp"

namespace lanyard::test {

constexpr int messages_of_talker = 64;

/// Adds the tool "talk", which logs the numbers from 0 on. It runs inline.
inline void add_talker(Server& server) {
    server.tool(
        "talk", "Logs 64 messages",
        [](Context& context) {
            for (int i = 0; i < messages_of_talker; ++i) context.log(LoggingLevel::info, Json(i));
            return "done";
        },
        ToolOptions().inline_());
}

}  // namespace lanyard::test
