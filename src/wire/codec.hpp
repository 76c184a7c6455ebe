// The two wire codecs behind one interface: params, results and notifications of every revision.
//
// Encoding is refused, with an error that names the feature and the revision, where the revision
// cannot say what the value means; whatever else a revision lacks is left out. Decoding ignores
// what a revision lacks and refuses what it forbids.
#pragma once

#include <optional>
#include <vector>

#include <lanyard/error.hpp>
#include <lanyard/json/document.hpp>
#include <lanyard/json/raw_json.hpp>
#include <lanyard/json/writer.hpp>
#include <lanyard/protocol/base.hpp>
#include <lanyard/protocol/capabilities.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/protocol/logging.hpp>
#include <lanyard/result.hpp>

namespace lanyard::wire {

/// The revision a request is written in, and what 2026-07-28 puts on every request.
struct RequestStamp {
    Version version = newest_legacy_version;
    RawJson client_capabilities{};  ///< empty is written as {}
    RawJson client_info{};          ///< left out where empty
    std::optional<LoggingLevel> log_level{};
};

/// The same for results: who answers, and on the result of subscriptions/listen which
/// subscription ends.
struct ResultStamp {
    Version version = newest_legacy_version;
    RawJson server_info{};
    std::optional<RequestId> subscription_id{};
};

/// The same for notifications on the stream of a subscription.
struct NotificationStamp {
    Version version = newest_legacy_version;
    std::optional<RequestId> subscription_id{};
};

/// Capabilities and identities as stamps carry them: encoded once, written often.
RawJson encode_capabilities(ClientCapabilities const& capabilities, Version version);
RawJson encode_implementation(Implementation const& implementation, Version version);

// T is any Params or Result of methods.hpp; results also InputRequiredResult and CreateTaskResult.

template <class T>
Result<void> encode_params(json::Writer& writer, T const& params, RequestStamp const& stamp);
template <class T>
Result<void> encode_result(json::Writer& writer, T const& result, ResultStamp const& stamp);
template <class T>
Result<void> encode_notification(json::Writer& writer, T const& params,
                                 NotificationStamp const& stamp);

/// {}, for what is absent.
json::View empty_object();

// With `skipped`, entries of a list that cannot be read are left out and noted there, the first 20
// of them.

/// Absent params are read as {}.
template <class T>
Result<T, DecodeError> decode_params(std::optional<json::View> params, Version version,
                                     std::vector<DecodeError>* skipped = nullptr);
template <class T>
Result<T, DecodeError> decode_result(json::View result, Version version,
                                     std::vector<DecodeError>* skipped = nullptr);
template <class T>
Result<T, DecodeError> decode_notification(std::optional<json::View> params, Version version);

/// T is one of error_data.hpp.
template <class T>
RawJson encode_error_data(T const& data, Version version);
template <class T>
Result<T, DecodeError> decode_error_data(json::View data, Version version);

}  // namespace lanyard::wire
