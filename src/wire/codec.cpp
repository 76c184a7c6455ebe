// The parts that all instantiations of the codec share: writing the stamps (see codec.hpp), and
// checking `_meta`.
#include "lanyard/protocol/methods.hpp"
#include "wire/codec_impl.hpp"
#include "wire/errors.hpp"
#include "wire/tables/base.hpp"
#include "wire/tables/capabilities.hpp"
#include "wire/tables/error_data.hpp"

namespace lanyard::wire {
namespace {

void write_subscription_id(json::Writer& writer, std::optional<RequestId> const& id) {
    if (!id) return;
    writer.key(meta_key::subscription_id);
    Codec<RequestId>::encode(writer, *id, {});
}

}  // namespace

void write_request_stamp(json::Writer& writer, void const* stamp) {
    auto const& request = *static_cast<RequestStamp const*>(stamp);
    writer.key(meta_key::protocol_version).string(to_string(request.version));
    writer.key(meta_key::client_capabilities);
    detail::encode_raw_object(writer, &request.client_capabilities, {});
    if (!request.client_info.empty()) {
        writer.key(meta_key::client_info).raw(request.client_info.text());
    }
    if (request.log_level) writer.key(meta_key::log_level).string(to_string(*request.log_level));
}

void write_result_stamp(json::Writer& writer, void const* stamp) {
    auto const& result = *static_cast<ResultStamp const*>(stamp);
    if (!result.server_info.empty()) {
        writer.key(meta_key::server_info).raw(result.server_info.text());
    }
    write_subscription_id(writer, result.subscription_id);
}

void write_notification_stamp(json::Writer& writer, void const* stamp) {
    write_subscription_id(writer, static_cast<NotificationStamp const*>(stamp)->subscription_id);
}

void encode_stamped_meta(json::Writer& writer, void const* meta, EncodeContext const& context) {
    auto const& stamped = static_cast<StampContext const&>(context);
    writer.begin_object();
    stamped.write(writer, stamped.stamp);
    for (auto const& member : static_cast<Meta const*>(meta)->members()) {
        writer.key(member.key()).value(member.value());
    }
    writer.end_object();
}

Result<void, DecodeError> check_progress_token(Meta const& meta) {
    if (!meta.members().contains(meta_key::progress_token) || meta.progress_token()) return {};
    return Unexpected(DecodeError{"/_meta/progressToken", "must be a string or an integer"});
}

RawJson encode_capabilities(ClientCapabilities const& capabilities, Version version) {
    return to_raw_json(capabilities, {version});
}

RawJson encode_implementation(Implementation const& implementation, Version version) {
    return to_raw_json(implementation, {version});
}

template <class T>
RawJson encode_error_data(T const& data, Version version) {
    return to_raw_json(data, {version});
}

template <class T>
Result<T, DecodeError> decode_error_data(json::View data, Version version) {
    return decode<T>(data, version);
}

#define LANYARD_WIRE_ERROR_DATA(T)                            \
    template RawJson encode_error_data<T>(T const&, Version); \
    template Result<T, DecodeError> decode_error_data<T>(json::View, Version);

LANYARD_WIRE_ERROR_DATA(UnsupportedProtocolVersion)
LANYARD_WIRE_ERROR_DATA(MissingRequiredClientCapability)
LANYARD_WIRE_ERROR_DATA(UrlElicitationRequired)

}  // namespace lanyard::wire

namespace lanyard {

std::optional<UrlElicitationRequired> url_elicitation_required(Error const& error) {
    if (error.peer_code() != wire::code::url_elicitation_required) return std::nullopt;
    json::Document document;
    auto const data = document.parse(error.data());
    if (!data) return std::nullopt;
    auto required = wire::decode_error_data<UrlElicitationRequired>(
        *data, methods::ElicitationComplete::info.until);
    if (!required) return std::nullopt;
    return *std::move(required);
}

}  // namespace lanyard
