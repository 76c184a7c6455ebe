#include "server/catalog/mirrored_headers.hpp"

#include "base/ascii.hpp"
#include "lanyard/protocol/features.hpp"

namespace lanyard::server {

namespace {

std::optional<std::string_view> find_param_header(std::span<RequestHeader const> headers,
                                                  std::string_view name) {
    auto const prefix = wire::param_header_prefix;
    for (auto const& header : headers) {
        std::string_view const found = header.name;
        if (found.size() == prefix.size() + name.size() &&
            ascii::equals_ignoring_case(found.substr(0, prefix.size()), prefix) &&
            ascii::equals_ignoring_case(found.substr(prefix.size()), name)) {
            return header.value;
        }
    }
    return std::nullopt;
}

}  // namespace

bool has_mirrored_headers(PeerInfo const& sender, Version version) noexcept {
    return sender.headers_of_request && supports(Feature::request_metadata, version);
}

std::optional<std::string> mirrored_mismatch(std::span<wire::ParamHeader const> wanted,
                                             std::optional<json::View> arguments,
                                             std::span<RequestHeader const> found) {
    for (auto const& header : wanted) {
        auto const checked =
            wire::check_param_header(header, arguments, find_param_header(found, header.name));
        if (!checked) return checked.error().to_string();
    }
    return std::nullopt;
}

}  // namespace lanyard::server
