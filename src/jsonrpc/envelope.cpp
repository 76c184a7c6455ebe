#include "jsonrpc/envelope.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/utf8.hpp"
#include "json/empty_object.hpp"
#include "jsonrpc/salvage.hpp"

namespace lanyard::rpc {

namespace {

/// The members of a JSON-RPC message before the rules of JSON-RPC are applied to it. Most members
/// are stored directly in `envelope`; this struct holds the other members.
struct Members {
    Envelope& envelope;
    std::optional<json::View> jsonrpc = std::nullopt;
    std::optional<json::View> method = std::nullopt;
    bool ids_differ = false;

    bool is_answer() const noexcept { return envelope.result || envelope.error; }
};

// The maximum size of an id or progress token. The size is limited because both are kept while the
// request is served, and are sent back to the peer.
constexpr std::size_t max_id_bytes = 1024;

using MemberAt = json::MemberRange::iterator;

/// Stores the value of a message's member according to its name; ignores members that JSON-RPC does
/// not define. Each view is constructed in its final place: constructing it elsewhere and copying
/// it immediately would cause store-forwarding stalls.
[[gnu::always_inline]] inline void sort_member(std::string_view name, MemberAt const& at,
                                               Members& members) {
    auto& envelope = members.envelope;
    switch (name.size()) {
        case 2:
            if (name == "id") {
                members.ids_differ |= envelope.id && envelope.id->raw() != (*at).value.raw();
                envelope.id.emplace((*at).value);
            }
            break;
        case 5:
            if (name == "error") envelope.error.emplace((*at).value);
            break;
        case 6:
            if (name == "method") {
                members.method.emplace((*at).value);
            } else if (name == "params") {
                envelope.params.emplace((*at).value);
            } else if (name == "result") {
                envelope.result.emplace((*at).value);
            }
            break;
        case 7:
            if (name == "jsonrpc") members.jsonrpc.emplace((*at).value);
            break;
        default:
            break;
    }
}

[[gnu::cold, gnu::noinline]] void sort_escaped_member(MemberAt const& at, Members& members) {
    sort_member(*(*at).key.as_string(), at, members);
}

Members members_of(Envelope& envelope) {
    Members members{envelope};
    auto const range = envelope.whole.members();
    auto const end = range.end();
    for (auto at = range.begin(); at != end; ++at) {
        auto const plain = (*at).key.plain_string();
        if (plain) {
            sort_member(*plain, at, members);
        } else {
            sort_escaped_member(at, members);
        }
    }
    return members;
}

Intent intent_of(Members const& members) {
    if (members.method) {
        // The message looks like both a request and a response. Its id must not be used, because it
        // could be the id of a request of either side.
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
    bool const ambiguous = members.ids_differ || (members.method && members.is_answer());
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

std::string too_long(std::string_view what) {
    return std::string(what) + " must not be longer than " + std::to_string(max_id_bytes) +
           " bytes";
}

bool has_long_token(json::View meta) noexcept {
    if (meta.raw().size() <= max_id_bytes) return false;
    auto const token = meta.find("progressToken");
    return token && token->raw().size() > max_id_bytes;
}

// The functions below apply the rules of JSON-RPC. Each returns true if the message is valid;
// otherwise it stores a description in `defect` and returns false.

bool check_call(Members const& members, std::string& defect) {
    auto& envelope = members.envelope;
    if (!members.method->is_string()) {
        defect = found("method must be a string", *members.method);
    } else if (envelope.id && !is_id(*envelope.id)) {
        defect = bad_id(*envelope.id);
    } else if (envelope.id && envelope.id->is_string() &&
               envelope.id->raw().size() > max_id_bytes) {
        // Only string ids need the check; a 64-bit integer is never too long.
        defect = too_long("id");
    } else if (!envelope.params || envelope.params->is_object()) {
        return true;
    } else if (envelope.params->is_null()) {
        // Some peers write null if there are no params.
        envelope.params.reset();
        return true;
    } else {
        defect = found("params must be an object", *envelope.params);
    }
    return false;
}

bool check_result(Envelope& envelope, std::string& defect) {
    if (!envelope.id) {
        defect = "a result has no id";
    } else if (!is_id(*envelope.id)) {
        defect = bad_id(*envelope.id);
    } else if (envelope.result->is_object()) {
        return true;
    } else if (envelope.result->is_null()) {
        // A peer that has no result to return may write null, which is read as {}. If the method
        // requires members in the result, decoding later reports them as missing.
        envelope.result = json::empty_object();
        return true;
    } else {
        defect = found("result must be an object", *envelope.result);
    }
    return false;
}

/// Whether the value is a valid error code: an integer, which some peers write as a real number,
/// such as -32000.0.
bool is_code(json::View value) noexcept {
    auto const number = value.as_double();
    return value.kind() == json::Kind::integer ||
           (value.kind() == json::Kind::real && *number == std::trunc(*number) &&
            std::abs(*number) < 0x1p53);
}

bool check_error(Envelope& envelope, std::string& defect) {
    if (envelope.id && envelope.id->is_null()) envelope.id.reset();
    auto const& error = *envelope.error;
    auto const code = error.find("code");
    auto const message = error.find("message");
    if (envelope.id && !is_id(*envelope.id)) {
        defect = bad_id(*envelope.id);
    } else if (!error.is_object()) {
        defect = found("error must be an object", error);
    } else if (!code) {
        defect = "error has no code";
    } else if (!is_code(*code)) {
        defect = found("error.code must be a 64-bit integer", *code);
    } else if (message && !message->is_string() && !message->is_null()) {
        defect = found("error.message must be a string", *message);
    } else {
        return true;
    }
    // The description of the defect quotes the beginning of the peer's error.
    defect.append(": ").append(utf8_prefix(error.raw(), 200));
    return false;
}

/// Some peers write both `result` and `error`, one of them as null. Drops the member that is null.
void drop_nulls(Envelope& envelope) {
    auto const is_null = [](std::optional<json::View> const& member) {
        return member && member->is_null();
    };
    if (is_null(envelope.error) && envelope.result) envelope.error.reset();
    if (is_null(envelope.result) && envelope.error) envelope.result.reset();
}

/// Applies all rules and sets the kind of the envelope.
bool check(Members const& members, std::string& defect) {
    auto& envelope = members.envelope;
    if (!members.jsonrpc) {
        defect = "jsonrpc is missing; it must be \"2.0\"";
    } else if (!members.jsonrpc->equals("2.0")) {
        defect = "jsonrpc must be \"2.0\" at byte " + std::to_string(members.jsonrpc->offset());
    } else if (members.method) {
        if (envelope.id && !members.is_answer()) envelope.kind = MessageKind::request;
        if (!members.is_answer()) return check_call(members, defect);
        defect = envelope.result ? "a message has both method and result"
                                 : "a message has both method and error";
    } else if (envelope.result) {
        envelope.kind = MessageKind::result;
        if (envelope.error) drop_nulls(envelope);
        if (!envelope.result) {
            envelope.kind = MessageKind::error;
            return check_error(envelope, defect);
        }
        if (!envelope.error) return check_result(envelope, defect);
        defect = "a response has both result and error";
    } else if (envelope.error) {
        envelope.kind = MessageKind::error;
        return check_error(envelope, defect);
    } else {
        defect = "a message needs method, result or error";
    }
    return false;
}

/// Returns why the text is not acceptable JSON, and the kind and id of the message if they can be
/// found.
[[gnu::cold]] Malformed refuse(json::TextParser& parser, std::string_view text,
                               json::ParseError const& error, json::ParseOptions options) {
    using Reason = Malformed::Reason;
    auto reason = Reason::not_json;
    if (error.code == json::ParseErrc::too_large) {
        reason = Reason::too_large;
    } else if (error.code == json::ParseErrc::duplicate_key) {
        // Apart from the duplicate key the text may be valid, so it is parsed again to find the
        // kind and id of the message.
        reason = Reason::not_message;
        options.unique_keys = false;
        auto const root = parser.parse(text, options);
        if (root) {
            Envelope envelope(*root);
            return not_message(members_of(envelope), error.to_string());
        }
    }
    auto remains = salvage(text);
    return {reason, error.to_string(), remains.intent, std::move(remains.id)};
}

}  // namespace

std::string_view EnvelopeReader::characters(json::View string) {
    if (auto const plain = string.plain_string()) return *plain;
    string.append_string_to(decoded_.emplace_back());
    return decoded_.back();
}

EnvelopeReader::Item EnvelopeReader::read_message(json::View const& message) {
    Item item(message);
    if (!message.is_object()) {
        item = Unexpected(not_message(found("a message must be an object", message)));
        return item;
    }
    auto& envelope = item.value();
    auto const members = members_of(envelope);
    std::string defect;
    if (!check(members, defect)) {
        item = Unexpected(not_message(members, std::move(defect)));
    } else if (members.method) {
        envelope.method = characters(*members.method);
        if (envelope.params) envelope.meta = envelope.params->find("_meta");
        if (envelope.meta && has_long_token(*envelope.meta)) {
            item = Unexpected(not_message(members, too_long("params._meta.progressToken")));
        }
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
    // Free the text of the last repaired message: it can be large, and repairs are rare.
    if (!repaired_.empty()) std::string().swap(repaired_);
    auto const root = parser_.parse(text, options.json);
    if (!root) return read_again(text, root.error(), options);
    return read_root(*root, options);
}

EnvelopeReader::Item EnvelopeReader::read_root(json::View root, ReadOptions const& options) {
    return root.is_array() ? read_batch(root, options) : read_message(root);
}

// Reads a message that the strict parser has refused. Repairs the payload of the message if
// possible; otherwise returns the error.
[[gnu::cold, gnu::noinline]] EnvelopeReader::Item EnvelopeReader::read_again(
    std::string_view text, json::ParseError const& error, ReadOptions const& options) {
    bool const may_be_repaired = error.code == json::ParseErrc::bad_escape ||
                                 error.code == json::ParseErrc::number_out_of_range;
    if (!may_be_repaired || !repair_payload(text, repaired_)) {
        return Unexpected(refuse(parser_, text, error, options.json));
    }
    auto repaired_options = options.json;
    repaired_options.max_bytes = std::max(options.json.max_bytes, repaired_.size());
    auto const root = parser_.parse(repaired_, repaired_options);
    if (!root) return Unexpected(refuse(parser_, repaired_, root.error(), repaired_options));
    return read_root(*root, options);
}

void EnvelopeReader::shrink() noexcept {
    parser_.shrink();
    decoded_ = {};
    std::string().swap(repaired_);
    batch_ = {};
}

}  // namespace lanyard::rpc
