#include "lanyard/auth/verifier.hpp"

#include <algorithm>

#include "auth/credentials.hpp"
#include "auth/instant_verifier.hpp"
#include "crypto/bytes.hpp"
#include "lanyard/error.hpp"

namespace lanyard {

namespace {

// Whether a subject begins with "<number>:", like the text that identity() builds from three names.
// If identity() returned such a subject unchanged, the result could equal the identity of another
// principal.
bool begins_with_length(std::string_view subject) {
    auto const digits = subject.find_first_not_of("0123456789");
    return digits != 0 && digits != subject.npos && subject[digits] == ':';
}

}  // namespace

std::string Principal::identity() const {
    if (issuer.empty() && client_id.empty() && !begins_with_length(subject)) return subject;
    // Each part is preceded by its length, so different triples cannot give the same text.
    std::string text;
    for (auto const* const part : {&issuer, &subject, &client_id}) {
        text.append(std::to_string(part->size())).append(":").append(*part);
    }
    return text;
}

namespace auth {

Task<Verification> InstantVerifier::verify(Credentials const& credentials) {
    auto verification = verify_now(credentials);
    co_return verification ? *std::move(verification) : Verification::refuse();
}

namespace {

// Credentials contains only views. This coroutine takes the strings by value instead, so that it
// owns copies of the strings.
Task<std::optional<Verification>> ask_with(std::shared_ptr<Verifier> verifier, std::string bearer,
                                           std::string certificate, std::string peer,
                                           std::string method, std::string target) {
    Credentials credentials;
    credentials.bearer = bearer;
    credentials.certificate = certificate;
    credentials.peer = peer;
    credentials.method = method;
    credentials.target = target;
    auto verification = co_await verifier->verify(credentials);
    co_return std::optional<Verification>(std::move(verification));
}

}  // namespace

Task<std::optional<Verification>> ask_verifier(std::shared_ptr<Verifier> verifier,
                                               Credentials credentials) {
    auto const text = [](std::string_view view) { return std::string(view); };
    return ask_with(std::move(verifier), text(credentials.bearer), text(credentials.certificate),
                    text(credentials.peer), text(credentials.method), text(credentials.target));
}

}  // namespace auth

namespace {

class BearerTokens final : public auth::InstantVerifier {
public:
    explicit BearerTokens(std::vector<BearerToken> const& tokens) {
        for (auto const& given : tokens) {
            auto const& token = given.token();
            auto const& subject = given.subject();
            if (subject.empty()) {
                throw Error(Errc::invalid_argument,
                            "a token of bearer_tokens() has no subject: call "
                            "BearerToken::subject()");
            }
            if (!auth::is_bearer_token(token)) {
                throw Error(Errc::invalid_argument,
                            "the token of \"" + subject +
                                "\" must consist of letters, digits and -._~+/ (and = at the end)");
            }
            bool const known =
                std::any_of(entries_.begin(), entries_.end(),
                            [&](Entry const& entry) { return entry.token == token; });
            if (known) {
                throw Error(Errc::invalid_argument,
                            "the token of \"" + subject + "\" occurs more than once");
            }
            auto principal = std::make_shared<Principal>();
            principal->subject = subject;
            entries_.push_back({token, std::move(principal)});
        }
    }

    std::optional<Verification> verify_now(Credentials const& credentials) override {
        if (credentials.bearer.empty()) return Verification::refuse();
        // Compares all entries, even after a match, so that the time taken reveals nothing about
        // the tokens.
        Entry const* found = nullptr;
        for (auto const& entry : entries_) {
            if (crypto::equal_constant_time(entry.token, credentials.bearer)) found = &entry;
        }
        if (found == nullptr) return Verification::refuse("error=\"invalid_token\"");
        return Verification::accept(found->principal);
    }

private:
    struct Entry {
        std::string token;
        std::shared_ptr<Principal const> principal;
    };
    std::vector<Entry> entries_;
};

class ClientCertificates final : public auth::InstantVerifier {
public:
    std::optional<Verification> verify_now(Credentials const& credentials) override {
        if (credentials.certificate.empty()) return Verification::refuse();
        auto principal = std::make_shared<Principal>();
        principal->subject = credentials.certificate;
        return Verification::accept(std::move(principal));
    }
};

}  // namespace

std::shared_ptr<Verifier> bearer_tokens(std::vector<BearerToken> tokens) {
    return std::make_shared<BearerTokens>(tokens);
}

std::shared_ptr<Verifier> client_certificates() {
    return std::make_shared<ClientCertificates>();
}

}  // namespace lanyard
