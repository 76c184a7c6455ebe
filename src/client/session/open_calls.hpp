// OpenCalls: the pending calls for which the server may ask questions, the handlers of those calls,
// and the search for the call that a question belongs to. Used for revisions in which servers send
// requests; in later revisions, the server puts its questions into the result of the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "client/session/questions.hpp"

namespace lanyard::client {

/// A question whose handler is running.
class RunningQuestion {
public:
    /// Called when the call that the question belongs to has ended. Cancels the handler.
    virtual void on_call_ended() noexcept = 0;

protected:
    ~RunningQuestion() = default;
};

/// A pending call with handlers of its own. Used on the session's executor only.
class OpenCall {
public:
    OpenCall(std::shared_ptr<CallHandlers const> handlers, std::string_view task)
        : handlers_(std::move(handlers)), task_(task) {}

    std::shared_ptr<CallHandlers const> const& handlers() const noexcept { return handlers_; }
    /// The id of the task whose result the call waits for; empty if there is none.
    std::string const& task() const noexcept { return task_; }

    void begin(RunningQuestion& question) { running_.insert(&question); }
    /// Removes the question. Does nothing if it was already removed.
    void end(RunningQuestion& question);
    /// Whether no handler of the call is running.
    bool idle() const noexcept { return running_.empty(); }
    /// Cancels the running handlers. `on_idle` is called when the last of them has returned.
    void close(std::function<void()> on_idle);
    /// Drops the function `on_idle` that close() has stored, so that it is not called any more.
    void detach() noexcept { on_idle_ = nullptr; }

private:
    std::shared_ptr<CallHandlers const> handlers_;
    std::string task_;
    std::set<RunningQuestion*> running_;
    std::function<void()> on_idle_;
};

/// Used on the session's executor only.
class OpenCalls {
public:
    /// Counts a pending call for which the server may ask questions, with or without handlers.
    void begin() noexcept { ++pending_; }
    /// Must be called once for each begin(), when that call has ended.
    void end() noexcept { --pending_; }

    /// Adds the handlers of a call that begin() has counted. `task` is the task whose result the
    /// call waits for; may be empty.
    std::shared_ptr<OpenCall> add(std::int64_t request,
                                  std::shared_ptr<CallHandlers const> handlers,
                                  std::string_view task);
    void remove(std::int64_t request) { calls_.erase(request); }

    /// Keeps the handlers of a call that has started a task, for questions that the task asks after
    /// the call has ended. If the handlers of too many tasks are kept, drops the oldest.
    void keep_for_task(std::string task, std::shared_ptr<CallHandlers const> handlers);
    void drop_task(std::string_view task);

    /// The handlers for a question. `call` is null if the question belongs to no pending call.
    struct Match {
        QuestionHandlers handlers{};
        std::shared_ptr<OpenCall> call{};
    };
    /// A function that returns whether the handlers can answer one kind of question.
    using Answers = bool (*)(CallHandlers const& handlers);
    /// Finds the call that a question belongs to. `origin` is the id of the request on whose stream
    /// the question has arrived, 0 if unknown; `task` is the task that the question names.
    Match find(Answers answers, std::uint64_t origin, std::optional<std::string> const& task) const;

private:
    Match find_by_task(Answers answers, std::string const& task) const;
    Match find_by_request(Answers answers, std::uint64_t request) const;
    Match find_only(Answers answers) const;

    std::size_t pending_ = 0;
    std::map<std::int64_t, std::shared_ptr<OpenCall>> calls_;
    std::deque<std::pair<std::string, std::shared_ptr<CallHandlers const>>> tasks_;
};

}  // namespace lanyard::client
