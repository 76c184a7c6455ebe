// Verifier: identifies callers by the token or the certificate that comes with a request.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanyard/task.hpp>

namespace lanyard {

/// A caller that a verifier has identified.
struct Principal {
    std::string subject;
    std::string issuer{};     ///< who issued the identity; empty if this server did
    std::string client_id{};  ///< the program that acts on behalf of the subject
    std::vector<std::string> scopes{};

    /// Returns a string that identifies the combination of subject, issuer and client_id: two
    /// callers have equal strings only if all three members are equal. If issuer and client_id are
    /// empty, the string is the subject itself, except if the subject begins with digits and a
    /// colon.
    std::string identity() const;
    bool operator==(Principal const&) const = default;
};

/// The credentials that came with a request. The views are valid until the task of
/// Verifier::verify() completes.
struct Credentials {
    std::string_view bearer{};  ///< the token of "Authorization: Bearer"; empty if there is none
    std::string_view certificate{};  ///< subject of a client certificate that TLS has verified
    std::string_view peer{};         ///< "192.0.2.1:49152"
    std::string_view method{};
    std::string_view target{};
};

/// A verifier's decision about the credentials of a request: accept the caller, or refuse the
/// request.
class Verification {
public:
    /// Accepts the caller as this principal.
    static Verification accept(std::shared_ptr<Principal const> principal) {
        Verification verification;
        verification.principal_ = std::move(principal);
        return verification;
    }
    /// Refuses the request with HTTP status 401. The parameters are sent after "Bearer" in the
    /// WWW-Authenticate header, for example `error="invalid_token"`.
    static Verification refuse(std::string parameters = {}) {
        Verification verification;
        verification.parameters_ = std::move(parameters);
        return verification;
    }
    /// Refuses the request with HTTP status 403: the caller is known, but may not make this
    /// request.
    static Verification forbid(std::string parameters = {}) {
        Verification verification = refuse(std::move(parameters));
        verification.forbidden_ = true;
        return verification;
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

/// Identifies callers. With Server::run() a verifier may block: only the request that is being
/// verified waits for it.
class Verifier {
public:
    virtual ~Verifier() = default;

    /// Decides whether to accept the credentials, which are valid until the task completes. If the
    /// task throws, the caller is refused. The server may call this function again before earlier
    /// tasks have completed, also on other threads. The task is cancelled (Asio cancellation type
    /// `total`) when the caller disconnects.
    virtual Task<Verification> verify(Credentials const& credentials) = 0;
};

/// A token for bearer_tokens(), and the caller that it identifies:
/// `BearerToken("s3cret").subject("ada")`.
class BearerToken {
public:
    explicit BearerToken(std::string token) : token_(std::move(token)) {}

    /// The subject of the caller's principal. Required.
    BearerToken& subject(std::string name) {
        subject_ = std::move(name);
        return *this;
    }

    std::string const& token() const noexcept { return token_; }
    std::string const& subject() const noexcept { return subject_; }

private:
    std::string token_;
    std::string subject_;
};

/// Accepts the given tokens. Comparing takes the same time for a wrong token as for a right one.
/// Throws Error (invalid_argument) for a token without a subject, for a token that cannot be sent
/// in a header, and for two equal tokens.
std::shared_ptr<Verifier> bearer_tokens(std::vector<BearerToken> tokens);

/// Accepts every client certificate that TLS has verified. The subject of the certificate becomes
/// the subject of the principal.
std::shared_ptr<Verifier> client_certificates();

}  // namespace lanyard
