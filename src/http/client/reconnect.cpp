#include "http/client/reconnect.hpp"

#include <algorithm>
#include <utility>

namespace lanyard::http {

bool Reconnect::ended_at_once(TimePoint now) {
    auto const opened = std::exchange(opened_, std::nullopt);
    if (!opened) return false;
    if (now - *opened < lasting) {
        short_ = std::min(short_ + 1, max_short + 1);
    } else {
        short_ = 0;
        after_short_.reset();
    }
    return short_ > max_short;
}

std::optional<Duration> Reconnect::on_end(TimePoint now, Random& random) {
    auto wait = std::max(wait_, shortest);
    if (ended_at_once(now)) wait += after_short_.next(random).value();
    if (fruitless_) {
        auto const more = backoff_.next(random);
        if (!more) return std::nullopt;
        wait += *more;
    } else {
        backoff_.reset();
    }
    fruitless_ = true;
    return wait;
}

}  // namespace lanyard::http
