#include "http/mcp/session_ids.hpp"

#include <array>

#include "crypto/bytes.hpp"
#include "crypto/digest.hpp"
#include "crypto/random_id.hpp"

namespace lanyard::http {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t random_size = SessionIds::size - 2;

}  // namespace

SessionIds::SessionIds(Random& random, std::size_t loops) : random_(random), loops_(loops) {
    std::array<std::byte, 32> key;
    random.fill(key);
    key_ = crypto::as_characters(key);
}

std::size_t SessionIds::mask_of(std::string_view random_part) const {
    auto const hash = crypto::hmac_sha256(key_, random_part);
    return (std::to_integer<std::size_t>(hash[0]) << 8 | std::to_integer<std::size_t>(hash[1])) %
           max_loops;
}

std::string SessionIds::make(std::size_t loop) const {
    auto id = crypto::random_id(random_);
    if (loops_ == 1) return id;
    id.resize(random_size);
    auto const number = loop ^ mask_of(id);
    id.push_back(digits[number / digits.size()]);
    id.push_back(digits[number % digits.size()]);
    return id;
}

std::size_t SessionIds::loop_of(std::string_view id) const {
    if (loops_ == 1 || id.size() != size) return 0;
    auto const high = digits.find(id[random_size]);
    auto const low = digits.find(id[random_size + 1]);
    if (high == digits.npos || low == digits.npos) return 0;
    auto const number = high * digits.size() + low;
    return (number ^ mask_of(id.substr(0, random_size))) % loops_;
}

}  // namespace lanyard::http
