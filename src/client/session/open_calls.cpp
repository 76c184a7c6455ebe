#include "client/session/open_calls.hpp"

#include <algorithm>

namespace lanyard::client {

namespace {

constexpr std::size_t max_kept_tasks = 1'000;

OpenCalls::Match match(std::shared_ptr<OpenCall> const& call) {
    OpenCalls::Match found;
    found.handlers.of_call = call->handlers();
    found.call = call;
    return found;
}

OpenCalls::Match no_match(std::string_view why) {
    OpenCalls::Match none;
    none.handlers.why = why;
    return none;
}

}  // namespace

void OpenCall::end(RunningQuestion& question) {
    if (running_.erase(&question) > 0 && running_.empty() && on_idle_) on_idle_();
}

void OpenCall::close(std::function<void()> on_idle) {
    on_idle_ = std::move(on_idle);
    // Iterates over a copy, because a question that is cancelled may end at once and be removed
    // from running_.
    auto const running = running_;
    for (auto* const question : running) {
        if (running_.contains(question)) question->on_call_ended();
    }
}

std::shared_ptr<OpenCall> OpenCalls::add(std::int64_t request,
                                         std::shared_ptr<CallHandlers const> handlers,
                                         std::string_view task) {
    auto call = std::make_shared<OpenCall>(std::move(handlers), task);
    calls_.insert_or_assign(request, call);
    return call;
}

void OpenCalls::keep_for_task(std::string task, std::shared_ptr<CallHandlers const> handlers) {
    drop_task(task);
    if (tasks_.size() >= max_kept_tasks) tasks_.pop_front();
    tasks_.emplace_back(std::move(task), std::move(handlers));
}

void OpenCalls::drop_task(std::string_view task) {
    std::erase_if(tasks_, [&](auto const& kept) { return kept.first == task; });
}

OpenCalls::Match OpenCalls::find(Answers answers, std::uint64_t origin,
                                 std::optional<std::string> const& task) const {
    if (task) return find_by_task(answers, *task);
    if (origin != 0) return find_by_request(answers, origin);
    return find_only(answers);
}

OpenCalls::Match OpenCalls::find_by_task(Answers answers, std::string const& task) const {
    for (auto const& [request, call] : calls_) {
        if (call->task() == task && answers(*call->handlers())) return match(call);
    }
    for (auto const& [id, handlers] : tasks_) {
        if (id != task || !answers(*handlers)) continue;
        Match found;
        found.handlers.of_call = handlers;
        return found;
    }
    return no_match("no call of the task that it names has a handler for it");
}

OpenCalls::Match OpenCalls::find_by_request(Answers answers, std::uint64_t request) const {
    auto const found = calls_.find(static_cast<std::int64_t>(request));
    if (found != calls_.end() && answers(*found->second->handlers())) return match(found->second);
    return no_match("the call on whose stream it arrived has no handler for it");
}

OpenCalls::Match OpenCalls::find_only(Answers answers) const {
    auto const found = std::find_if(calls_.begin(), calls_.end(), [&](auto const& each) {
        return answers(*each.second->handlers());
    });
    if (found == calls_.end()) return Match();
    // The question may belong to a call without handlers, so `pending_` also counts such calls.
    if (pending_ == 1) return match(found->second);
    return no_match(
        "several calls are pending, and nothing shows to which of them the question belongs");
}

}  // namespace lanyard::client
