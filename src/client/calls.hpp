// One typed call: checked, encoded, sent, decoded, repeated while the server has questions, cached.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/mrtr.hpp"
#include "client/on_executor.hpp"
#include "client/session.hpp"
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
        auto decoded = wire::decode_result<T>(view, version);
        if (!decoded) return Unexpected(wrong_result(M::info.name, decoded.error()));
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

/// `bytes`, if given, gets the size of the result and must live as long as the call.
template <class M>
Task<typename M::Result> call(std::shared_ptr<Session> session, typename M::Params params,
                              CallOptions options,
                              std::optional<Duration> default_timeout = std::nullopt,
                              std::size_t* bytes = nullptr) {
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
    bool listed_anew = false;
    [[maybe_unused]] auto const deadline = total_deadline(*session, options);
    for (std::size_t round = 0;; ++round) {
        CallReader<M> reader(*session, params);
        auto outgoing = prepare<M>(*session, params, options);
        outgoing.default_timeout = default_timeout;
        auto exchanging = session->exchange(std::move(outgoing), reader);
        if constexpr (std::same_as<M, methods::CallTool>) {
            bool refused = false;
            try {
                co_await std::move(exchanging);
            } catch (Error const& error) {
                refused = !listed_anew && headers_outdated(*session, error);
                if (!refused) throw;
            }
            if (refused) {
                listed_anew = true;
                auto const timeout = timeout_of(*session, options);
                auto const limit = std::min(timeout, deadline - session->now());
                auto listing = list_tools_anew(session, limit, options.stop_token());
                co_await std::move(listing);
                if (deadline != rpc::never) limit_to(options, timeout, deadline - session->now());
                continue;
            }
        } else {
            co_await std::move(exchanging);
        }
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
    auto calling = call<M>(session, std::move(params), options, default_timeout);
    return on_executor(std::move(session), std::move(calling));
}

}  // namespace lanyard::client
