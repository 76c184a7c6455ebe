#include "http/client/client_route.hpp"

#include <cstdlib>

#include "base/option_check.hpp"
#include "http/client/request_writer.hpp"
#include "http/message/fields.hpp"

namespace lanyard::http {

namespace {

[[noreturn]] void refuse(std::string const& what, DecodeError const& error) {
    throw Error(Errc::invalid_argument, what + ": " + error.to_string());
}

}  // namespace

std::optional<Proxy> choose_proxy(Url const& url, HttpClientOptions const& options) {
    if (auto const& chosen = options.proxy()) {
        if (chosen->empty()) return std::nullopt;
        auto proxy = parse_proxy(*chosen);
        if (!proxy) refuse("the proxy", proxy.error());
        return *std::move(proxy);
    }
    auto const environment = [](std::string const& name) -> std::optional<std::string> {
        auto const* const value = std::getenv(name.c_str());
        return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    };
    auto const settings = ProxySettings::read(environment);
    if (!settings) refuse("the environment", settings.error());
    auto const* const found = settings->find(url);
    return found != nullptr ? std::optional<Proxy>(*found) : std::nullopt;
}

std::string authorization_of(HttpClientOptions const& options) {
    if (options.bearer_token().empty()) return {};
    auto value = "Bearer " + options.bearer_token();
    if (!is_field_value(value)) {
        throw Error(Errc::invalid_argument, "the bearer token holds a control character");
    }
    return value;
}

namespace {

std::string header_lines(HttpClientOptions const& options) {
    std::string lines;
    for (auto const& [name, value] : options.headers()) {
        auto const allowed = check_custom_header(name, value);
        if (!allowed) throw Error(Errc::invalid_argument, allowed.error().to_string());
        append_header(lines, name, value);
    }
    return lines;
}

void check(HttpClientOptions const& options) {
    check_not_negative("HttpClientOptions::stream_retry_interval", options.stream_retry_interval());
    check_positive("HttpClientOptions::stream_backoff_interval", options.first_stream_backoff());
    check_at_least("HttpClientOptions::stream_backoff_interval", options.longest_stream_backoff(),
                   options.first_stream_backoff(), "the first interval");
    check_positive("HttpClientOptions::request_retries", options.request_retry_interval());
    check_at_least("HttpClientOptions::hard_unsent_bytes", options.hard_unsent_bytes(), 1);
}

RetryPolicy stream_retries(HttpClientOptions const& options) {
    RetryPolicy policy;
    policy.wait = options.stream_retry_interval();
    policy.backoff.first = options.first_stream_backoff();
    policy.backoff.longest = options.longest_stream_backoff();
    policy.backoff.max_retries = options.max_stream_retries();
    return policy;
}

}  // namespace

ClientRoute plan_route(std::string const& url, HttpClientOptions const& options) {
    check(options);
    auto parsed =
        Url::parse(url, ", or, for other transports, with ws://, wss://, tcp://, tls:// or unix:");
    if (!parsed) refuse("cannot connect to \"" + url + "\"", parsed.error());
    ClientRoute route{*std::move(parsed)};
    route.host = route.url.host().view();
    route.port = route.url.port();
    route.machine.headers = header_lines(options);
    route.machine.authorization = authorization_of(options);
    route.machine.max_event_bytes = options.max_event_bytes();
    route.machine.stream_retries = stream_retries(options);
    route.machine.request_retries =
        unsent_backoff(options.max_request_retries(), options.request_retry_interval());
    route.machine.max_refusal_retries = options.max_refusal_retries();
    route.machine.close_timeout = options.close_timeout();
    route.machine.server_stream = options.server_stream();
    route.wire.limits.max_head_bytes = options.max_head_bytes();
    route.wire.limits.max_body_bytes = options.max_response_bytes();
    if (route.url.secure()) {
        sockets::TlsClientRules const rules{options.ca_file(), options.certificate_file(),
                                            options.key_file(), options.insecure()};
        route.wire.tls = sockets::TlsContext::client(rules).value();
        route.wire.host = route.host;
    }
    auto const proxy = choose_proxy(route.url, options);
    if (!proxy) return route;
    if (proxy->url.secure()) {
        throw Error(Errc::invalid_argument,
                    "a proxy is reached by http:// only, not by " + proxy->url.origin());
    }
    if (route.url.secure()) {
        auto const& host = route.url.host();
        auto const name = host.is_ipv6() ? "[" + route.host + "]" : route.host;
        route.wire.tunnel = name + ":" + std::to_string(route.port);
        route.wire.proxy_authorization = proxy->authorization;
    } else {
        route.machine.absolute_targets = true;
        if (!proxy->authorization.empty()) {
            append_header(route.machine.headers, "Proxy-Authorization", proxy->authorization);
        }
    }
    route.host = proxy->url.host().view();
    route.port = proxy->url.port();
    return route;
}

}  // namespace lanyard::http
