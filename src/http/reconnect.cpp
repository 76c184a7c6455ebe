#include "http/reconnect.hpp"

#include <algorithm>

namespace lanyard::http {

std::optional<Duration> Reconnect::on_end(Random& random) {
    auto wait = std::max(wait_, shortest);
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
