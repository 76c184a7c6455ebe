// InstantVerifier: a verifier of the library that decides without I/O, so it can be called
// synchronously. A user's verifier may block, so it is called by ask_verifier().
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

/// Asks the verifier, and keeps the credentials until it has decided. The result is always set; it
/// is optional only because co_spawn needs a type with a default value.
Task<std::optional<Verification>> ask_verifier(std::shared_ptr<Verifier> verifier,
                                               Credentials credentials);

}  // namespace lanyard::auth
