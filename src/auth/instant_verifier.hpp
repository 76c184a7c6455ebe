// InstantVerifier: a verifier of this library's that decides from memory, and so may be asked in
// the middle of the engine. Verifiers of the user's may block and are asked by ask_verifier().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lanyard/auth/verifier.hpp"

namespace lanyard::auth {

class InstantVerifier : public Verifier {
public:
    /// Decides, unless verify() has to be awaited. What it throws counts as a refusal. Never waits.
    virtual std::optional<Verification> verify_now(Credentials const& credentials) = 0;
    Task<Verification> verify(Credentials const& credentials) override;
};

/// Keeps the credentials until the verifier has decided. The result is set; co_spawn wants a type
/// with a default.
Task<std::optional<Verification>> ask_verifier(std::shared_ptr<Verifier> verifier,
                                               Credentials credentials);

}  // namespace lanyard::auth
