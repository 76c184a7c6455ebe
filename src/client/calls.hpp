// One typed call: checked, encoded, sent, decoded, repeated while the server has questions, cached.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "client/exchange.hpp"
#include "client/mrtr.hpp"
#include "client/on_executor.hpp"
#include "rpc/deadline.hpp"
#include "wire/modern.hpp"

namespace lanyard::client {

/// A tool call that is to become a task.
struct StartToolTask : RequestMethod<CallToolParams, CreateTaskResult> {
    static constexpr MethodInfo info = methods::CallTool::info;
};

/// What distinguishes the results of one method: a cursor or a URI.
inline std::string cache_key(PaginatedParams const& params) {
    // The first page and the one with the empty cursor differ.
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

/// Removes the tools whose annotations break the rules for headers: no call of them could be sent
/// (basic/transports/streamable-http, "Custom headers").
void hide_uncallable(Session const& session, std::vector<Tool>& tools);

/// Whether the server refused a call of a tool because of its headers: the client's idea of the
/// tool may be outdated, so that the call is worth another try once the tools are listed anew.
bool headers_outdated(Session const& session, Error const& error);
/// Lists all tools, past the cache. Throws Error (timeout) if that takes longer than the limit, and
/// like Pages if the list has no end.
Task<> list_tools_anew(std::shared_ptr<Session> session, Duration limit, std::stop_token stop);

/// The error for a result that is not what the method promises.
Error wrong_result(std::string_view method, DecodeError const& error);

/// Tells of an entry of a list that cannot be read.
void report_skipped(Session& session, std::string_view method, DecodeError const& entry);

template <class M>
class CallReader final : public ResultReader {
public:
    CallReader(Session& session, typename M::Params const& params)
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
                auto checked = session_.output_schemas().check(params_.name, view);
                if (!checked) return checked;
            }
        }
        auto taken = take(view, version, result_);
        if constexpr (std::same_as<M, methods::ListTools>) {
            if (taken && session_.mirrors_arguments()) hide_uncallable(session_, result_.tools);
            for (auto const& tool : result_.tools) session_.output_schemas().learn(tool);
        }
        return taken;
    }

    typename M::Result& result() noexcept { return result_; }
    /// What the server wants to know first, if anything.
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

    Session& session_;
    typename M::Params const& params_;
    typename M::Result result_;
    std::optional<InputRequiredResult> input_;
    std::size_t bytes_ = 0;
};

/// Encodes the params with what the options add to their `_meta`. Throws Error.
template <class M>
Outgoing prepare(Session& session, typename M::Params& params, CallOptions const& options) {
    auto token = session.new_progress_token(options);
    params.meta = options.meta();
    if (options.trace()) params.meta.set_trace_context(*options.trace());
    if (token) params.meta.set_progress_token(*token);
    std::string text;
    json::Writer writer(text);
    wire::encode_params(writer, params, session.stamp()).value();
    Outgoing outgoing(M::info.name, std::move(text), options);
    outgoing.progress_token = std::move(token);
    return outgoing;
}

/// Where a call is awaited.
enum class From { session_executor, anywhere };

inline Duration timeout_of(Session const& session, CallOptions const& options) {
    return options.timeout().value_or(session.options().timeout());
}
/// When a call of several requests has to end: never, unless the caller has set a total.
inline TimePoint total_deadline(Session const& session, CallOptions const& options) {
    if (!options.max_total()) return rpc::never;
    return rpc::after(session.now(), std::max(timeout_of(session, options), *options.max_total()));
}
/// The next request of the same call may take this long at most.
inline void limit_to(CallOptions& options, Duration timeout, Duration left) {
    if (left <= Duration::zero()) throw Error(Errc::timeout, "the call took too long in all");
    options.timeout(std::min(timeout, left)).max_total(left);
}

/// One coroutine for all of a call: each one more would cost a frame for each call. `bytes`, if
/// given, gets the size of the result and must live as long as the call.
template <class M>
Task<typename M::Result> call(std::shared_ptr<Session> session, typename M::Params params,
                              CallOptions options,
                              std::optional<Duration> default_timeout = std::nullopt,
                              From from = From::session_executor, std::size_t* bytes = nullptr) {
    if (from == From::anywhere) {
        auto const& executor = session->executor();
        bool const here = co_await boost::asio::this_coro::executor == executor;
        if (!here) {
            auto calling = call<M>(session, std::move(params), options, default_timeout,
                                   From::session_executor, bytes);
            auto result = co_await boost::asio::co_spawn(executor, std::move(calling),
                                                         boost::asio::use_awaitable);
            co_return result;
        }
    }
    if (session->must_wait(options)) {
        auto waiting = session->await_ready(options);
        co_await std::move(waiting);
    }
    session->check(M::info).value();
    std::uint64_t generation = 0;
    if constexpr (Cacheable<M>) {
        if (!options.bypass_cache()) {
            auto const* kept = session->cache().template find<typename M::Result>(
                M::info.name, cache_key(params), session->now(), bytes);
            if (kept != nullptr) co_return *kept;
        }
        generation = session->cache().generation(M::info.name);
    }
    [[maybe_unused]] bool listed_anew = false;
    [[maybe_unused]] auto const deadline = total_deadline(*session, options);
    for (std::size_t round = 0;; ++round) {
        CallReader<M> reader(*session, params);
        auto outgoing = prepare<M>(*session, params, options);
        outgoing.default_timeout = default_timeout;
        std::optional<Error> failure;
        {
            Exchange exchange(*session, std::move(outgoing), reader);
            if (!exchange.has_room()) co_await session->await_room();
            exchange.send();
            while (!exchange.ended()) {
                co_await exchange.wait();
                auto const state = co_await boost::asio::this_coro::cancellation_state;
                exchange.on_woken(state);
            }
            failure = exchange.take_failure();
        }
        if constexpr (std::same_as<M, methods::CallTool>) {
            if (failure && !listed_anew && headers_outdated(*session, *failure)) {
                listed_anew = true;
                auto const timeout = timeout_of(*session, options);
                auto const limit = std::min(timeout, deadline - session->now());
                auto listing = list_tools_anew(session, limit, options.stop_token());
                co_await std::move(listing);
                if (deadline != rpc::never) limit_to(options, timeout, deadline - session->now());
                continue;
            }
        }
        if (failure) throw *failure;
        if constexpr (requires { params.retry; }) {
            if (reader.input()) {
                check_round(*session, M::info.name, round);
                auto answering = answer_questions(session, *std::move(reader.input()));
                params.retry = co_await std::move(answering);
                check_retry(*session, options);
                continue;
            }
        }
        if (bytes != nullptr) *bytes = reader.bytes();
        auto result = std::move(reader.result());
        if constexpr (Cacheable<M>) {
            // The answer to a retry is nobody else's, and one overtaken by a change is stale.
            bool const fresh =
                round == 0 && generation == session->cache().generation(M::info.name);
            if (fresh) {
                session->cache().store(M::info.name, cache_key(params), result, result.cache,
                                       reader.bytes(), session->now());
            }
        }
        co_return result;
    }
}

/// The same, to be awaited on any executor.
template <class M>
Task<typename M::Result> start(std::shared_ptr<Session> session, typename M::Params params,
                               CallOptions const& options,
                               std::optional<Duration> default_timeout = std::nullopt) {
    return call<M>(std::move(session), std::move(params), options, default_timeout, From::anywhere);
}

}  // namespace lanyard::client
