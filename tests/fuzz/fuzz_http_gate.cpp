// The gate: every request that a loopback server admits was addressed to a loopback name, comes
// from no web page or one of this machine, and meets the rules of its route.
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.hpp"
#include "http/server/admission.hpp"
#include "http/server/reply_writer.hpp"
#include "support/http.hpp"

using namespace lanyard;

namespace {

http::AdmissionGate make_gate() {
    http::EndpointOptions endpoint;
    endpoint.sse_path = "/sse";
    endpoint.message_path = "/messages";
    http::AdmissionOptions options;
    options.allowed_origins = {"https://app.example"};
    return http::AdmissionGate::make(options, http::Router::make(endpoint).value()).value();
}

// "host" or "host:123", with one of the three loopback hosts.
bool is_local(std::string_view text) {
    std::string lower;
    for (char const c : text) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    for (std::string_view const name : {"localhost", "127.0.0.1", "[::1]"}) {
        if (lower == name) return true;
        if (!lower.starts_with(std::string(name) + ":")) continue;
        return lower.find_first_not_of("0123456789", name.size() + 1) == lower.npos;
    }
    // Other notations of ::1 are left to the reader.
    return lower.starts_with('[');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static auto const gate = make_gate();
    http::RequestReader reader;
    reader.feed({reinterpret_cast<char const*>(data), size});
    if (reader.next() != http::RequestReader::Event::head) return 0;
    auto const& head = reader.head();
    auto const admission = gate.admit(head);
    std::string out;
    if (!admission) {
        http::append_rejection(out, admission.error());
        fuzz::require(test::responses_of({out}).size() == 1, "a refusal is not one response");
        return 0;
    }
    fuzz::require(is_local(*head.fields.find("host")), "a foreign host was admitted");
    if (auto const origin = head.fields.find("origin"); origin && admission->cors_origin.empty()) {
        auto const mark = origin->find("://");
        fuzz::require(mark != origin->npos, "something that is no origin was admitted");
        fuzz::require(is_local(origin->substr(mark + 3)) || origin->find("127.") != origin->npos,
                      "a foreign page was admitted");
    }
    if (admission->route.kind == http::RouteTarget::Kind::preflight) {
        http::append_preflight(out, *admission, head, gate);
        fuzz::require(test::responses_of({out}).size() == 1, "a preflight is not one response");
    } else {
        auto const rule = gate.router().find(head.method, head.path()).rule;
        fuzz::require(rule != nullptr && rule->route == admission->route, "the route is another");
        fuzz::require(!rule->json_body || head.fields.find("content-type").has_value(),
                      "a body of no type was admitted");
    }
    return 0;
}
