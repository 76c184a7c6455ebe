#include "rpc/envelope.hpp"

#include <utility>

namespace lanyard::rpc {

/// The members of a message that JSON-RPC knows; all others are ignored.
struct Parts {
    std::optional<json::View> jsonrpc;
    std::optional<json::View> id;
    std::optional<json::View> method;
    std::optional<json::View> params;
    std::optional<json::View> result;
    std::optional<json::View> error;
    bool id_repeated = false;

    bool is_answer() const noexcept { return result || error; }
};

namespace {

Parts parts_of(json::View message) {
    Parts parts;
    for (auto const [key, value] : message.members()) {
        if (key.equals("jsonrpc")) {
            parts.jsonrpc = value;
        } else if (key.equals("id")) {
            parts.id_repeated = parts.id.has_value();
            parts.id = value;
        } else if (key.equals("method")) {
            parts.method = value;
        } else if (key.equals("params")) {
            parts.params = value;
        } else if (key.equals("result")) {
            parts.result = value;
        } else if (key.equals("error")) {
            parts.error = value;
        }
    }
    return parts;
}

Intent intent_of(Parts const& parts) {
    if (parts.method) {
        // Half request, half answer: whoever sent it, its id must not be taken for one of theirs.
        if (parts.is_answer()) return Intent::unknown;
        if (parts.id) return Intent::request;
        return parts.method->is_string() ? Intent::notification : Intent::unknown;
    }
    return parts.is_answer() ? Intent::response : Intent::unknown;
}

bool is_id(json::View value) noexcept {
    return value.kind() == json::Kind::integer || value.is_string();
}

Malformed not_message(Parts const& parts, std::string message) {
    Malformed failure{Malformed::Reason::not_message, std::move(message), intent_of(parts)};
    bool const ambiguous = parts.id_repeated || (parts.method && parts.is_answer());
    if (parts.id && !ambiguous) failure.id = to_id(*parts.id);
    return failure;
}

Malformed not_message(std::string message) {
    return {Malformed::Reason::not_message, std::move(message)};
}

std::string found(std::string_view rule, json::View value) {
    std::string text(rule);
    text.append(", found ").append(json::describe(value.kind()));
    if (value.kind() == json::Kind::unsigned_integer) text.append(" above 9223372036854775807");
    text.append(" at byte ").append(std::to_string(value.offset()));
    return text;
}

/// What is wrong with an `error` member, or nothing.
std::string error_defect(json::View error) {
    if (!error.is_object()) return found("error must be an object", error);
    auto const code = error.find("code");
    if (!code) return "error has no code";
    if (code->kind() != json::Kind::integer) {
        return found("error.code must be a 64-bit integer", *code);
    }
    auto const message = error.find("message");
    if (!message) return "error has no message";
    if (!message->is_string()) return found("error.message must be a string", *message);
    return {};
}

EnvelopeReader::Item read_answer(json::View message, Parts const& parts) {
    auto refuse = [&](std::string text) { return Unexpected(not_message(parts, std::move(text))); };
    if (parts.result && parts.error) return refuse("a response has both result and error");

    Envelope envelope{MessageKind::result, message};
    if (parts.id && is_id(*parts.id)) {
        envelope.id = parts.id;
    } else if (parts.id && !(parts.error && parts.id->is_null())) {
        return refuse(found("id must be a string or a 64-bit integer", *parts.id));
    } else if (parts.result) {
        return refuse("a result has no id");
    }

    if (parts.result) {
        if (!parts.result->is_object()) {
            return refuse(found("result must be an object", *parts.result));
        }
        envelope.result = parts.result;
        return envelope;
    }
    if (auto defect = error_defect(*parts.error); !defect.empty()) return refuse(std::move(defect));
    envelope.kind = MessageKind::error;
    envelope.error = parts.error;
    return envelope;
}

}  // namespace

std::string_view EnvelopeReader::characters(json::View string) {
    if (auto const plain = string.plain_string()) return *plain;
    string.append_string_to(decoded_.emplace_back());
    return decoded_.back();
}

EnvelopeReader::Item EnvelopeReader::read_call(json::View message, Parts const& parts) {
    auto refuse = [&](std::string text) { return Unexpected(not_message(parts, std::move(text))); };
    if (!parts.method->is_string()) return refuse(found("method must be a string", *parts.method));
    if (parts.params && !parts.params->is_object()) {
        return refuse(found("params must be an object", *parts.params));
    }
    if (parts.id && !is_id(*parts.id)) {
        return refuse(found("id must be a string or a 64-bit integer", *parts.id));
    }
    Envelope envelope{parts.id ? MessageKind::request : MessageKind::notification, message};
    envelope.id = parts.id;
    envelope.method = characters(*parts.method);
    envelope.params = parts.params;
    return envelope;
}

EnvelopeReader::Item EnvelopeReader::read_message(json::View message) {
    if (!message.is_object()) {
        return Unexpected(not_message(found("a message must be an object", message)));
    }
    auto const parts = parts_of(message);
    auto refuse = [&](std::string text) { return Unexpected(not_message(parts, std::move(text))); };
    if (!parts.jsonrpc) return refuse("jsonrpc is missing; it must be \"2.0\"");
    if (!parts.jsonrpc->equals("2.0")) {
        return refuse("jsonrpc must be \"2.0\" at byte " + std::to_string(parts.jsonrpc->offset()));
    }
    if (parts.method && parts.is_answer()) {
        return refuse("a message has both method and " +
                      std::string(parts.result ? "result" : "error"));
    }
    if (parts.method) return read_call(message, parts);
    if (parts.is_answer()) return read_answer(message, parts);
    return refuse("a message needs method, result or error");
}

EnvelopeReader::Item EnvelopeReader::read_batch(json::View array, ReadOptions const& options) {
    if (!options.batches) {
        return Unexpected(not_message("batches exist only in protocol version 2025-03-26"));
    }
    if (array.size() == 0) return Unexpected(not_message("a batch must not be empty"));
    if (array.size() > options.max_batch) {
        return Unexpected(not_message("a batch holds at most " + std::to_string(options.max_batch) +
                                      " messages, got " + std::to_string(array.size())));
    }
    for (auto const element : array.elements()) {
        auto item = read_message(element);
        if (item && item->method == "initialize") {
            batch_.clear();
            return Unexpected(not_message("initialize must not be part of a batch"));
        }
        batch_.push_back(std::move(item));
    }
    return Envelope{MessageKind::batch, array};
}

Malformed EnvelopeReader::refuse_text(std::string_view text, json::ParseError const& error,
                                      json::ParseOptions options) {
    auto message = error.to_string();
    if (error.code == json::ParseErrc::too_large) {
        return {Malformed::Reason::too_large, std::move(message)};
    }
    if (error.code != json::ParseErrc::duplicate_key) {
        return {Malformed::Reason::not_json, std::move(message)};
    }
    // The text is JSON all the same; a second look finds out whom to answer.
    options.unique_keys = false;
    auto const root = document_.parse(text, options);
    if (!root || !root->is_object()) return not_message(std::move(message));
    return not_message(parts_of(*root), std::move(message));
}

EnvelopeReader::Item EnvelopeReader::read(std::string_view text, ReadOptions const& options) {
    batch_.clear();
    if (!decoded_.empty()) decoded_.clear();
    auto const root = document_.parse(text, options.json);
    if (!root) return Unexpected(refuse_text(text, root.error(), options.json));
    return root->is_array() ? read_batch(*root, options) : read_message(*root);
}

void EnvelopeReader::shrink() noexcept {
    document_.shrink();
    decoded_ = {};
    batch_ = {};
}

}  // namespace lanyard::rpc
