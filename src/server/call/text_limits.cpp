#include "server/call/text_limits.hpp"

#include <utility>

namespace lanyard::server {

namespace {

// The maximum length of a name, title or version.
constexpr std::size_t max_name_bytes = 1024;

std::string not_longer_than(std::size_t bytes) {
    return "must not be longer than " + std::to_string(bytes) + " bytes";
}

std::size_t size_of(std::optional<json::View> const& value) {
    return value ? value->raw().size() : 0;
}

std::optional<DecodeError> find_fault(ClientText const& text, Implementation& info,
                                      std::size_t most) {
    auto info_bytes = size_of(text.info);
    if (info_bytes > most) {
        info_bytes -= size_of(text.info->find("icons"));
        info.icons.clear();
    }
    for (auto const& [name, value] :
         {std::pair("/name", &info.name), std::pair("/title", &info.title),
          std::pair("/version", &info.version)}) {
        if (value->size() > max_name_bytes) {
            return DecodeError{text.info_pointer + name, not_longer_than(max_name_bytes)};
        }
    }
    if (info_bytes > most) return DecodeError{text.info_pointer, not_longer_than(most)};
    if (size_of(text.capabilities) > most) {
        return DecodeError{text.capabilities_pointer, not_longer_than(most)};
    }
    return std::nullopt;
}

}  // namespace

std::optional<wire::WireError> check_uri_length(ServerCore& core, std::string_view uri,
                                                std::string pointer, Version version) {
    auto const most = core.options().max_uri_bytes();
    if (uri.size() <= most) return std::nullopt;
    core.limits().add(&LimitCounts::too_long);
    return wire::translate(DecodeError{std::move(pointer), not_longer_than(most)}, version);
}

std::optional<DecodeError> limit_client(ServerCore& core, ClientText const& text,
                                        Implementation& info) {
    auto fault = find_fault(text, info, core.options().max_client_info_bytes());
    if (fault) core.limits().add(&LimitCounts::too_long);
    return fault;
}

}  // namespace lanyard::server
