#include "http/server/router.hpp"

#include <algorithm>
#include <utility>

namespace lanyard::http {
namespace {

bool is_path(std::string_view path) noexcept {
    return path.starts_with('/') && std::all_of(path.begin(), path.end(), [](char c) {
               return c > ' ' && c <= '~' && c != '?' && c != '#';
           });
}

// "/mcp" and "/mcp/" are the same path.
bool is_same(std::string_view known, std::string_view path) noexcept {
    if (known.size() > path.size()) std::swap(known, path);
    return path == known || (path.size() == known.size() + 1 && path.ends_with('/') &&
                             path.starts_with(known) && !known.empty() && !known.ends_with('/'));
}

Unexpected<Error> invalid(std::string message) {
    return Unexpected(Error(Errc::invalid_argument, std::move(message)));
}

}  // namespace

Result<Router> Router::make(EndpointOptions const& options) {
    if (options.sse_path.empty() != options.message_path.empty()) {
        return invalid("HTTP+SSE needs both of its paths, that of the stream and that of messages");
    }
    struct Entry {
        std::string_view path;
        RouteRule rule;
    };
    std::vector<Entry> entries;
    using Kind = RouteTarget::Kind;
    entries.push_back({options.path,
                       {.method = Method::post,
                        .route = {Kind::post},
                        .json_body = true,
                        .json_answer = true,
                        .stream_answer = options.stream_answers}});
    if (options.streams) {
        entries.push_back(
            {options.path,
             {.method = Method::get, .route = {Kind::stream}, .stream_answer = true}});
    }
    if (options.sessions) {
        entries.push_back(
            {options.path, {.method = Method::delete_, .route = {Kind::end_session}}});
    }
    if (!options.sse_path.empty()) {
        entries.push_back(
            {options.sse_path,
             {.method = Method::get, .route = {Kind::sse_stream}, .stream_answer = true}});
        entries.push_back(
            {options.message_path,
             {.method = Method::post, .route = {Kind::sse_message}, .json_body = true}});
    }
    if (!options.websocket_path.empty()) {
        entries.push_back(
            {options.websocket_path, {.method = Method::get, .route = {Kind::websocket}}});
    }
    Router router;
    for (auto const& [path, rule] : entries) {
        if (auto added = router.add(path, rule); !added) return Unexpected(added.error());
    }
    return router;
}

Result<void> Router::add(std::string_view path, RouteRule const& rule) {
    if (!is_path(path)) {
        return invalid("a path must begin with '/' and hold no blank, '?' or '#': \"" +
                       std::string(path) + "\"");
    }
    auto at = std::find_if(paths_.begin(), paths_.end(),
                           [&](Path const& known) { return is_same(known.path, path); });
    if (at == paths_.end()) at = paths_.insert(at, Path{std::string(path), {}, {}});
    if (find(rule.method, path).rule != nullptr) {
        return invalid("two routes for " + std::string(to_string(rule.method)) + " " +
                       std::string(path));
    }
    if (!at->allow.empty()) at->allow += ", ";
    at->allow += to_string(rule.method);
    at->rules.push_back(rule);
    return {};
}

Router::Match Router::find(Method method, std::string_view path) const noexcept {
    for (auto const& known : paths_) {
        if (!is_same(known.path, path)) continue;
        for (auto const& rule : known.rules) {
            if (rule.method == method) return {&rule, known.allow};
        }
        return {nullptr, known.allow};
    }
    return {};
}

}  // namespace lanyard::http
