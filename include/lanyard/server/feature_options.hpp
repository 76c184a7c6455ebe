// What the options of tools, resources and prompts have in common.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/clock.hpp>
#include <lanyard/protocol/base.hpp>

namespace lanyard {

/// Where a synchronous handler runs.
enum class Dispatch {
    adaptive,  ///< in the worker pool until it has proven fast, then inline
    blocking,  ///< always in the worker pool
    inline_,   ///< always on the connection's own thread: it must never wait
};

/// The base of ToolOptions, ResourceOptions and PromptOptions; `Self` is what the setters return.
template <class Self>
class FeatureOptions {
public:
    /// A name for people.
    Self& title(std::string text) {
        title_ = std::move(text);
        return self();
    }
    /// Adds an icon; its source must be an https: or data: URI.
    Self& icon(Icon icon) {
        icons_.push_back(std::move(icon));
        return self();
    }
    Self& meta(Meta meta) {
        meta_ = std::move(meta);
        return self();
    }
    /// Ends a call that takes longer; zero is no limit.
    Self& timeout(Duration limit) noexcept {
        timeout_ = limit;
        return self();
    }
    /// Refuses calls beyond this many at a time; zero is no limit.
    Self& max_concurrent(std::size_t calls) noexcept {
        max_concurrent_ = calls;
        return self();
    }
    /// Always runs in the worker pool.
    Self& blocking() noexcept {
        dispatch_ = Dispatch::blocking;
        return self();
    }
    /// Always runs on the connection's own thread.
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
