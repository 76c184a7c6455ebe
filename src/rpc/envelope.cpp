#include "rpc/envelope.hpp"

#include <utility>

namespace lanyard::rpc {

namespace {

/// The members of a message before any rule has been applied; those that an envelope keeps are in
/// the envelope.
struct Members {
    Envelope& envelope;
    std::optional<json::View> jsonrpc = std::nullopt;
    std::optional<json::View> method = std::nullopt;
    bool id_repeated = false;

    bool is_answer() const noexcept { return envelope.result || envelope.error; }
};

/// Where a member that JSON-RPC knows belongs; null for all others, which are ignored.
std::optional<json::View>* place_of(std::string_view name, Members& members) {
    auto& envelope = members.envelope;
    switch (name.size()) {
        case 2:
            if (name == "id") return &envelope.id;
            break;
        case 5:
            if (name == "error") return &envelope.error;
            break;
        case 6:
            if (name == "method") return &members.method;
            if (name == "params") return &envelope.params;
            if (name == "result") return &envelope.result;
            break;
        case 7:
            if (name == "jsonrpc") return &members.jsonrpc;
            break;
        default:
            break;
    }
    return nullptr;
}

/// Sorts the members. Each view is written once, to its final place: copying it at once would stall
/// on the narrow writes. For the same reason the value is a variable of its own.
Members members_of(Envelope& envelope) {
    Members members{envelope};
    std::string decoded;
    for (auto const member : envelope.whole.members()) {
        auto const key = member.key;
        auto const value = member.value;
        auto const plain = key.plain_string();
        if (!plain) decoded = *key.as_string();
        auto* const place = place_of(plain ? *plain : std::string_view(decoded), members);
        if (place == nullptr) continue;
        if (place == &envelope.id) members.id_repeated = envelope.id.has_value();
        *place = value;
    }
    return members;
}

Intent intent_of(Members const& members) {
    if (members.method) {
        // Half request, half answer: whoever sent it, its id must not be taken for one of theirs.
        if (members.is_answer()) return Intent::unknown;
        if (members.envelope.id) return Intent::request;
        return members.method->is_string() ? Intent::notification : Intent::unknown;
    }
    return members.is_answer() ? Intent::response : Intent::unknown;
}

Malformed not_message(std::string message) {
    return {Malformed::Reason::not_message, std::move(message)};
}

Malformed not_message(Members const& members, std::string message) {
    Malformed failure{Malformed::Reason::not_message, std::move(message), intent_of(members)};
    bool const ambiguous = members.id_repeated || (members.method && members.is_answer());
    auto const& id = members.envelope.id;
    if (id && !ambiguous) failure.id = to_id(*id);
    return failure;
}

std::string found(std::string_view rule, json::View value) {
    std::string text(rule);
    text.append(", found ").append(json::describe(value.kind()));
    if (value.kind() == json::Kind::unsigned_integer) text.append(" above 9223372036854775807");
    text.append(" at byte ").append(std::to_string(value.offset()));
    return text;
}

bool is_id(json::View value) noexcept {
    return value.kind() == json::Kind::integer || value.is_string();
}

std::string bad_id(json::View id) {
    return found("id must be a string or a 64-bit integer", id);
}

// The functions below apply the rules; they return what is wrong, or nothing.

std::string check_call(Members const& members) {
    auto const& envelope = members.envelope;
    if (!members.method->is_string()) return found("method must be a string", *members.method);
    if (envelope.params && !envelope.params->is_object()) {
        return found("params must be an object", *envelope.params);
    }
    if (envelope.id && !is_id(*envelope.id)) return bad_id(*envelope.id);
    return {};
}

std::string check_result(Envelope const& envelope) {
    if (!envelope.id) return "a result has no id";
    if (!is_id(*envelope.id)) return bad_id(*envelope.id);
    if (!envelope.result->is_object()) return found("result must be an object", *envelope.result);
    return {};
}

std::string check_error(Envelope& envelope) {
    if (envelope.id && envelope.id->is_null()) envelope.id.reset();
    if (envelope.id && !is_id(*envelope.id)) return bad_id(*envelope.id);
    if (!envelope.error->is_object()) return found("error must be an object", *envelope.error);
    auto const code = envelope.error->find("code");
    if (!code) return "error has no code";
    if (code->kind() != json::Kind::integer) {
        return found("error.code must be a 64-bit integer", *code);
    }
    auto const message = envelope.error->find("message");
    if (!message) return "error has no message";
    if (!message->is_string()) return found("error.message must be a string", *message);
    return {};
}

/// Also sets the kind.
std::string check(Members const& members) {
    auto& envelope = members.envelope;
    if (!members.jsonrpc) return "jsonrpc is missing; it must be \"2.0\"";
    if (!members.jsonrpc->equals("2.0")) {
        return "jsonrpc must be \"2.0\" at byte " + std::to_string(members.jsonrpc->offset());
    }
    if (members.method) {
        if (envelope.result) return "a message has both method and result";
        if (envelope.error) return "a message has both method and error";
        if (envelope.id) envelope.kind = MessageKind::request;
        return check_call(members);
    }
    if (envelope.result) {
        if (envelope.error) return "a response has both result and error";
        envelope.kind = MessageKind::result;
        return check_result(envelope);
    }
    if (envelope.error) {
        envelope.kind = MessageKind::error;
        return check_error(envelope);
    }
    return "a message needs method, result or error";
}

Malformed refuse(json::Document& document, std::string_view text, json::ParseError const& error,
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
    auto const root = document.parse(text, options);
    if (!root) return not_message(std::move(message));
    Envelope envelope(*root);
    return not_message(members_of(envelope), std::move(message));
}

}  // namespace

std::string_view EnvelopeReader::characters(json::View string) {
    if (auto const plain = string.plain_string()) return *plain;
    string.append_string_to(decoded_.emplace_back());
    return decoded_.back();
}

EnvelopeReader::Item EnvelopeReader::read_message(json::View message) {
    Item item(message);
    if (!message.is_object()) {
        item = Unexpected(not_message(found("a message must be an object", message)));
        return item;
    }
    auto const members = members_of(*item);
    if (auto defect = check(members); !defect.empty()) {
        item = Unexpected(not_message(members, std::move(defect)));
    } else if (members.method) {
        item->method = characters(*members.method);
        if (item->params) item->meta = item->params->find("_meta");
    }
    return item;
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
        auto const& item = batch_.emplace_back(read_message(element));
        if (item && item->method == "initialize") {
            batch_.clear();
            return Unexpected(not_message("initialize must not be part of a batch"));
        }
    }
    return Envelope(array, MessageKind::batch);
}

EnvelopeReader::Item EnvelopeReader::read(std::string_view text, ReadOptions const& options) {
    batch_.clear();
    if (!decoded_.empty()) decoded_.clear();
    auto const root = document_.parse(text, options.json);
    if (!root) return Unexpected(refuse(document_, text, root.error(), options.json));
    return root->is_array() ? read_batch(*root, options) : read_message(*root);
}

void EnvelopeReader::shrink() noexcept {
    document_.shrink();
    decoded_ = {};
    batch_ = {};
}

}  // namespace lanyard::rpc
