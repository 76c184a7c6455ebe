// PrincipalCounts: the number of requests that are being served for each principal.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "lanyard/auth/verifier.hpp"

namespace lanyard::http {

/// A slot is the shared counter of one principal. A connection keeps the slot of its principal, so
/// that only its first request has to look up the slot.
class PrincipalCounts {
public:
    struct Count {
        std::size_t pending = 0;
    };
    using Slot = std::shared_ptr<Count>;

    Slot slot_of(Principal const& principal) {
        auto& known = slots_[principal.identity()];
        auto slot = known.lock();
        if (!slot) {
            known = slot = std::make_shared<Count>();
            // Slots that no connection keeps any more are removed whenever the table has doubled in
            // size.
            if (slots_.size() > sweep_at_) {
                std::erase_if(slots_, [](auto const& entry) { return entry.second.expired(); });
                sweep_at_ = slots_.size() * 2 + least_sweep;
            }
        }
        return slot;
    }

    std::size_t size() const noexcept { return slots_.size(); }

private:
    static constexpr std::size_t least_sweep = 64;

    std::unordered_map<std::string, std::weak_ptr<Count>> slots_;
    std::size_t sweep_at_ = least_sweep;
};

}  // namespace lanyard::http
