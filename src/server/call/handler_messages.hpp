// HandlerMessages: stores progress and log messages of a handler until they are sent to the client.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "lanyard/json/document.hpp"
#include "lanyard/protocol/logging.hpp"
#include "peer/progress.hpp"

namespace lanyard::server {

struct HandlerLog {
    LoggingLevel level;
    std::string logger;
    Json data;
};
/// A message with which the handler asks to close the HTTP stream of its request.
struct StreamRelease {};

using HandlerMessage = std::variant<rpc::ProgressUpdate, HandlerLog, StreamRelease>;

/// Stores the messages of one handler until the connection's executor sends them. The handler may
/// run on any thread. If 1,000 messages are stored, a new log message is dropped, and any other new
/// message replaces the last stored message. A stored StreamRelease is never replaced; the new
/// message is then dropped.
class HandlerMessages {
public:
    enum class Added {
        waiting,  ///< The messages will be sent without further action of the caller.
        first,    ///< The caller has to notify the connection's executor, which sends all messages.
        log_dropped,  ///< There was no room: this or another log message was dropped.
    };
    Added add(HandlerMessage message);
    bool empty() const noexcept { return !waiting_.load(std::memory_order_acquire); }
    std::vector<HandlerMessage> take();

    /// From now on add() does not return Added::first, because the messages are sent together with
    /// the answer.
    void send_with_answer() noexcept { with_answer_ = true; }
    /// Reverts the effect of send_with_answer(). Returns true if messages are already waiting; the
    /// caller must then notify the connection's executor.
    bool send_at_once();
    /// Resets this object for the next request. Must be called after the handler has ended.
    void clear() noexcept { with_answer_ = false; }

private:
    std::mutex mutex_;  // guards messages_ and with_answer_ while the handler runs
    std::vector<HandlerMessage> messages_;
    std::atomic<bool> waiting_ = false;
    bool with_answer_ = false;
};

}  // namespace lanyard::server
