#include "server/core/pending_bytes.hpp"

namespace lanyard::server {

bool PendingBytes::take(std::string_view client, std::size_t bytes, Reservation& reservation) {
    std::lock_guard const lock(mutex_);
    if (bytes > of_all_ || used_ > of_all_ - bytes) return false;
    auto& held = *clients_.try_emplace(std::string(client)).first;
    auto const others = held.second;
    if (others != 0 && (bytes > of_client_ || others > of_client_ - bytes)) return false;
    held.second += bytes;
    used_ += bytes;
    reservation.owner_ = this;
    reservation.client_ = &held;
    reservation.bytes_ = bytes;
    return true;
}

void PendingBytes::give_back(Clients::value_type& client, std::size_t bytes) noexcept {
    std::lock_guard const lock(mutex_);
    used_ -= bytes;
    client.second -= bytes;
    if (client.second == 0) clients_.erase(clients_.find(client.first));
}

std::size_t PendingBytes::used() const noexcept {
    std::lock_guard const lock(mutex_);
    return used_;
}

}  // namespace lanyard::server
