// Encoding of the parameters of notifications.
#pragma once

#include <optional>
#include <string>

#include "lanyard/json/writer.hpp"
#include "wire/codec.hpp"

namespace lanyard::server {

/// Encodes the parameters for the stamp's revision; nullopt if the revision cannot express them.
template <class Params>
std::optional<std::string> notification_params(Params const& params,
                                               wire::NotificationStamp const& stamp) {
    std::string text;
    json::Writer writer(text);
    if (!wire::encode_notification(writer, params, stamp)) return std::nullopt;
    return text;
}

}  // namespace lanyard::server
