#include "wire/modern.hpp"

#include "base/utf8.hpp"
#include "wire/registry.hpp"
#include "wire/tables/base.hpp"
#include "wire/tables/capabilities.hpp"

namespace lanyard::reflect {

using wire::RequestEnvelope;

/// The members of a request's `_meta` that belong to the envelope.
template <>
inline constexpr auto description<RequestEnvelope> = describe<RequestEnvelope>(
    "_meta", field<&RequestEnvelope::protocol_version>(meta_key::protocol_version),
    field<&RequestEnvelope::client_capabilities>(meta_key::client_capabilities),
    field<&RequestEnvelope::client_info>(meta_key::client_info),
    field<&RequestEnvelope::log_level>(meta_key::log_level));

}  // namespace lanyard::reflect

namespace lanyard::wire {
namespace {

std::optional<json::View> meta_member(std::optional<json::View> object, std::string_view key) {
    if (!object) return std::nullopt;
    auto const meta = object->find("_meta");
    return meta ? meta->find(key) : std::nullopt;
}

template <class T>
std::optional<T> read_leniently(std::optional<json::View> view) {
    if (!view) return std::nullopt;
    auto value = decode<T>(*view, newest_version);
    if (!value) return std::nullopt;
    return *std::move(value);
}

}  // namespace

Result<RequestEnvelope, DecodeError> read_request_envelope(std::optional<json::View> params) {
    auto const meta = params ? params->find("_meta") : std::nullopt;
    if (!meta) return Unexpected(DecodeError{"", "missing required property \"_meta\""});
    Result<RequestEnvelope, DecodeError> envelope;
    DecodeContext context(newest_version);
    DecodeContext::Step const step(context, "_meta");
    if (!Codec<RequestEnvelope>::decode(*meta, *envelope, context)) {
        envelope = Unexpected(context.take_error());
    }
    return envelope;
}

std::optional<Implementation> read_server_info(json::View result) {
    return read_leniently<Implementation>(meta_member(result, meta_key::server_info));
}

std::optional<RequestId> read_subscription_id(std::optional<json::View> params_or_result) {
    return read_leniently<RequestId>(meta_member(params_or_result, meta_key::subscription_id));
}

Result<ResultKind, DecodeError> result_kind(json::View result, MethodInfo const& method,
                                            bool tasks_extension) {
    auto const type = result.find("resultType");
    if (!type || type->is_null() || type->equals("complete")) return ResultKind::complete;
    bool const can_be_task = tasks_extension && method.name == methods::CallTool::info.name;
    if (type->equals("task") && can_be_task) return ResultKind::task;
    if (type->equals("input_required") && allows_input_required(method)) {
        return ResultKind::input_required;
    }
    return Unexpected(DecodeError{"/resultType", std::string(method.name) +
                                                     " cannot have a result of type " +
                                                     std::string(utf8_prefix(type->raw(), 64))});
}

}  // namespace lanyard::wire
