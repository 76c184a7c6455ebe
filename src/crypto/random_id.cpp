#include "crypto/random_id.hpp"

#include <array>

#include "crypto/bytes.hpp"
#include "lanyard/base64.hpp"

namespace lanyard::crypto {

std::string random_id(Random& random) {
    std::array<std::byte, 18> bits;
    random.fill(bits);
    return base64::encode(as_characters(bits), base64::Form::url);
}

}  // namespace lanyard::crypto
