// InstantVerifier: a verifier of the library that decides from memory, so it can be called
// synchronously. The user's verifiers may block and are called by ask_verifier().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lanyard/auth/verifier.hpp"

namespace lanyard::auth {

class InstantVerifier : public Verifier {
public:
    /// Decides without waiting; nullopt if verify() has to be awaited. An exception counts as a
    /// refusal.
    virtual std::optional<Verification> verify_now(Credentials const& credentials) = 0;
    Task<Verification> verify(Credentials const& credentials) override;
};

/// Keeps the credentials until the verifier has decided. The result is always set; it is optional
/// only because co_spawn needs a type with a default value.
Task<std::optional<Verification>> ask_verifier(std::shared_ptr<Verifier> verifier,
                                               Credentials credentials);

}  // namespace lanyard::auth
