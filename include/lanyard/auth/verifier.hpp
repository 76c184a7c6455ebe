// Verifier: decides who a caller is, from the token or the certificate that came with a request.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanyard/task.hpp>

namespace lanyard {

/// Somebody whom a verifier has recognised.
struct Principal {
    std::string subject;
    std::string issuer{};     ///< who vouches for the subject; empty where it is this server
    std::string client_id{};  ///< the program that calls on the subject's behalf
    std::vector<std::string> scopes{};

    /// One text for the three names together: equal for the same caller only, and plainly the
    /// subject where there is nothing else.
    std::string identity() const;
    bool operator==(Principal const&) const = default;
};

/// What a request shows of its sender. Views, valid during the call that gets them.
struct Credentials {
    std::string_view bearer{};  ///< the token of "Authorization: Bearer"; empty where there is none
    std::string_view certificate{};  ///< subject of a client certificate that TLS has verified
    std::string_view peer{};         ///< "192.0.2.1:49152"
    std::string_view method{};
    std::string_view target{};
};

/// What a verifier says about credentials.
class Verification {
public:
    static Verification accept(std::shared_ptr<Principal const> principal) {
        Verification verdict;
        verdict.principal_ = std::move(principal);
        return verdict;
    }
    /// The request is answered with 401; the parameters go to WWW-Authenticate behind "Bearer":
    /// `error="invalid_token"`.
    static Verification refuse(std::string parameters = {}) {
        Verification verdict;
        verdict.parameters_ = std::move(parameters);
        return verdict;
    }
    /// The request is answered with 403: the caller is known, but may not do this.
    static Verification forbid(std::string parameters = {}) {
        Verification verdict = refuse(std::move(parameters));
        verdict.forbidden_ = true;
        return verdict;
    }

    bool accepted() const noexcept { return principal_ != nullptr; }
    bool forbidden() const noexcept { return forbidden_; }
    std::shared_ptr<Principal const> const& principal() const noexcept { return principal_; }
    std::string const& parameters() const noexcept { return parameters_; }

private:
    Verification() = default;

    std::shared_ptr<Principal const> principal_;
    std::string parameters_;
    bool forbidden_ = false;
};

/// Recognises callers. With Server::run() it may block: nobody but the caller waits for it.
class Verifier {
public:
    virtual ~Verifier() = default;

    /// Decides. The credentials are valid until it completes. What it throws counts as a refusal.
    /// Several callers may be asked about at the same time, in different threads. Cancellation:
    /// total, when the caller goes away.
    virtual Task<Verification> verify(Credentials const& credentials) = 0;
};

/// Takes these tokens; each comes with the subject that its bearer is. Comparing takes as long for
/// a wrong token as for the right one. Throws Error (invalid_argument) for a token that cannot
/// stand in a header, and for two equal ones.
std::shared_ptr<Verifier> bearer_tokens(std::vector<std::pair<std::string, std::string>> tokens);

/// Takes every client certificate that TLS has verified; its subject is the principal.
std::shared_ptr<Verifier> client_certificates();

}  // namespace lanyard
