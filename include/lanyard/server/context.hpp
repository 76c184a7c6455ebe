// Context: what a handler can find out about the request that it serves, and how it communicates
// with the client meanwhile.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanyard/clock.hpp>
#include <lanyard/codec.hpp>
#include <lanyard/peer_info.hpp>
#include <lanyard/protocol/capabilities.hpp>
#include <lanyard/protocol/elicitation.hpp>
#include <lanyard/protocol/input_required.hpp>
#include <lanyard/protocol/logging.hpp>
#include <lanyard/protocol/progress.hpp>
#include <lanyard/protocol/roots.hpp>
#include <lanyard/protocol/sampling.hpp>
#include <lanyard/schema_of.hpp>
#include <lanyard/server/handler.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

namespace server::detail {
class Call;
}

namespace detail {

/// Returns the form that asks the user for the members of this schema. Throws Error
/// (invalid_argument) if a form cannot ask for one of the members; the message names the member.
FormSchema form_schema(RawJson const& schema);
/// Throws Error (protocol_violation), because the answer does not match the question with this key.
/// The message contains the reason.
[[noreturn]] void refuse_answer(std::string_view key, std::string_view why);
/// Throws ToolError, because the user declined or dismissed a form.
[[noreturn]] void refuse_declined(ElicitAction action);

}  // namespace detail

/// The user's answer to a form. Converts to true if the form was accepted. Otherwise there are no
/// values.
template <class T>
class Elicited {
public:
    explicit Elicited(ElicitAction action) : action_(action) {}
    explicit Elicited(T content) : action_(ElicitAction::accept), content_(std::move(content)) {}

    explicit operator bool() const noexcept { return content_.has_value(); }
    /// Whether the form was accepted, declined or dismissed.
    ElicitAction action() const noexcept { return action_; }
    T const& operator*() const noexcept { return *content_; }
    T const* operator->() const noexcept { return &*content_; }

    /// The values of the form. Throws ToolError if the form was declined or dismissed. If the
    /// handler does not catch the exception, the model gets its text.
    T const& value() const& {
        if (!content_) detail::refuse_declined(action_);
        return *content_;
    }
    T value() && {
        if (!content_) detail::refuse_declined(action_);
        return *std::move(content_);
    }
    /// The values, or `other` if the form was declined or dismissed.
    T value_or(T other) const& { return content_ ? *content_ : std::move(other); }
    T value_or(T other) && { return content_ ? *std::move(content_) : std::move(other); }

private:
    ElicitAction action_;
    std::optional<T> content_;
};

namespace detail {

/// A question (see Question) without the type of its answer.
struct AskedQuestion {
    std::string key;
    InputRequest request;
    std::function<void(ProgressParams const&)> on_progress{};
    std::optional<Duration> timeout{};
};

}  // namespace detail

/// A question to the client (elicitation, sampling or roots), for Context::ask() and
/// Context::ask_all(). The key identifies the question within the request. The key must be the same
/// when the handler is run again with the answer.
template <class A>
class Question {
public:
    using Answer = A;
    using Read = A (*)(std::string_view key, InputResponse response);
    using ProgressHandler = std::function<void(ProgressParams const& progress)>;

    Question(std::string key, InputRequest request, Read reader)
        : asked_{std::move(key), std::move(request)}, read_(reader) {}

    /// Requests progress notifications and passes them to the handler. Default: none. The progress
    /// handler runs on the executor of the handler that asks the question, while that handler waits
    /// for the answer. Each notification restarts the timeout of the question. An exception of the
    /// progress handler is logged. Has no effect in protocol revision 2026-07-28, in which clients
    /// send no progress.
    Question& on_progress(ProgressHandler handler) {
        asked_.on_progress = std::move(handler);
        return *this;
    }
    /// How long to wait for the answer, or for the next progress notification. Default:
    /// ServerOptions::request_state_expiry, which is also the maximum for the whole question. After
    /// this time, the question fails with Error (timeout). Has no effect in protocol revision
    /// 2026-07-28.
    Question& timeout(Duration timeout) {
        asked_.timeout = timeout;
        return *this;
    }

    std::string const& key() const noexcept { return asked_.key; }
    InputRequest const& request() const noexcept { return asked_.request; }
    A read(InputResponse response) const { return read_(asked_.key, std::move(response)); }

private:
    friend class Context;

    detail::AskedQuestion asked_;
    Read read_;
};

/// Returns a question that asks the user for the values of the members of T, which is a described
/// struct of strings, numbers, booleans and enumerations.
template <class T>
Question<Elicited<T>> ask_form(std::string key, std::string message) {
    ElicitFormParams form;
    form.message = std::move(message);
    form.requested_schema = detail::form_schema(schema_text_of<T>());
    auto const read = [](std::string_view name, InputResponse response) {
        auto* const result = std::get_if<ElicitResult>(&response);
        if (result == nullptr) detail::refuse_answer(name, "is not the answer to a form");
        if (result->action != ElicitAction::accept) return Elicited<T>(result->action);
        auto content = decode<T>(Json(result->content.value_or(JsonObject())));
        if (!content) detail::refuse_answer(name, content.error().to_string());
        return Elicited<T>(std::move(*content));
    };
    return Question<Elicited<T>>(std::move(key), ElicitParams(std::move(form)), read);
}
/// Returns a question that asks the user to fill in a form that is built at run time.
Question<ElicitResult> ask_form(std::string key, ElicitFormParams form);
/// Returns a question that asks the user to visit a web page. Context::elicit_url explains the id.
Question<ElicitResult> ask_url(std::string key, std::string message, std::string url,
                               std::string elicitation_id = {});
/// Returns a question that asks the client's model for a message.
Question<CreateMessageResult> ask_model(std::string key, CreateMessageParams params);
/// Returns a question that asks for the folders that the client makes available to the server.
Question<std::vector<Root>> ask_roots(std::string key = "roots");

/// The request that a handler serves: who sent it, and how to communicate with the client until the
/// request is answered. Handlers, middleware, filters and providers get a Context.
///
/// Example (docs/snippets/class_examples.cpp#context):
///
///     lanyard::Task<std::string> erase(Erase in, lanyard::Context& context) {
///         auto const sure = co_await context.elicit<Confirm>("sure", "Erase " + in.file + "?");
///         if (!sure || !sure->really) co_return "nothing was erased";
///         context.log(lanyard::LoggingLevel::info, "erasing a file");
///         auto const work = [&in] { erase_file(in.file); };
///         co_await context.run_blocking(work);
///         co_return "erased";
///     }
///
/// Questions (elicit, sample, list_roots, ask_all) are answered in one of two ways, depending on
/// the protocol revision: up to 2025-11-25, the handler is suspended until the answers arrive; in
/// 2026-07-28, the handler is run again from its start, with the answers.
///
/// If the client cancels the request, the request's timeout expires or the connection ends, a stop
/// is requested for stop_token(). If the handler is a coroutine, the operation that it awaits
/// throws an exception, which normally ends the handler. A plain function continues until it checks
/// cancelled() and returns; its result is dropped.
///
/// Ownership: the server owns the Context. The Context, and the views and references that its
/// functions return, are valid until the handler has returned or its coroutine has ended. Do not
/// store a Context.
///
/// Threads: stop_token(), cancelled() and the functions whose comment mentions "any thread" may be
/// called from any thread while the handler runs. All other functions may be called by the handler
/// only. A coroutine may continue on another thread after each co_await, so it must not hold a lock
/// across a co_await.
///
/// Errors: functions that describe the request do not throw, and neither do log() and
/// report_progress() if the message cannot be sent. Questions throw Error, for example
/// capability_missing if the client cannot answer them. wait() and run_blocking() throw what the
/// task or function throws. A handler may throw Error, Refusal (the client gets this JSON-RPC
/// error) and, if it is the handler of a tool, ToolError (its text becomes the tool's result for
/// the model). For any other exception the client gets a neutral text with a reference, and the log
/// has the details under this reference.
///
/// Pitfalls:
/// - In protocol revision 2026-07-28, the code before a question runs more than once; use once()
///   for side effects.
/// - The key of a question identifies its answer, so each question of a handler needs its own key.
/// - `catch (...)` around a question also catches the exception that ends the first run. Rethrow
///   it; it is not derived from std::exception.
class Context {
public:
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;

    /// The request's id as JSON text.
    std::string_view request_id() const noexcept;
    std::string_view method() const noexcept;
    /// The name of the tool or prompt, or the resource's URI; empty for other requests.
    std::string_view target() const noexcept;
    /// The request's parameters as JSON text; empty if there are none.
    std::string_view params() const noexcept;
    Meta meta() const;
    /// The W3C trace context of the request, if it has one.
    std::optional<TraceContext> trace_context() const;
    /// The caller that the transport has authenticated; empty if the caller is not authenticated.
    std::string_view identity() const noexcept;
    std::vector<RequestHeader> const& headers() const noexcept;
    /// The client's name and version; empty if the client did not send them.
    Implementation const& client_info() const noexcept;
    ClientCapabilities const& client_capabilities() const noexcept;
    /// "2025-11-25"
    std::string_view version() const noexcept;
    /// Identifies the connection or session; empty for stateless requests.
    std::string_view session_id() const noexcept;
    /// The kind of transport: "stdio", "memory", ...
    std::string_view transport() const noexcept;
    TimePoint received_at() const noexcept;

    /// A stop is requested when the client cancels the request, the timeout expires or the
    /// connection ends.
    std::stop_token stop_token() const;
    bool cancelled() const noexcept;

    /// For coroutines that compute for a long time without awaiting anything: co_await this
    /// function to let other work of the executor run. Throws if the call was cancelled.
    Task<> yield();

    /// Reports progress to the client, if the client requested progress. May be called from any
    /// thread; never blocks.
    void report_progress(double progress, std::optional<double> total = {},
                         std::string_view message = {});
    /// Sends a log message, if the client accepts messages of this level. May be called from any
    /// thread; never blocks. A request may log 200 messages at once and then 100 per second;
    /// further messages below the level `error` are dropped and counted in
    /// LimitCounts::dropped_log_messages.
    void log(LoggingLevel level, Json data, std::string_view logger = {});

    /// Closes the HTTP stream on which this request is answered. Use it before work that takes
    /// long. The client reconnects after McpHttpOptions::stream_retry_interval to get the answer.
    /// Does nothing if there is no such stream or the client cannot reconnect. May be called from
    /// any thread; never blocks.
    void release_stream();

    // The following functions send a question to the client and complete with the answer. They
    // throw Error: capability_missing, before anything is sent, if the client does not support the
    // question; protocol_violation if the answer is invalid; and any error with which a request to
    // the client can fail. They support Asio cancellation of type `total`.

    /// Asks the user for the values of the members of T; see ask_form(). The key identifies the
    /// question: it must be unique within the request, and the same when the handler is run again
    /// with the answer.
    template <class T>
    Task<Elicited<T>> elicit(std::string key, std::string message) {
        return ask(ask_form<T>(std::move(key), std::move(message)));
    }
    Task<ElicitResult> elicit(std::string key, ElicitFormParams const& form);
    /// Sends the user to a web page. An accepted answer means consent, not that the page was
    /// visited. If an id is given, Server::elicitation_complete() can notify the client when the
    /// user has finished.
    Task<ElicitResult> elicit_url(std::string key, std::string message, std::string url,
                                  std::string elicitation_id = {});
    Task<CreateMessageResult> sample(std::string key, CreateMessageParams const& params);
    Task<std::vector<Root>> list_roots();
    /// Asks one question.
    template <class A>
    Task<A> ask(Question<A> question) {
        std::vector<detail::AskedQuestion> requests;
        requests.push_back(question.asked_);
        auto responses = co_await ask_client(std::move(requests));
        co_return question.read(std::move(responses.front()));
    }
    /// Asks several questions at once; completes with a tuple of the answers.
    template <class... A>
    Task<std::tuple<A...>> ask_all(Question<A>... questions) {
        std::vector<detail::AskedQuestion> requests;
        requests.reserve(sizeof...(A));
        (requests.push_back(questions.asked_), ...);
        auto responses = co_await ask_client(std::move(requests));
        co_return read_answers(std::index_sequence_for<A...>(), responses, questions...);
    }

    /// Runs the function and returns its result. If the handler is run again because of a question,
    /// returns the result of the first run and does not call the function. Use once() for side
    /// effects before a question. The result's type must have a codec.
    template <class F>
    auto once(std::string key, F function)
        -> Task<typename detail::TaskValue<std::invoke_result_t<F&>>::Type> {
        using Called = detail::TaskValue<std::invoke_result_t<F&>>;
        using Value = typename Called::Type;
        if (auto const kept = recall(key)) {
            auto value = decode<Value>(*kept);
            if (!value) detail::refuse_answer(key, value.error().to_string());
            co_return std::move(*value);
        }
        if constexpr (Called::is_task) {
            auto value = co_await function();
            remember(std::move(key), to_raw_json(value));
            co_return value;
        } else {
            auto value = function();
            remember(std::move(key), to_raw_json(value));
            co_return value;
        }
    }

    /// For handlers that are plain functions: runs a task, and blocks until it has completed:
    ///
    ///     auto const answer = context.wait(context.elicit<Order>("order", "What do you want?"));
    ///
    /// Throws what the task throws, and Error (cancelled) if the call is cancelled meanwhile. With
    /// Server::run(), any handler may call this function. If connections run on an executor of the
    /// program, a handler must not block that executor: register the handler with blocking();
    /// otherwise this function throws Error (invalid_phase). If handlers run on the executor set by
    /// Server::executor(), this function blocks that executor, so connections must not use it.
    template <class T>
    T wait(Task<T> task) {
        if constexpr (std::is_void_v<T>) {
            wait_for(std::move(task));
        } else {
            std::optional<T> value;
            wait_for(store(std::move(task), value));
            return std::move(*value);
        }
    }
    /// For handlers that are coroutines: runs a function in a worker thread, so that it may block:
    ///
    ///     auto const rows = co_await context.run_blocking([&] { return database.query(sql); });
    ///
    /// The coroutine does not end before the function has returned, even if the coroutine is
    /// cancelled. Throws what the function throws, and Error (busy) if too many calls are waiting
    /// for a worker. If Server::executor() is set, the function runs on that executor instead.
    template <class F>
    auto run_blocking(F function) -> Task<std::invoke_result_t<F&>> {
        // The state is shared with the worker thread, which may still run when the coroutine and
        // its executor are destroyed.
        using Value = std::invoke_result_t<F&>;
        auto const shared = std::make_shared<F>(std::move(function));
        if constexpr (std::is_void_v<Value>) {
            auto const work = [shared] { (*shared)(); };
            co_await run_in_worker(work);
        } else {
            auto const value = std::make_shared<std::optional<Value>>();
            auto const work = [shared, value] { value->emplace((*shared)()); };
            co_await run_in_worker(work);
            co_return *std::move(*value);
        }
    }

private:
    friend class server::detail::Call;
    explicit Context(server::detail::Call& call) noexcept : call_(&call) {}

    template <class T>
    static Task<> store(Task<T> task, std::optional<T>& value) {
        value.emplace(co_await std::move(task));
    }
    template <std::size_t... I, class... A>
    static std::tuple<A...> read_answers(std::index_sequence<I...>,
                                         std::vector<InputResponse>& responses,
                                         Question<A> const&... questions) {
        return {questions.read(std::move(responses[I]))...};
    }
    Task<std::vector<InputResponse>> ask_client(std::vector<detail::AskedQuestion> questions);
    void wait_for(Task<> task);
    Task<> run_in_worker(std::function<void()> function);
    std::optional<RawJson> recall(std::string_view key) const;
    void remember(std::string key, RawJson value);

    server::detail::Call* call_;
};

}  // namespace lanyard
