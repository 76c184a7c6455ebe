// The text of notifications.
#pragma once

#include <optional>
#include <string>

#include "lanyard/json/writer.hpp"
#include "wire/codec.hpp"

namespace lanyard::server {

/// The parameters as the stamp's revision writes them; nothing where they cannot be said in it.
template <class Params>
std::optional<std::string> notification_params(Params const& params,
                                               wire::NotificationStamp const& stamp) {
    std::string text;
    json::Writer writer(text);
    if (!wire::encode_notification(writer, params, stamp)) return std::nullopt;
    return text;
}

}  // namespace lanyard::server
