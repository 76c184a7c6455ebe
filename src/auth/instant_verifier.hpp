// InstantVerifier: base class of the library's own verifiers. They decide without I/O, so they can
// be called synchronously. A verifier that the user has written may block, so it is called through
// ask_verifier().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lanyard/auth/verifier.hpp"

namespace lanyard::auth {

class InstantVerifier : public Verifier {
public:
    /// Decides without waiting. Returns nullopt if verify() has to be awaited instead. An exception
    /// counts as a refusal.
    virtual std::optional<Verification> verify_now(Credentials const& credentials) = 0;
    Task<Verification> verify(Credentials const& credentials) override;
};

/// Calls verifier->verify(). Copies the strings that `credentials` refers to, so the caller need
/// not keep those strings. Never returns nullopt: the type is optional only because co_spawn needs
/// a default-constructible type.
Task<std::optional<Verification>> ask_verifier(std::shared_ptr<Verifier> verifier,
                                               Credentials credentials);

}  // namespace lanyard::auth
