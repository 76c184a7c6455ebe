// Handlers of notifications, by method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanyard::rpc {

/// Handlers for single methods and for all methods. A handler may add and remove handlers; this
/// affects later notifications only, because a dispatch in progress continues with the handlers it
/// started with. Not thread-safe.
template <class Payload>
class NotificationHandlers {
public:
    using Handler = std::function<void(std::string_view method, Payload const& payload)>;
    using HandlerId = std::uint64_t;

    /// Registers a handler for one method.
    HandlerId on(std::string method, Handler handler) {
        return add(by_method_[std::move(method)], std::move(handler));
    }
    /// Registers a handler for every notification; it is called after the handlers of the method.
    HandlerId on_any(Handler handler) { return add(wildcard_, std::move(handler)); }

    /// Removes a handler; returns false if there is none with this id.
    bool remove(HandlerId id) {
        if (remove_from(wildcard_, id)) return true;
        for (auto entry = by_method_.begin(); entry != by_method_.end(); ++entry) {
            if (!remove_from(entry->second, id)) continue;
            if (entry->second->empty()) by_method_.erase(entry);
            return true;
        }
        return false;
    }

    struct Report {
        std::size_t called = 0;
        std::size_t failed = 0;
        std::string first_failure;  ///< The message of the first exception that a handler threw.
    };
    /// Calls all matching handlers. An exception in one does not prevent the others from being
    /// called.
    Report dispatch(std::string_view method, Payload const& payload) const {
        Report report;
        auto const found = by_method_.find(method);
        auto const specific = found == by_method_.end() ? nullptr : found->second;
        auto const wildcard = wildcard_;
        for (auto const* list : {specific.get(), wildcard.get()}) {
            if (list == nullptr) continue;
            for (auto const& entry : *list) call(entry.handler, method, payload, report);
        }
        return report;
    }

private:
    struct Entry {
        HandlerId id;
        Handler handler;
    };
    // Lists are replaced, never modified, so a dispatch can continue to read the list it holds.
    using List = std::shared_ptr<std::vector<Entry> const>;

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    HandlerId add(List& list, Handler handler) {
        auto changed = list ? std::make_shared<std::vector<Entry>>(*list)
                            : std::make_shared<std::vector<Entry>>();
        changed->push_back({++last_id_, std::move(handler)});
        list = std::move(changed);
        return last_id_;
    }

    static bool remove_from(List& list, HandlerId id) {
        if (!list) return false;
        auto changed = std::make_shared<std::vector<Entry>>(*list);
        if (std::erase_if(*changed, [id](Entry const& entry) { return entry.id == id; }) == 0) {
            return false;
        }
        list = std::move(changed);
        return true;
    }

    static void call(Handler const& handler, std::string_view method, Payload const& payload,
                     Report& report) {
        ++report.called;
        std::string failure;
        try {
            handler(method, payload);
            return;
        } catch (std::exception const& error) {
            failure = error.what();
        } catch (...) {
            failure = "an exception of unknown type";
        }
        if (report.failed++ == 0) report.first_failure = std::move(failure);
    }

    std::unordered_map<std::string, List, Hash, std::equal_to<>> by_method_;
    List wildcard_;
    HandlerId last_id_ = 0;
};

}  // namespace lanyard::rpc
