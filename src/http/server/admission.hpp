// AdmissionGate checks every request before it reaches a route: its source (Host, Origin) and its
// form (Content-Type, Accept, MCP headers). The gate also selects the route, so that no route can
// be reached without these checks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/authority.hpp"
#include "http/message/status.hpp"
#include "http/server/request_reader.hpp"
#include "http/server/router.hpp"
#include "lanyard/error.hpp"
#include "lanyard/result.hpp"

namespace lanyard::http {

struct AdmissionOptions {
    /// The address at which the server listens, written as in a URL: "127.0.0.1", "[::1]",
    /// "localhost", "0.0.0.0".
    std::string bind_host = "127.0.0.1";
    /// Host names that requests may have in their Host header: "api.example" allows any port,
    /// "api.example:8443" only that port, and "*" any name. Loopback names are always allowed if
    /// the server listens at a loopback address.
    std::vector<std::string> allowed_hosts{};
    /// Origins whose web pages may call the server and read its responses: "https://app.example",
    /// or "*" for any origin.
    std::vector<std::string> allowed_origins{};
};

/// The route of an admitted request, and the properties that its response depends on.
struct Admission {
    RouteTarget route{};
    /// The value of Access-Control-Allow-Origin in the response: the request's Origin if it is one
    /// of AdmissionOptions::allowed_origins, else empty. A view into the request's head.
    std::string_view cors_origin{};
    /// Whether the client accepts an event stream as the response.
    bool takes_stream = false;
};

class AdmissionGate {
public:
    /// Fails (invalid_argument) in these cases:
    /// - An entry of `allowed_hosts` is not a host, or an entry of `allowed_origins` is not an
    ///   origin.
    /// - `bind_host` is not a host.
    /// - The server does not listen at a loopback address, and `allowed_hosts` is empty.
    static Result<AdmissionGate> make(AdmissionOptions const& options, Router router);

    /// Checks a request and selects its route. Does not allocate, and has no side effects.
    /// `known_host` is a Host that this gate has admitted before: if the request has the same Host
    /// and no Origin, Host and Origin are not checked again.
    Result<Admission, Rejection> admit(RequestHead const& head,
                                       std::string_view known_host = {}) const noexcept;

    Router const& router() const noexcept { return router_; }

private:
    struct AllowedHost {
        HostName name;
        std::optional<std::uint16_t> port;
    };

    explicit AdmissionGate(Router router) noexcept : router_(std::move(router)) {}

    bool allows_host(Authority const& host) const noexcept;
    bool lists_origin(std::string_view origin) const noexcept;
    bool allows_origin(std::string_view text, Authority const& host) const noexcept;
    Result<Admission, Rejection> route(RequestHead const& head,
                                       std::string_view cors_origin) const noexcept;

    Router router_;
    std::vector<AllowedHost> hosts_;
    std::vector<std::string> origins_;
    bool any_host_ = false;
    bool any_origin_ = false;
    bool loopback_ = false;
};

/// Appends the response to an admitted CORS preflight request.
void append_preflight(std::string& out, Admission const& admission, RequestHead const& head,
                      AdmissionGate const& gate, std::string_view date = {});

}  // namespace lanyard::http
