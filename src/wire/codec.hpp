// Encodes and decodes params, results and notifications in every revision.
//
// Encoding omits members that the revision lacks. If that would change the meaning of the value,
// encoding fails instead; the error names the feature and the revision. Decoding ignores members
// that the revision lacks and refuses those that it forbids.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lanyard/error.hpp"
#include "lanyard/json/document.hpp"
#include "lanyard/json/raw_json.hpp"
#include "lanyard/json/writer.hpp"
#include "lanyard/protocol/base.hpp"
#include "lanyard/protocol/capabilities.hpp"
#include "lanyard/protocol/era.hpp"
#include "lanyard/protocol/logging.hpp"
#include "lanyard/result.hpp"

namespace lanyard::wire {

/// The revision in which a request is written, and the metadata that every request carries in
/// revision 2026-07-28.
struct RequestStamp {
    Version version = newest_legacy_version;
    RawJson client_capabilities{};  ///< written as {} if empty
    RawJson client_info{};          ///< omitted if empty
    std::optional<LoggingLevel> log_level{};
};

/// The revision in which a result is written, the server's identity, and, for the result of
/// subscriptions/listen, the id of the subscription that has ended.
struct ResultStamp {
    Version version = newest_legacy_version;
    RawJson server_info{};
    std::optional<RequestId> subscription_id{};
};

/// The revision in which a notification is written, and the id of its subscription, if any.
struct NotificationStamp {
    Version version = newest_legacy_version;
    std::optional<RequestId> subscription_id{};
};

/// Encodes the capabilities for RequestStamp in advance, because they are written with every
/// request.
RawJson encode_capabilities(ClientCapabilities const& capabilities, Version version);
/// Encodes the identity of a client for RequestStamp, or of a server for ResultStamp, in advance.
RawJson encode_implementation(Implementation const& implementation, Version version);

// T is any Params or Result type of methods.hpp. A result may also be an InputRequiredResult or a
// CreateTaskResult.

template <class T>
Result<void> encode_params(json::Writer& writer, T const& params, RequestStamp const& stamp);
template <class T>
Result<void> encode_result(json::Writer& writer, T const& result, ResultStamp const& stamp);
template <class T>
Result<void> encode_notification(json::Writer& writer, T const& params,
                                 NotificationStamp const& stamp);

/// Returns the encoded params. Throws Error if the revision cannot express them.
template <class T>
std::string params_text(T const& params, RequestStamp const& stamp) {
    std::string text;
    json::Writer writer(text);
    encode_params(writer, params, stamp).value();
    return text;
}

// If `skipped` is given, list entries that cannot be decoded are left out, and the errors of the
// first 20 of them are stored in `skipped`.

/// Absent params are read as {}.
template <class T>
Result<T, DecodeError> decode_params(std::optional<json::View> params, Version version,
                                     std::vector<DecodeError>* skipped = nullptr);
template <class T>
Result<T, DecodeError> decode_result(json::View result, Version version,
                                     std::vector<DecodeError>* skipped = nullptr);
template <class T>
Result<T, DecodeError> decode_notification(std::optional<json::View> params, Version version);

/// T is one of the types of error_data.hpp.
template <class T>
RawJson encode_error_data(T const& data, Version version);
template <class T>
Result<T, DecodeError> decode_error_data(json::View data, Version version);

}  // namespace lanyard::wire
