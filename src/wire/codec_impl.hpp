// Definitions of the templates in wire/codec.hpp. The files codec_*.cpp instantiate them, each for
// one subject.
#pragma once

#include "json/empty_object.hpp"
#include "wire/codec.hpp"
#include "wire/legacy.hpp"
#include "wire/tables/fields.hpp"

namespace lanyard::wire {

/// An EncodeContext with a stamp (see codec.hpp). The members of the stamp are written into the
/// `_meta` of the outermost struct only.
struct StampContext : EncodeContext {
    StampContext(Version version, void const* stamp,
                 void (*write)(json::Writer& writer, void const* stamp))
        : EncodeContext{version}, stamp(stamp), write(write) {}

    void const* stamp;
    void (*write)(json::Writer& writer, void const* stamp);
};

void write_request_stamp(json::Writer& writer, void const* stamp);
void write_result_stamp(json::Writer& writer, void const* stamp);
void write_notification_stamp(json::Writer& writer, void const* stamp);
void encode_stamped_meta(json::Writer& writer, void const* meta, EncodeContext const& context);

/// Returns the description of T, with a `_meta` that includes the stamp of the StampContext.
template <class T>
constexpr auto stamped_description() {
    auto table = reflect::description<T>;
    for (auto& item : table.fields) {
        if (item.name != "_meta") continue;
        item.type.encode = &encode_stamped_meta;
        item.absent = nullptr;
    }
    return table;
}

template <class T>
reflect::StructInfo const& stamped_info() {
    static constexpr auto table = stamped_description<T>();
    // Sets only those members of StructInfo that encoding uses.
    static constexpr reflect::StructInfo info{
        .name = {}, .title = {}, .doc = {}, .fields = table.fields, .rest = table.rest};
    return info;
}

template <class T>
Meta const* meta_of(T const& value) noexcept {
    if constexpr (requires { value.meta; }) {
        return &value.meta;
    } else {
        return nullptr;
    }
}

template <class... Ts>
Meta const* meta_of(std::variant<Ts...> const& value) noexcept {
    return std::visit([](auto const& held) { return meta_of(held); }, value);
}

template <class T>
Result<void> encode_framed(json::Writer& writer, T const& value, StampContext const& context,
                           bool stamped) {
    auto const version = *context.version;
    if (auto allowed = check_expressible(value, version); !allowed) return allowed;
    if (auto const* user = meta_of(value)) {
        if (auto allowed = check_meta(*user, version); !allowed) return allowed;
    }
    if constexpr (reflect::DescribedStruct<T>) {
        if (stamped) {
            codec::encode_struct(writer, &value, stamped_info<T>(), context);
            return {};
        }
    }
    Codec<T>::encode(writer, value, EncodeContext{version});
    return {};
}

template <class T>
Result<void> encode_params(json::Writer& writer, T const& params, RequestStamp const& stamp) {
    return encode_framed(writer, params, {stamp.version, &stamp, &write_request_stamp},
                         supports(Feature::request_metadata, stamp.version));
}

template <class T>
Result<void> encode_result(json::Writer& writer, T const& result, ResultStamp const& stamp) {
    return encode_framed(writer, result, {stamp.version, &stamp, &write_result_stamp},
                         supports(Feature::request_metadata, stamp.version) &&
                             (!stamp.server_info.empty() || stamp.subscription_id));
}

template <class T>
Result<void> encode_notification(json::Writer& writer, T const& params,
                                 NotificationStamp const& stamp) {
    return encode_framed(
        writer, params, {stamp.version, &stamp, &write_notification_stamp},
        supports(Feature::request_metadata, stamp.version) && stamp.subscription_id);
}

/// Checks the progress token. It is the only member of a request's `_meta` whose type every
/// revision defines.
Result<void, DecodeError> check_progress_token(Meta const& meta);

template <class T>
Result<T, DecodeError> decode_framed(json::View view, Version version,
                                     std::vector<DecodeError>* skipped) {
    Result<T, DecodeError> value;
    DecodeContext context(version, skipped);
    if (!Codec<T>::decode(view, *value, context)) value = Unexpected(context.take_error());
    return value;
}

template <class T>
Result<T, DecodeError> decode_params(std::optional<json::View> params, Version version,
                                     std::vector<DecodeError>* skipped) {
    auto value = decode_framed<T>(params ? *params : json::empty_object(), version, skipped);
    if (!value) return value;
    if (auto const* meta = meta_of(*value)) {
        if (auto valid = check_progress_token(*meta); !valid) {
            return Unexpected(std::move(valid).error());
        }
    }
    return value;
}

template <class T>
Result<T, DecodeError> decode_result(json::View result, Version version,
                                     std::vector<DecodeError>* skipped) {
    return decode_framed<T>(result, version, skipped);
}

template <class T>
Result<T, DecodeError> decode_notification(std::optional<json::View> params, Version version) {
    return decode<T>(params ? *params : json::empty_object(), version);
}

}  // namespace lanyard::wire

// Each macro instantiates the functions above for a type T: for the params of a request, for a
// result, or for the params of a notification.
#define LANYARD_WIRE_PARAMS(T)                                                            \
    template Result<void> encode_params<T>(json::Writer&, T const&, RequestStamp const&); \
    template Result<T, DecodeError> decode_params<T>(std::optional<json::View>, Version,  \
                                                     std::vector<DecodeError>*);
#define LANYARD_WIRE_RESULT(T)                                                           \
    template Result<void> encode_result<T>(json::Writer&, T const&, ResultStamp const&); \
    template Result<T, DecodeError> decode_result<T>(json::View, Version,                \
                                                     std::vector<DecodeError>*);
#define LANYARD_WIRE_NOTIFICATION(T)                                        \
    template Result<void> encode_notification<T>(json::Writer&, T const&,   \
                                                 NotificationStamp const&); \
    template Result<T, DecodeError> decode_notification<T>(std::optional<json::View>, Version);
