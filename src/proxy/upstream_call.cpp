#include "proxy/upstream_call.hpp"

#include <algorithm>
#include <vector>

#include <boost/asio/post.hpp>

#include "base/deadline.hpp"
#include "runtime/await_on.hpp"
#include "wire/forwarded_error.hpp"

namespace lanyard::proxy {

namespace {

constexpr std::string_view protocol_prefix = "io.modelcontextprotocol/";

// Marks an error that the other server has sent, so that the client gets the error unchanged. An
// error that occurred in this process is returned without a mark.
std::exception_ptr forwarded(std::exception_ptr failure) {
    try {
        std::rethrow_exception(failure);
    } catch (Error const& error) {
        if (error.peer_code()) return std::make_exception_ptr(wire::ForwardedError(error));
    } catch (...) {
        // This error occurred in this process.
    }
    return failure;
}

ElicitResult elicited(InputResponse response) {
    auto result = std::get<ElicitResult>(std::move(response));
    result.meta = passed_on(std::move(result.meta));
    return result;
}

}  // namespace

Meta passed_on(Meta meta) {
    std::vector<std::string> removed;
    for (auto const& member : meta.members()) {
        std::string_view const key = member.key();
        if (key == meta_key::progress_token || key.starts_with(protocol_prefix)) {
            removed.emplace_back(key);
        }
    }
    for (auto const& key : removed) meta.members().erase(key);
    return meta;
}

UpstreamCall::UpstreamCall(std::shared_ptr<client::ClientSession> session)
    : session_(std::move(session)), changed_(session_->executor()) {}

UpstreamCall::~UpstreamCall() = default;

Task<std::shared_ptr<UpstreamQuestion>> UpstreamCall::next() {
    auto const self = shared_from_this();
    while (!ended_ && questions_.empty()) co_await changed_.wait();
    co_return ended_ ? nullptr : questions_.front();
}

Task<> UpstreamCall::settle(std::shared_ptr<UpstreamQuestion> question,
                            std::optional<InputResponse> answer, std::exception_ptr failure) {
    question->answer = std::move(answer);
    if (!question->answer) question->failure = forwarded(std::move(failure));
    std::erase(questions_, question);
    changed_.notify();
    co_return;
}

void UpstreamCall::report_to(Context* context) {
    std::lock_guard const lock(context_mutex_);
    context_ = context;
}

void UpstreamCall::report(ProgressParams const& progress) {
    std::lock_guard const lock(context_mutex_);
    if (context_ != nullptr) {
        context_->report_progress(progress.progress, progress.total, progress.message);
    }
}

void UpstreamCall::abandon(Errc why, std::string message) noexcept {
    try {
        auto end_questions = [self = shared_from_this(), why, message = std::move(message)] {
            if (self->ended_) return;
            self->alarm_.reset();
            self->stop_.request_stop();
            auto const failure = std::make_exception_ptr(Error(why, message));
            for (auto const& question : self->questions_) question->failure = failure;
            self->questions_.clear();
            self->changed_.notify();
        };
        boost::asio::post(executor(), std::move(end_questions));
    } catch (...) {
        // Out of memory: the cancellation was not posted, so the call ends when its timeout
        // expires.
    }
}

void UpstreamCall::set_alarm(Duration wait, std::function<void()> ring) {
    auto& time = session_->options().time();
    alarm_ = time.make_alarm(executor(), std::move(ring));
    alarm_->set(after(time.now(), wait));
}

CallOptions UpstreamCall::options(Meta const& meta, Duration timeout) {
    CallOptions options;
    options.timeout(timeout).meta(passed_on(meta)).stop_token(stop_.get_token());
    auto const self = shared_from_this();
    if (meta.progress_token()) {
        options.on_progress([self](ProgressParams const& progress) { self->report(progress); });
    }
    options.on_elicitation(
        [self](ElicitFormParams form, ProgressReporter progress) -> Task<ElicitResult> {
            form.meta = passed_on(std::move(form.meta));
            form.task.reset();
            auto asking = ask(self, ElicitParams(std::move(form)), std::move(progress));
            auto response = co_await std::move(asking);
            co_return elicited(std::move(response));
        });
    options.on_url_elicitation(
        [self](ElicitUrlParams visit, ProgressReporter progress) -> Task<ElicitResult> {
            visit.meta = passed_on(std::move(visit.meta));
            visit.task.reset();
            auto asking = ask(self, ElicitParams(std::move(visit)), std::move(progress));
            auto response = co_await std::move(asking);
            co_return elicited(std::move(response));
        });
    options.on_sampling(
        [self](CreateMessageParams params, ProgressReporter progress) -> Task<CreateMessageResult> {
            params.meta = passed_on(std::move(params.meta));
            params.task.reset();
            auto asking = ask(self, std::move(params), std::move(progress));
            auto response = co_await std::move(asking);
            auto result = std::get<CreateMessageResult>(std::move(response));
            result.meta = passed_on(std::move(result.meta));
            co_return result;
        });
    options.on_roots([self](ProgressReporter progress) -> Task<std::vector<Root>> {
        auto asking = ask(self, ListRootsParams(), std::move(progress));
        auto response = co_await std::move(asking);
        co_return std::get<ListRootsResult>(std::move(response)).roots;
    });
    return options;
}

void UpstreamCall::end(std::exception_ptr failure) {
    ended_ = true;
    failure_ = std::move(failure);
    alarm_.reset();
    changed_.notify();
}

void UpstreamCall::rethrow() const {
    if (failure_) std::rethrow_exception(forwarded(failure_));
}

// Called by the handlers that options() makes, which the client session runs on its
// user_executor(). Waits for the answer on executor(), because the questions may be used only on
// that executor.
Task<InputResponse> UpstreamCall::ask(std::shared_ptr<UpstreamCall> self, InputRequest request,
                                      ProgressReporter progress) {
    auto waiting = self->wait_for_answer(std::move(request), std::move(progress));
    auto running = runtime::await_on(self->executor(), std::move(waiting));
    auto response = co_await std::move(running);
    co_return response;
}

Task<InputResponse> UpstreamCall::wait_for_answer(InputRequest request, ProgressReporter progress) {
    auto const question = std::make_shared<UpstreamQuestion>();
    question->key = "lanyard.proxy." + std::to_string(++asked_);
    question->request = std::move(request);
    question->progress = std::move(progress);
    questions_.push_back(question);
    // Removes the question when this coroutine ends: after the answer, or without an answer if the
    // other server cancels the question.
    struct Remover {
        UpstreamCall& call;
        std::shared_ptr<UpstreamQuestion> const& question;
        ~Remover() { std::erase(call.questions_, question); }
    } const remover{*this, question};
    changed_.notify();
    while (!question->ended()) co_await changed_.wait();
    if (question->failure) std::rethrow_exception(question->failure);
    co_return *std::move(question->answer);
}

}  // namespace lanyard::proxy
