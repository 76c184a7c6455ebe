#include "http/mcp/request_info.hpp"

#include <algorithm>

namespace lanyard::http {
namespace {

// The information about the last request of a connection. Stored as HttpRequest::attachment.
struct KnownInfo {
    std::shared_ptr<PeerInfo const> shared;
    PeerInfo* own = nullptr;  // the object that `shared` refers to; may be changed if there is no
                              // other reference to it
    std::shared_ptr<Principal const> principal;
    std::uint64_t edition = 0;  // RequestHead::edition of the head from which the information was
                                // taken
};

constexpr bool is_for_handlers(FieldName name) noexcept {
    switch (name) {
        case FieldName::authorization:
        case FieldName::connection:
        case FieldName::content_length:
        case FieldName::expect:
        case FieldName::transfer_encoding:
        case FieldName::upgrade:
            return false;
        default:
            return true;
    }
}

// Returns the address without its port and, for IPv6, without brackets.
std::string_view address_of(std::string_view peer) noexcept {
    if (peer.starts_with('[')) return peer.substr(1, peer.find(']') - 1);
    return peer.substr(0, peer.find(':'));
}

bool says_the_same(KnownInfo& known, HttpRequest const& request, std::string_view session_id) {
    if (known.own->session_id != session_id ||
        !is_same(known.principal.get(), request.principal.get())) {
        return false;
    }
    if (known.edition != 0 && known.edition == request.head.edition) return true;
    auto const& headers = known.own->headers;
    auto at = headers.begin();
    for (auto const& field : request.head.fields.all()) {
        if (!is_for_handlers(field.id)) continue;
        if (at == headers.end() || at->value != field.value || at->name != field.name) {
            return false;
        }
        ++at;
    }
    if (at != headers.end()) return false;
    known.edition = request.head.edition;
    return true;
}

void fill(KnownInfo& known, HttpRequest const& request, std::string_view session_id) {
    // If other code still uses the object, it must not change, so a new object is made.
    if (known.shared.use_count() != 1) {
        auto made = std::make_shared<PeerInfo>();
        known.own = made.get();
        known.shared = std::move(made);
        known.principal = nullptr;
    }
    auto& info = *known.own;
    info.session_id.assign(session_id);
    info.transport = "http";
    info.headers_of_request = true;
    info.address.assign(address_of(request.peer));
    if (!is_same(known.principal.get(), request.principal.get())) {
        info.identity = request.principal ? request.principal->identity() : std::string();
    }
    known.principal = request.principal;
    known.edition = request.head.edition;
    info.headers.reserve(request.head.fields.size());
    std::size_t count = 0;
    for (auto const& field : request.head.fields.all()) {
        if (!is_for_handlers(field.id)) continue;
        if (count == info.headers.size()) info.headers.emplace_back();
        info.headers[count].name.assign(field.name);
        info.headers[count].value.assign(field.value);
        ++count;
    }
    info.headers.resize(count);
}

}  // namespace

bool is_same(Principal const* one, Principal const* other) noexcept {
    if (one == other) return true;
    // Scopes are not compared: a new token of the same caller may have other scopes.
    return one != nullptr && other != nullptr && one->subject == other->subject &&
           one->issuer == other->issuer && one->client_id == other->client_id;
}

std::shared_ptr<PeerInfo const> const& request_info(HttpRequest const& request,
                                                    std::string_view session_id) {
    if (!request.attachment) request.attachment = std::make_shared<KnownInfo>();
    auto& known = *static_cast<KnownInfo*>(request.attachment.get());
    if (!known.shared || !says_the_same(known, request, session_id)) {
        fill(known, request, session_id);
    }
    return known.shared;
}

}  // namespace lanyard::http
