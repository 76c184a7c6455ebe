#include "http/request_facts.hpp"

#include <algorithm>

namespace lanyard::http {
namespace {

// What a connection keeps.
struct KnownFacts : PeerFacts {
    std::shared_ptr<Principal const> principal;
    std::uint64_t edition = 0;  // of the head they were taken from
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

bool says_the_same(KnownFacts& known, Request const& request, std::string_view session_id) {
    if (known.session_id != session_id ||
        !is_same(known.principal.get(), request.principal.get())) {
        return false;
    }
    if (known.edition != 0 && known.edition == request.head.edition) return true;
    auto at = known.headers.begin();
    for (auto const& field : request.head.fields.all()) {
        if (!is_for_handlers(field.id)) continue;
        if (at == known.headers.end() || at->value != field.value || at->name != field.name) {
            return false;
        }
        ++at;
    }
    if (at != known.headers.end()) return false;
    known.edition = request.head.edition;
    return true;
}

void fill(KnownFacts& facts, Request const& request, std::string_view session_id) {
    facts.session_id.assign(session_id);
    facts.transport = "http";
    if (!is_same(facts.principal.get(), request.principal.get())) {
        facts.identity = request.principal ? request.principal->identity() : std::string();
    }
    facts.principal = request.principal;
    facts.edition = request.head.edition;
    std::size_t count = 0;
    for (auto const& field : request.head.fields.all()) {
        if (!is_for_handlers(field.id)) continue;
        if (count == facts.headers.size()) facts.headers.emplace_back();
        facts.headers[count].name.assign(field.name);
        facts.headers[count].value.assign(field.value);
        ++count;
    }
    facts.headers.resize(count);
}

}  // namespace

bool is_same(Principal const* one, Principal const* other) noexcept {
    if (one == other) return true;
    // A new token of the same caller may come with other scopes.
    return one != nullptr && other != nullptr && one->subject == other->subject &&
           one->issuer == other->issuer && one->client_id == other->client_id;
}

std::shared_ptr<PeerFacts const> request_facts(Request const& request,
                                               std::string_view session_id) {
    auto* known = static_cast<KnownFacts*>(request.attachment.get());
    if (known == nullptr || !says_the_same(*known, request, session_id)) {
        // What nobody looks at any more is written over.
        if (known == nullptr || request.attachment.use_count() > 1) {
            auto made = std::make_shared<KnownFacts>();
            known = made.get();
            request.attachment = std::move(made);
        }
        fill(*known, request, session_id);
    }
    return {request.attachment, known};
}

}  // namespace lanyard::http
