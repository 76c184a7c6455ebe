// The common options of tools, resources and prompts.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/clock.hpp>
#include <lanyard/protocol/base.hpp>

namespace lanyard {

/// The thread that a synchronous handler runs on.
enum class Dispatch {
    adaptive,  ///< like `blocking` until measurements show a fast handler; then like `inline_`
    blocking,  ///< always in the worker pool
    inline_,   ///< always on the connection's own thread: the handler must never block
};

/// The base of ToolOptions, ResourceOptions and PromptOptions; `Self` is the type that setters
/// return.
template <class Self>
class FeatureOptions {
public:
    /// A name for display. Default: none.
    Self& title(std::string text) {
        title_ = std::move(text);
        return self();
    }
    /// Adds an icon; its source must be an https: or data: URI. Default: none.
    Self& icon(Icon icon) {
        icons_.push_back(std::move(icon));
        return self();
    }
    /// The `_meta` of the feature in the results of list requests. Default: none.
    Self& meta(Meta meta) {
        meta_ = std::move(meta);
        return self();
    }
    /// How long a call may take before it is cancelled. Default: 0 s, which means no limit.
    Self& timeout(Duration limit) noexcept {
        timeout_ = limit;
        return self();
    }
    /// The maximum number of concurrent calls; further calls are refused. Default: 0, which means
    /// no limit.
    Self& max_concurrent(std::size_t calls) noexcept {
        max_concurrent_ = calls;
        return self();
    }
    /// Always runs the handler in the worker pool. Default: Dispatch::adaptive.
    Self& blocking() noexcept {
        dispatch_ = Dispatch::blocking;
        return self();
    }
    /// Always runs the handler on the connection's own thread, so it must never block. Default:
    /// Dispatch::adaptive.
    Self& inline_() noexcept {
        dispatch_ = Dispatch::inline_;
        return self();
    }

    std::string const& title() const noexcept { return title_; }
    std::vector<Icon> const& icons() const noexcept { return icons_; }
    Meta const& meta() const noexcept { return meta_; }
    Duration timeout() const noexcept { return timeout_; }
    std::size_t max_concurrent() const noexcept { return max_concurrent_; }
    Dispatch dispatch() const noexcept { return dispatch_; }

protected:
    FeatureOptions() = default;

private:
    Self& self() noexcept { return static_cast<Self&>(*this); }

    std::string title_;
    std::vector<Icon> icons_;
    Meta meta_;
    Duration timeout_{0};
    std::size_t max_concurrent_ = 0;
    Dispatch dispatch_ = Dispatch::adaptive;
};

}  // namespace lanyard
