#include "http/mcp/post_classifier.hpp"

#include <algorithm>
#include <string>

#include "lanyard/protocol/meta.hpp"
#include "lanyard/protocol/methods.hpp"
#include "peer/request_metadata.hpp"
#include "wire/era_detection.hpp"
#include "wire/mcp_headers.hpp"

namespace lanyard::http {
namespace {

using rpc::MessageKind;
using Refused = Unexpected<wire::WireError>;

std::optional<json::View> claim_of(std::optional<json::View> meta) {
    return meta ? meta->find(meta_key::protocol_version) : std::nullopt;
}

bool is_request(rpc::EnvelopeReader::Item const& item) {
    // A malformed message counts as a request if it may have been one, because it is answered with
    // an error.
    return item ? item->kind == MessageKind::request : item.error().owes_answer();
}

// Whether a header's value is the text itself, not an encoding of it.
bool is_plain(std::string_view value) noexcept {
    return !value.starts_with("=?") &&
           std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// Checks the headers Mcp-Method and Mcp-Name, which repeat parts of the body. Returns a description
// of the first one that is missing or differs; empty if both are right. Mcp-Name is compared after
// decoding.
std::string find_mismatch(rpc::Envelope const& request, Fields const& fields) {
    auto const method = fields.find(FieldName::mcp_method);
    if (!method) return "the header Mcp-Method is missing";
    if (*method != request.method) return "the header Mcp-Method differs from the body";
    auto const member = wire::mirrored_member(request.method);
    if (!member) return {};
    auto const value = request.params ? request.params->find(*member) : std::nullopt;
    // A request without this member is refused later, with a more precise error.
    if (!value || !value->is_string()) return {};
    auto const name = fields.find(FieldName::mcp_name);
    if (!name) return "the header Mcp-Name is missing";
    if (is_plain(*name) && value->equals(*name)) return {};
    auto const decoded = wire::decode_header_value(*name);
    if (!decoded) return "the header Mcp-Name " + decoded.error().message;
    if (!value->equals(*decoded)) return "the header Mcp-Name differs from the body";
    return {};
}

}  // namespace

PostClassifier::PostClassifier(std::span<Version const> versions, bool stateless) noexcept {
    for (auto const version : versions) {
        if (stateless || era_of(version) == Era::legacy) served_.add(version);
    }
    serves_stateless_ = served_.newest(Era::modern).has_value();
    has_sessions_ = served_.newest(Era::legacy).has_value();
}

Version PostClassifier::error_version(Fields const& fields) noexcept {
    auto const header = fields.find(FieldName::mcp_protocol_version);
    return (header ? parse_version(*header) : std::nullopt).value_or(with_batches);
}

wire::WireError PostClassifier::unsupported(std::string_view requested, Version version) const {
    auto const list = served_.list();
    return wire::translate(wire::Condition::unsupported_version, version,
                           {.requested = requested, .supported = list});
}

Result<Post, wire::WireError> PostClassifier::classify(rpc::EnvelopeReader::Item const& item,
                                                       rpc::EnvelopeReader const& reader,
                                                       Fields const& fields) const {
    auto const header = fields.find(FieldName::mcp_protocol_version);
    if (!item) return Refused(wire::translate(item.error(), error_version(fields)));
    auto const claim = claim_of(item->meta);
    wire::Opening opening{item->kind, claim.has_value(), header};
    Post post;
    post.batch = item->kind == MessageKind::batch;
    if (post.batch) {
        auto const& messages = reader.batch();
        opening.claim = std::any_of(messages.begin(), messages.end(), [](auto const& message) {
            return message && claim_of(message->meta);
        });
        post.wants_answer = std::any_of(messages.begin(), messages.end(), is_request);
    } else {
        post.wants_answer = item->kind == MessageKind::request;
        post.is_answer = item->kind == MessageKind::result || item->kind == MessageKind::error;
        post.handshake = post.wants_answer && item->method == methods::Initialize::info.name;
    }
    switch (wire::detect_http(opening)) {
        case wire::EraDetection::modern:
            if (post.wants_answer) return classify_stateless(*item, *claim, fields);
            post.way = Post::Way::stateless;
            return post;
        case wire::EraDetection::missing_metadata:
            return Refused(wire::translate(wire::Condition::missing_metadata, newest_version,
                                           {.message = "missing required property \"_meta\""}));
        case wire::EraDetection::batched_modern:
            return Refused(
                wire::translate(wire::Condition::invalid_request, newest_version,
                                {.message = "a stateless request must not be part of a batch"}));
        default:
            return classify_session(post, fields);
    }
}

Result<Post, wire::WireError> PostClassifier::classify_session(Post post,
                                                               Fields const& fields) const {
    auto const said = parse_version(fields.find(FieldName::mcp_protocol_version).value_or(""));
    if (said && era_of(*said) == Era::modern) {
        // The body is an answer or a batch. In the revision that the header names, clients send
        // neither.
        return Refused(
            wire::translate(wire::Condition::invalid_request, *said,
                            {.message = "a body must be one request or one notification"}));
    }
    if (has_sessions_) return post;
    if (post.handshake) return Refused(unsupported("", newest_version));
    auto const condition = post.wants_answer && !post.batch ? wire::Condition::missing_metadata
                                                            : wire::Condition::invalid_request;
    return Refused(wire::translate(condition, newest_version));
}

Result<Post, wire::WireError> PostClassifier::classify_stateless(rpc::Envelope const& request,
                                                                 json::View claim,
                                                                 Fields const& fields) const {
    Post post;
    post.way = Post::Way::stateless;
    post.wants_answer = true;
    auto const header = fields.find(FieldName::mcp_protocol_version);
    bool const same_version = header && claim.is_string() && claim.equals(*header);
    auto mismatch = same_version ? find_mismatch(request, fields)
                    : header     ? "the header MCP-Protocol-Version differs from the body"
                                 : "the header MCP-Protocol-Version is missing";
    if (serves_stateless() && mismatch.empty()) return post;
    // At least one check has failed. The error that comes first in the error table is reported.
    // Incomplete metadata comes first there, but a server that serves stateless requests reports it
    // later, when it serves the request.
    auto const checked = rpc::check_metadata(served_, request.params);
    if (!checked && checked.error().condition == wire::Condition::missing_metadata) {
        if (serves_stateless()) return post;
        return Refused(wire::translate(wire::Condition::missing_metadata, newest_version,
                                       {.message = checked.error().message}));
    }
    if (!checked && same_version) return Refused(unsupported(*header, newest_version));
    return Refused(
        wire::translate(wire::Condition::header_mismatch, newest_version, {.message = mismatch}));
}

Result<Version, wire::WireError> PostClassifier::session_version(
    Fields const& fields, std::optional<Version> known) const {
    auto const header = fields.find(FieldName::mcp_protocol_version);
    if (!header) return known.value_or(with_batches);
    auto const version = parse_version(*header);
    if (!version || !served_.contains(*version) || era_of(*version) == Era::modern) {
        return Refused(unsupported(*header, known.value_or(newest_legacy_version)));
    }
    return known.value_or(*version);
}

}  // namespace lanyard::http
