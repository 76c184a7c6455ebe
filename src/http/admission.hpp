// The gate in front of every route: who may call (Host, Origin), what a request must look like
// (Content-Type, Accept, metadata), and which route it takes. Nothing of a request is looked at
// before it has passed, and there is no way to a route but through here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/error.hpp>
#include <lanyard/result.hpp>

#include "http/request_reader.hpp"
#include "http/router.hpp"
#include "http/status.hpp"
#include "sockets/authority.hpp"

namespace lanyard::http {

struct AdmissionOptions {
    /// The address the server listens at, as in a URL: "127.0.0.1", "[::1]", "localhost",
    /// "0.0.0.0".
    std::string bind_host = "127.0.0.1";
    /// Names by which clients may call: "api.example" with any port, "api.example:8443" with that
    /// one, "*" any. A server on a loopback address is called by loopback names in any case.
    std::vector<std::string> allowed_hosts{};
    /// Origins of web pages that may call and read the answers: "https://app.example", or "*".
    std::vector<std::string> allowed_origins{};
};

/// A request that may go on.
struct Admission {
    Route route{};
    /// To be named in the answer; empty where no page of another origin reads it. Lives as long as
    /// the request's head.
    std::string_view cors_origin{};
    /// The peer takes a stream as the answer.
    bool takes_stream = false;
};

class AdmissionGate {
public:
    /// Refuses (invalid_argument) entries that are no hosts or origins, and a server that everybody
    /// can reach without a list of the names it may be called by.
    static Result<AdmissionGate> make(AdmissionOptions const& options, Router router);

    /// Pure and without allocation. A Host that this gate has let in before need not be judged
    /// again.
    Result<Admission, Rejection> admit(RequestHead const& head,
                                       std::string_view known_host = {}) const noexcept;

    Router const& router() const noexcept { return router_; }

private:
    struct AllowedHost {
        sockets::HostName name;
        std::optional<std::uint16_t> port;
    };

    explicit AdmissionGate(Router router) noexcept : router_(std::move(router)) {}

    bool allows_host(sockets::Authority const& host) const noexcept;
    bool lists_origin(std::string_view origin) const noexcept;
    bool allows_origin(std::string_view text, sockets::Authority const& host) const noexcept;
    Result<Admission, Rejection> route(RequestHead const& head,
                                       std::string_view cors_origin) const noexcept;

    Router router_;
    std::vector<AllowedHost> hosts_;
    std::vector<std::string> origins_;
    bool any_host_ = false;
    bool any_origin_ = false;
    bool loopback_ = false;
};

/// The answer to a preflight that was admitted.
void append_preflight(std::string& out, Admission const& admission, RequestHead const& head,
                      AdmissionGate const& gate, std::string_view date = {});

}  // namespace lanyard::http
