#include "peer/cursor.hpp"

#include <cstdint>

#include "base/slot_table.hpp"
#include "lanyard/base64.hpp"

namespace lanyard::rpc {

namespace {

constexpr std::size_t check_size = 4;

// Returns check_size bytes of a hash (FNV-1a) of the list's name and the key.
std::string check_of(std::string_view list, std::string_view key) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    auto const add = [&hash](std::string_view bytes) {
        for (char byte : bytes) {
            hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
        }
    };
    add(list);
    add(std::string_view("\0", 1));
    add(key);
    hash = mix(hash);
    std::string check;
    for (std::size_t i = 0; i < check_size; ++i) check += static_cast<char>(hash >> (8 * i));
    return check;
}

}  // namespace

std::string encode_cursor(std::string_view list, std::string_view last_key) {
    return base64::encode(check_of(list, last_key).append(last_key), base64::Form::url);
}

Result<std::string, DecodeError> decode_cursor(std::string_view list, std::string_view cursor) {
    auto bytes = base64::decode(cursor, base64::Form::url);
    if (bytes && bytes->size() >= check_size) {
        auto key = bytes->substr(check_size);
        if (bytes->starts_with(check_of(list, key))) return key;
    }
    return Unexpected(DecodeError{"/cursor", "is not a cursor of this list"});
}

}  // namespace lanyard::rpc
