// PendingBytes: the limits on the size of pending requests.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lanyard::server {

/// Counts the bytes of the parameters of all requests that are being served or wait to be served.
/// The bytes are counted for each client (see client_name()) and for all clients together.
/// Thread-safe.
class PendingBytes {
    using Clients = std::unordered_map<std::string, std::size_t>;

public:
    PendingBytes(std::size_t of_client, std::size_t of_all) noexcept
        : of_client_(of_client), of_all_(of_all) {}
    PendingBytes(PendingBytes const&) = delete;
    PendingBytes& operator=(PendingBytes const&) = delete;

    /// The reserved bytes of one request. Must not outlive the PendingBytes object.
    class Reservation {
    public:
        Reservation() = default;
        Reservation(Reservation const&) = delete;
        Reservation& operator=(Reservation const&) = delete;
        ~Reservation() { release(); }

        void release() noexcept {
            if (owner_ != nullptr) std::exchange(owner_, nullptr)->give_back(*client_, bytes_);
        }

    private:
        friend PendingBytes;

        PendingBytes* owner_ = nullptr;
        Clients::value_type* client_ = nullptr;
        std::size_t bytes_ = 0;
    };

    /// Reserves the bytes of a request, and stores them in `reservation`, which must be empty.
    /// Returns false if a limit would be exceeded. The first request of a client may exceed the
    /// limit for one client, but not the limit for all clients together.
    bool take(std::string_view client, std::size_t bytes, Reservation& reservation);

    /// The bytes of all clients together.
    std::size_t used() const noexcept;

private:
    void give_back(Clients::value_type& client, std::size_t bytes) noexcept;

    std::size_t of_client_;
    std::size_t of_all_;
    mutable std::mutex mutex_;
    Clients clients_;  // clients with reservations
    std::size_t used_ = 0;
};

}  // namespace lanyard::server
