// Keys of maps, paths, and the error messages that the codecs of containers share.
#include <charconv>

#include "codec/message.hpp"
#include "lanyard/codec.hpp"

namespace lanyard {

namespace codec {

namespace {

template <class Integer>
bool decode_any_key(std::string_view name, Integer minimum, Integer maximum, Integer& out,
                    DecodeContext& context) {
    Integer value = 0;
    auto const* const end = name.data() + name.size();
    auto const [stop, error] = std::from_chars(name.data(), end, value);
    // Accepts only the canonical spelling; otherwise two different JSON names, such as "1" and
    // "01", would decode to the same map key.
    bool const plain = error == std::errc() && stop == end && std::to_string(value) == name;
    if (plain && value >= minimum && value <= maximum) {
        out = value;
        return true;
    }
    if (context.quiet()) return false;
    return context.fail("the name must be an integer from ", std::to_string(minimum), " to ",
                        std::to_string(maximum), ", got ", quoted(name));
}

}  // namespace

bool decode_key(std::string_view name, std::int64_t minimum, std::int64_t maximum,
                std::int64_t& out, DecodeContext& context) {
    return decode_any_key(name, minimum, maximum, out, context);
}

bool decode_key(std::string_view name, std::uint64_t minimum, std::uint64_t maximum,
                std::uint64_t& out, DecodeContext& context) {
    return decode_any_key(name, minimum, maximum, out, context);
}

bool decode_path(json::View view, std::string& out, DecodeContext& context) {
    if (!decode_string(view, out, context)) return false;
    if (out.find('\0') == std::string::npos) return true;
    return context.fail("must not contain U+0000");
}

bool fail_equal_items(DecodeContext& context) {
    return context.fail("must not equal an item before it");
}

}  // namespace codec

bool reflect::detail::fail_unreadable(DecodeContext& context) {
    return context.fail("is of a type that can be written but not read");
}

}  // namespace lanyard
