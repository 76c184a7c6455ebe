// When to send `notifications/<kind>/list_changed`: at most one per kind and interval, and always
// one after the last change (server/tools, server/resources, server/prompts, client/roots).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rpc/deadline.hpp"

namespace lanyard::rpc {

enum class ListKind : std::uint8_t { tools, resources, prompts, roots };
inline constexpr std::size_t list_kind_count = 4;

/// "notifications/tools/list_changed"
std::string_view list_changed_method(ListKind kind) noexcept;

/// Not thread-safe.
class ListChanged {
public:
    explicit ListChanged(Duration interval = std::chrono::milliseconds(100)) noexcept
        : interval_(interval) {}

    /// Records a change, or a wish to announce one. True: send the notification now. False: one
    /// will be due soon and covers this change.
    bool changed(ListKind kind, TimePoint now) noexcept;
    /// A kind whose held-back notification is due now; call until it returns nothing.
    std::optional<ListKind> take_due(TimePoint now) noexcept;
    /// Whether take_due() will have this one.
    bool is_held(ListKind kind) const noexcept {
        return kinds_[static_cast<std::size_t>(kind)].held;
    }
    /// When take_due() next has one, or never.
    TimePoint next_due() const noexcept;

private:
    struct State {
        TimePoint open_at = TimePoint::min();  // from when on one may be sent
        bool held = false;
    };

    Duration interval_;
    std::array<State, list_kind_count> kinds_;
};

}  // namespace lanyard::rpc
