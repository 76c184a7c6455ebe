// Request data in headers: every value survives encoding, invalid values are refused in both
// directions, and the header that a client writes for its arguments is the one that a server
// accepts. The input is a header's value, a line end, and {"schema": ..., "arguments": ...}.
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.hpp"
#include "wire/mcp_headers.hpp"

using namespace lanyard;

namespace {

void check_value(std::string_view bytes) {
    auto const encoded = wire::encode_header_value(bytes);
    for (char const c : encoded) fuzz::require(c >= ' ' && c <= '~', "a header is not printable");
    fuzz::require(encoded.empty() || (encoded.front() != ' ' && encoded.back() != ' '),
                  "a header begins or ends with a blank");
    auto const back = wire::decode_header_value(encoded);
    fuzz::require(back && *back == bytes, "a value does not survive");
    if (auto const decoded = wire::decode_header_value(bytes)) {
        auto const again = wire::decode_header_value(wire::encode_header_value(*decoded));
        fuzz::require(again && *again == *decoded, "a decoded value does not survive");
    }
}

void check_tool(std::string_view text) {
    json::Document document;
    auto const input = document.parse(text);
    if (!input) return;
    auto const schema = input->find("schema");
    if (!schema) return;
    auto const headers = wire::param_headers(*schema);
    if (!headers) return;
    auto const arguments = input->find("arguments");
    for (auto const& header : *headers) {
        auto const value = wire::param_header_value(header, arguments);
        if (!value) continue;
        fuzz::require(wire::check_param_header(header, arguments, *value).has_value(),
                      "the header of a client is refused");
        fuzz::require(!wire::check_param_header(header, arguments, *value + "x"),
                      "another header is taken");
        fuzz::require(!wire::check_param_header(header, arguments, std::nullopt),
                      "a missing header is taken");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const input(reinterpret_cast<char const*>(data), size);
    auto const line = input.find('\n');
    check_value(input.substr(0, line));
    if (line != input.npos) check_tool(input.substr(line + 1));
    return 0;
}
