// Codecs of embedded requests, their answers, and tasks.
#include <array>

#include "lanyard/protocol/methods.hpp"
#include "wire/tables/input_required.hpp"
#include "wire/tables/tasks.hpp"

namespace lanyard {
namespace {

// The methods of embedded requests, in the order of the alternatives of InputRequest.
constexpr std::array<std::string_view, 3> embedded_methods{
    methods::Elicit::info.name, methods::CreateMessage::info.name, methods::ListRoots::info.name};

template <std::size_t I>
bool decode_embedded(json::View view, InputRequest& out, DecodeContext& context) {
    using Params = std::variant_alternative_t<I, InputRequest>;
    auto& params = out.emplace<I>();
    auto const member = view.find("params");
    if (!member) {
        return I == 2 || context.fail("missing required property \"params\"");
    }
    DecodeContext::Step const step(context, "params");
    return Codec<Params>::decode(*member, params, context);
}

template <class T>
bool decode_response(json::View view, InputResponse& out, DecodeContext& context) {
    return Codec<T>::decode(view, out.emplace<T>(), context);
}

bool check_error_object(RawJson const& error, json::View view, DecodeContext& context) {
    if (error.empty()) return context.fail("missing required property \"error\"");
    auto const object = view.find("error");
    auto const code = object->find("code");
    auto const message = object->find("message");
    if (code && code->as_int64() && message && message->is_string()) return true;
    DecodeContext::Step const step(context, "error");
    return context.fail("must have an integer \"code\" and a string \"message\"");
}

// Checks that a task has the members that the tasks extension requires for its status.
template <class T>
bool check_status(T const& value, json::View view, DecodeContext& context) {
    if (!supports(Feature::tasks_extension, context.version().value_or(newest_version))) {
        return true;
    }
    switch (value.task.status) {
        case TaskStatus::input_required:
            return !value.input_requests.empty() ||
                   context.fail("missing required property \"inputRequests\"");
        case TaskStatus::completed:
            return !value.result.empty() || context.fail("missing required property \"result\"");
        case TaskStatus::failed:
            return check_error_object(value.error, view, context);
        default:
            return true;
    }
}

template <class T>
bool decode_detailed_task(json::View view, T& out, DecodeContext& context) {
    return codec::decode_struct(view, &out, *reflect::struct_info<T>(), context) &&
           check_status(out, view, context);
}

}  // namespace

void Codec<InputRequest>::encode(json::Writer& writer, InputRequest const& value,
                                 EncodeContext const& context) {
    writer.begin_object().key("method").string(embedded_methods[value.index()]);
    // Params are written even if they are empty, because the Go SDK cannot read a request without
    // them.
    writer.key("params");
    std::visit(
        [&](auto const& params) {
            Codec<std::remove_cvref_t<decltype(params)>>::encode(writer, params, context);
        },
        value);
    writer.end_object();
}

bool Codec<InputRequest>::decode(json::View view, InputRequest& out, DecodeContext& context) {
    if (!view.is_object()) return context.fail_expected("an object", view);
    auto const method = view.find("method");
    if (!method) return context.fail("missing required property \"method\"");
    if (method->equals(embedded_methods[0])) return decode_embedded<0>(view, out, context);
    if (method->equals(embedded_methods[1])) return decode_embedded<1>(view, out, context);
    if (method->equals(embedded_methods[2])) return decode_embedded<2>(view, out, context);
    DecodeContext::Step const step(context, "method");
    return context.fail("must be one of \"", embedded_methods[0], "\", \"", embedded_methods[1],
                        "\", \"", embedded_methods[2], "\"");
}

void Codec<InputResponse>::encode(json::Writer& writer, InputResponse const& value,
                                  EncodeContext const& context) {
    std::visit(
        [&](auto const& result) {
            Codec<std::remove_cvref_t<decltype(result)>>::encode(writer, result, context);
        },
        value);
}

bool Codec<InputResponse>::decode(json::View view, InputResponse& out, DecodeContext& context) {
    if (view.find("action")) return decode_response<ElicitResult>(view, out, context);
    if (view.find("model")) return decode_response<CreateMessageResult>(view, out, context);
    if (view.find("roots")) return decode_response<ListRootsResult>(view, out, context);
    return context.fail("must be the result of ", embedded_methods[0], ", ", embedded_methods[1],
                        " or ", embedded_methods[2]);
}

void Codec<GetTaskResult>::encode(json::Writer& writer, GetTaskResult const& value,
                                  EncodeContext const& context) {
    codec::encode_struct(writer, &value, *reflect::struct_info<GetTaskResult>(), context);
}

bool Codec<GetTaskResult>::decode(json::View view, GetTaskResult& out, DecodeContext& context) {
    return decode_detailed_task(view, out, context);
}

void Codec<TaskStatusParams>::encode(json::Writer& writer, TaskStatusParams const& value,
                                     EncodeContext const& context) {
    codec::encode_struct(writer, &value, *reflect::struct_info<TaskStatusParams>(), context);
}

bool Codec<TaskStatusParams>::decode(json::View view, TaskStatusParams& out,
                                     DecodeContext& context) {
    return decode_detailed_task(view, out, context);
}

void Codec<GetTaskPayloadResult>::encode(json::Writer& writer, GetTaskPayloadResult const& value,
                                         EncodeContext const& context) {
    wire::detail::encode_raw_object(writer, &value.result, context);
}

bool Codec<GetTaskPayloadResult>::decode(json::View view, GetTaskPayloadResult& out,
                                         DecodeContext& context) {
    return wire::detail::decode_raw_object(view, &out.result, context);
}

}  // namespace lanyard
