// Lease: how client handles own their session.
#pragma once

#include <memory>
#include <utility>

#include "client/client_session.hpp"
#include "lanyard/client/client.hpp"

namespace lanyard::detail {

/// The shared owner of a session for its client handles. The destructor of the last handle closes
/// the session.
struct Lease {
    explicit Lease(std::shared_ptr<client::ClientSession> held) noexcept
        : session(std::move(held)) {}
    ~Lease() { close(); }
    Lease(Lease const&) = delete;
    Lease& operator=(Lease const&) = delete;

    /// Returns a client that owns the session.
    static Client open(std::shared_ptr<client::ClientSession> const& session) {
        try {
            return Client(std::make_shared<Lease>(session));
        } catch (...) {
            session->keeper().close();
            throw;
        }
    }

    /// Closes the session. May be called on any thread.
    void close() const noexcept;

    std::shared_ptr<client::ClientSession> session;
};

/// Returns the session of a client. Throws Error (closed) if the client has none.
std::shared_ptr<client::ClientSession> const& session_of(std::shared_ptr<Lease> const& lease);

/// Gives other parts of the library access to the session of a client.
struct SessionOf {
    /// Throws Error (closed) if the client was never connected.
    static std::shared_ptr<client::ClientSession> const& get(Client const& client) {
        return session_of(client.lease_);
    }
};

}  // namespace lanyard::detail

namespace lanyard::client {

using lanyard::detail::Lease;
using lanyard::detail::SessionOf;

}  // namespace lanyard::client
