#include "lanyard/rpc/message.hpp"

#include "jsonrpc/envelope.hpp"
#include "jsonrpc/message_writer.hpp"

namespace lanyard::rpc {

namespace {

RawJson copy_of(std::optional<json::View> const& value) {
    if (!value) return {};
    return RawJson::trusted(std::string(value->raw()));
}

ErrorResponse to_error_response(Envelope const& envelope) {
    ErrorResponse response;
    response.message = "the peer gave no reason";
    if (envelope.id) response.id = to_id(*envelope.id);
    for (auto const [key, value] : envelope.error->members()) {
        if (key.equals("code")) {
            // The reader has checked that the code is an integer, possibly written as a real
            // number.
            auto const integer = value.as_int64();
            response.code = integer ? *integer : static_cast<std::int64_t>(*value.as_double());
        } else if (key.equals("message") && value.is_string()) {
            response.message.clear();
            value.append_string_to(response.message);
        } else if (key.equals("data")) {
            response.data = copy_of(value);
        }
    }
    return response;
}

}  // namespace

std::optional<RequestId> to_id(json::View value) {
    if (auto const number = value.as_int64()) return RequestId(*number);
    if (auto text = value.as_string()) return RequestId(*std::move(text));
    return std::nullopt;
}

Message to_message(Envelope const& envelope) {
    auto id = [&] { return *to_id(*envelope.id); };
    if (envelope.kind == MessageKind::request) {
        return Request{id(), std::string(envelope.method), copy_of(envelope.params)};
    }
    if (envelope.kind == MessageKind::notification) {
        return Notification{std::string(envelope.method), copy_of(envelope.params)};
    }
    if (envelope.kind == MessageKind::result) return Response{id(), copy_of(envelope.result)};
    return to_error_response(envelope);
}

Result<Message, Malformed> parse_message(std::string_view text, json::ParseOptions const& options) {
    EnvelopeReader reader;
    auto envelope = reader.read(text, ReadOptions{options});
    if (!envelope) return Unexpected(std::move(envelope).error());
    return to_message(*envelope);
}

std::string serialize(Message const& message, MissingId missing_id) {
    std::string out;
    append_message(out, message, missing_id);
    return out;
}

}  // namespace lanyard::rpc
