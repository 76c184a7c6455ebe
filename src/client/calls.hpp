// A typed call: it checks, encodes and sends the request, decodes and caches the result, and
// repeats the request while the server asks for input.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/deadline.hpp"
#include "client/awaited_request.hpp"
#include "client/mrtr.hpp"
#include "client/on_executor.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"
#include "wire/mcp_headers.hpp"
#include "wire/modern.hpp"

namespace lanyard::client {

/// A tool call that the server runs as a task. The result describes the task.
struct StartToolTask : RequestMethod<CallToolParams, CreateTaskResult> {
    static constexpr MethodInfo info = methods::CallTool::info;
};

/// Returns the key that distinguishes the cached results of one method: a cursor or a URI.
inline std::string cache_key(PaginatedParams const& params) {
    // The first page (no cursor) and the page with the empty cursor have different keys.
    return params.cursor ? "=" + *params.cursor : std::string();
}
inline std::string cache_key(ReadResourceParams const& params) {
    return params.uri;
}

template <class M>
concept Cacheable = requires(typename M::Result result, typename M::Params params) {
    result.cache;
    cache_key(params);
};

/// Removes tools whose input schema breaks the rules for arguments in headers, because such tools
/// cannot be called (MCP specification, basic/transports/streamable-http, "Custom headers").
void hide_uncallable(ClientSession const& session, std::vector<Tool>& tools);

/// Whether the error means that the server refused a tool call because of the call's headers. The
/// client's copy of the tool may be outdated, so the tools are listed again and the call is
/// repeated.
bool headers_outdated(ClientSession const& session, Error const& error);
/// Lists all tools without using the cache. Throws Error (timeout) if listing takes longer than
/// `limit`, and the errors that Pages throws, for example if the list never ends.
Task<> list_tools_anew(std::shared_ptr<ClientSession> session, Duration limit,
                       std::stop_token stop);

/// Returns the error for a result that does not have the form of the method's result.
Error wrong_result(std::string_view method, DecodeError const& error);

/// Reports a list entry that cannot be decoded.
void report_skipped(ClientSession& session, std::string_view method, DecodeError const& entry);

template <class M>
class CallReader final : public ResultReader {
public:
    CallReader(ClientSession& session, typename M::Params const& params)
        : session_(session), params_(params) {}

    Result<void> read(json::View view, Version version) override {
        bytes_ = view.raw().size();
        if (supports(Feature::result_types, version)) {
            auto const kind = wire::result_kind(view, M::info, false);
            if (!kind) return Unexpected(wrong_result(M::info.name, kind.error()));
            if (*kind == wire::ResultKind::input_required) return take_input(view, version);
        }
        if constexpr (std::same_as<M, methods::CallTool>) {
            if (session_.options().check_output()) {
                auto checked = session_.server().output_schemas().check(params_.name, view);
                if (!checked) return checked;
            }
        }
        auto taken = take(view, version, result_);
        if constexpr (std::same_as<M, methods::ListTools>) {
            if (taken && session_.mirrors_arguments()) hide_uncallable(session_, result_.tools);
            for (auto const& tool : result_.tools) session_.server().output_schemas().learn(tool);
        }
        return taken;
    }

    typename M::Result& result() noexcept { return result_; }
    /// The server's questions; set if the server needs the answers before it can return a result.
    std::optional<InputRequiredResult>& input() noexcept { return input_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    Result<void> take_input(json::View view, Version version) {
        auto taken = take(view, version, input_.emplace());
        if (taken && input_->input_requests.empty() && !input_->request_state) {
            return Unexpected(
                wrong_result(M::info.name, {"", "asks for input without saying which"}));
        }
        return taken;
    }

    template <class T>
    Result<void> take(json::View view, Version version, T& out) {
        std::vector<DecodeError> skipped;
        auto decoded = wire::decode_result<T>(view, version, &skipped);
        if (!decoded) return Unexpected(wrong_result(M::info.name, decoded.error()));
        for (auto const& entry : skipped) report_skipped(session_, M::info.name, entry);
        out = *std::move(decoded);
        return {};
    }

    ClientSession& session_;
    typename M::Params const& params_;
    typename M::Result result_;
    std::optional<InputRequiredResult> input_;
    std::size_t bytes_ = 0;
};

/// Returns the member of the params that HTTP repeats in a header (a name, a URI or a task id), as
/// a view into the params. Returns an empty view if the method has no such member, and nullopt if
/// the member is empty.
template <class M>
std::optional<std::string_view> mirrored_name(typename M::Params const& params) {
    constexpr auto member = wire::mirrored_member(M::info.name);
    std::string_view name;
    if constexpr (member == "name") {
        name = params.name;
    } else if constexpr (member == "uri") {
        name = params.uri;
    } else if constexpr (member == "taskId") {
        name = params.task_id;
    }
    if (member && name.empty()) return std::nullopt;
    return name;
}

/// Whether the server may ask questions because of a request of this method. False for queries
/// about tasks and for lists of features, because the server then runs no feature that could ask.
template <class M>
inline constexpr bool may_ask =
    std::same_as<M, methods::CallTool> || std::same_as<M, StartToolTask> ||
    std::same_as<M, methods::ReadResource> || std::same_as<M, methods::GetPrompt> ||
    std::same_as<M, methods::Complete> || std::same_as<M, methods::GetTaskPayload>;

/// Encodes the params, with the members of `_meta` from the options. Throws Error if the version
/// cannot express the params.
template <class M>
Outgoing prepare(ClientSession& session, typename M::Params& params, CallOptions const& options) {
    auto token = session.requests().new_progress_token(options);
    params.meta = options.meta();
    if (options.trace()) params.meta.set_trace_context(*options.trace());
    if (token) params.meta.set_progress_token(*token);
    Outgoing outgoing(M::info.name, wire::params_text(params, session.requests().stamp()), options);
    outgoing.name = mirrored_name<M>(params);
    outgoing.progress_token = std::move(token);
    outgoing.may_ask = may_ask<M>;
    if constexpr (std::same_as<M, methods::GetTaskPayload>) outgoing.task = params.task_id;
    return outgoing;
}

/// Where a call is awaited: on the session's executor, or on any executor.
enum class From { session_executor, anywhere };

inline Duration timeout_of(ClientSession const& session, CallOptions const& options) {
    return options.timeout().value_or(session.options().timeout());
}
/// The deadline of a call that may send several requests: none, unless the caller has set
/// max_total.
inline TimePoint total_deadline(ClientSession const& session, CallOptions const& options) {
    if (!options.max_total()) return never;
    return after(session.now(), std::max(timeout_of(session, options), *options.max_total()));
}
/// Limits the next request of the same call to the remaining time. Throws Error (timeout) if no
/// time is left.
inline void limit_to(CallOptions& options, Duration timeout, Duration left) {
    if (left <= Duration::zero()) throw Error(Errc::timeout, "the call took too long in all");
    options.timeout(std::min(timeout, left)).max_total(left);
}

/// One call: its params and options, the current request, and the result. Stored in a separate heap
/// object, so that the coroutine frame stays small: Asio reuses the memory of frames only up to
/// 1020 bytes, and allocating a larger frame also discards a smaller block that the next call could
/// have reused.
template <class M>
class TypedCall {
public:
    TypedCall(std::shared_ptr<ClientSession> session, typename M::Params params,
              CallOptions const& options, std::optional<Duration> default_timeout,
              std::size_t* bytes)
        : session_(std::move(session)),
          params_(std::move(params)),
          options_(options),
          default_timeout_(default_timeout),
          bytes_(bytes),
          reader_(*session_, params_) {}
    TypedCall(TypedCall const&) = delete;
    TypedCall& operator=(TypedCall const&) = delete;

    ClientSession& session() noexcept { return *session_; }
    /// Whether the call has to wait for the client to be ready; see wait().
    bool must_wait() const noexcept { return session_->keeper().must_wait(options_); }
    Task<> wait() { return session_->keeper().await_ready(options_); }

    /// Starts the call. Returns whether the result was found in the cache. Throws Error if the call
    /// is not possible now.
    bool begin() {
        session_->requests().check(M::info).value();
        deadline_ = total_deadline(*session_, options_);
        if constexpr (Cacheable<M>) {
            if (!options_.bypass_cache()) {
                auto const* kept = session_->server().cache().template find<typename M::Result>(
                    M::info.name, cache_key(params_), session_->now(), bytes_);
                if (kept != nullptr) {
                    reader_.result() = *kept;
                    return true;
                }
            }
            generation_ = session_->server().cache().generation(M::info.name);
        }
        return false;
    }

    /// Begins a round, that is, one request of the call. Creates the request, which the caller of
    /// this function must send. The returned reference is valid until end_round(). Throws Error if
    /// the request cannot be sent now.
    AwaitedRequest& begin_round() {
        auto outgoing = prepare<M>(*session_, params_, options_);
        outgoing.default_timeout = default_timeout_;
        return request_.emplace(*session_, std::move(outgoing), reader_);
    }

    /// Ends the round with the outcome of its request. Returns true if the call has its result. If
    /// not, call prepare_round() and then begin_round() again. Throws Error if the request has
    /// failed.
    bool end_round() {
        auto const failure = request_->take_failure();
        request_.reset();
        if constexpr (std::same_as<M, methods::CallTool>) {
            if (failure && !listed_anew_ && headers_outdated(*session_, *failure)) return false;
        }
        if (failure) throw *failure;
        if constexpr (requires { params_.retry; }) {
            if (reader_.input()) {
                check_round(*session_, M::info.name, round_);
                return false;
            }
        }
        if (bytes_ != nullptr) *bytes_ = reader_.bytes();
        if constexpr (Cacheable<M>) {
            // Two kinds of results are not cached: the answer to a retry, which is specific to this
            // call, and a result that was requested before the last invalidation.
            bool const fresh =
                round_ == 0 && generation_ == session_->server().cache().generation(M::info.name);
            if (fresh) {
                auto const& result = reader_.result();
                session_->server().cache().store(M::info.name, cache_key(params_), result,
                                                 result.cache, reader_.bytes(), session_->now());
            }
        }
        return true;
    }

    /// Prepares another round: answers the server's questions, or lists the tools again if the
    /// headers of the request were outdated. This object must live until the returned task
    /// completes. Throws Error if the preparation fails.
    Task<> prepare_round() {
        ++round_;
        if constexpr (requires { params_.retry; }) {
            if (reader_.input()) {
                auto answering =
                    answer_questions(session_, *std::move(reader_.input()), options_.handlers());
                reader_.input().reset();
                params_.retry = co_await std::move(answering);
                check_retry(*session_, options_);
                co_return;
            }
        }
        if constexpr (std::same_as<M, methods::CallTool>) {
            listed_anew_ = true;
            auto const timeout = timeout_of(*session_, options_);
            auto const limit = std::min(timeout, deadline_ - session_->now());
            auto listing = list_tools_anew(session_, limit, options_.stop_token());
            co_await std::move(listing);
            if (deadline_ != never) limit_to(options_, timeout, deadline_ - session_->now());
        }
        co_return;
    }

    typename M::Result take_result() noexcept { return std::move(reader_.result()); }

private:
    std::shared_ptr<ClientSession> session_;
    typename M::Params params_;
    CallOptions options_;
    std::optional<Duration> default_timeout_;
    std::size_t* bytes_;
    CallReader<M> reader_;
    std::optional<AwaitedRequest> request_;
    TimePoint deadline_ = never;
    // The value of ResponseCache::generation() when the call began.
    std::uint64_t generation_ = 0;
    std::size_t round_ = 0;
    bool listed_anew_ = false;
};

/// Runs the call. Starts no further coroutine if one request suffices, because each coroutine
/// allocates a frame.
template <class M>
Task<typename M::Result> complete_call(std::unique_ptr<TypedCall<M>> call, From from) {
    if (from == From::anywhere) {
        bool const here = co_await boost::asio::this_coro::executor == call->session().executor();
        if (!here) {
            auto const executor = call->session().executor();
            auto calling = complete_call<M>(std::move(call), From::session_executor);
            auto running = runtime::await_on(executor, std::move(calling));
            auto result = co_await std::move(running);
            co_return result;
        }
    }
    if (call->must_wait()) co_await call->wait();
    if (call->begin()) co_return call->take_result();
    for (;;) {
        auto& request = call->begin_round();
        if (!request.has_room()) co_await call->session().requests().await_room();
        request.send();
        bool lingers = false;
        while (!request.ended()) {
            co_await request.wait();
            auto const state = co_await boost::asio::this_coro::cancellation_state;
            if (!request.on_woken(state) || lingers) continue;
            lingers = co_await boost::asio::this_coro::throw_if_cancelled();
            co_await boost::asio::this_coro::throw_if_cancelled(false);
        }
        if (lingers) co_await boost::asio::this_coro::throw_if_cancelled(true);
        if (call->end_round()) co_return call->take_result();
        co_await call->prepare_round();
    }
}

/// Makes a call on the session's executor. `bytes`, if not null, must outlive the call. `*bytes` is
/// set to the size of the result or, if the result was cached, to the size that the cache counts
/// for that result.
template <class M>
Task<typename M::Result> call(std::shared_ptr<ClientSession> session, typename M::Params params,
                              CallOptions const& options,
                              std::optional<Duration> default_timeout = std::nullopt,
                              std::size_t* bytes = nullptr) {
    auto call = std::make_unique<TypedCall<M>>(std::move(session), std::move(params), options,
                                               default_timeout, bytes);
    return complete_call<M>(std::move(call), From::session_executor);
}

/// Same as call(), but may be awaited on any executor.
template <class M>
Task<typename M::Result> start(std::shared_ptr<ClientSession> session, typename M::Params params,
                               CallOptions const& options,
                               std::optional<Duration> default_timeout = std::nullopt) {
    auto call = std::make_unique<TypedCall<M>>(std::move(session), std::move(params), options,
                                               default_timeout, nullptr);
    return complete_call<M>(std::move(call), From::anywhere);
}

}  // namespace lanyard::client
