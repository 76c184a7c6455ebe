// Decodes and encodes described structs. Decoding takes one pass over the members of the JSON
// object, with one lookup of a field for each member.
#include <cstring>

#include <boost/json/object.hpp>

#include "codec/constraints.hpp"
#include "codec/message.hpp"
#include "codec/nulls.hpp"
#include "lanyard/codec.hpp"

namespace lanyard::codec {

namespace {

using reflect::Field;
using reflect::Flag;
using reflect::StructInfo;

constexpr std::size_t not_found = SIZE_MAX;

// Looks for a field, beginning at index `first`. Callers pass the index after the previous match,
// because the members of documents are mostly in the order of the fields. If several fields share
// the name in different revisions, prefers the field that is valid in `version`.
std::size_t find_field(StructInfo const& info, std::string_view name, std::size_t first,
                       std::optional<Version> version) noexcept {
    auto const* const fields = info.fields.data();
    auto const count = info.fields.size();
    std::size_t outside = not_found;
    for (std::size_t i = 0, at = first; i < count; ++i, ++at) {
        if (at >= count) at = 0;
        auto const& candidate = fields[at].name;
        if (candidate.size() != name.size() ||
            std::memcmp(candidate.data(), name.data(), name.size()) != 0) {
            continue;
        }
        if (fields[at].in(version)) return at;
        outside = at;
    }
    return outside;
}

bool fail_unknown(StructInfo const& info, std::string_view name, DecodeContext& context) {
    if (context.quiet()) return false;
    Suggestion suggestion(name);
    for (auto const& field : info.fields) {
        if (field.in(context.version())) suggestion.consider(field.name);
    }
    if (suggestion.best().empty()) return context.fail("unknown property ", quoted(name));
    return context.fail("unknown property ", quoted(name), " (did you mean ",
                        quoted(suggestion.best()), "?)");
}

bool decode_constant(json::View view, Field const& field, DecodeContext& context) {
    if (view.equals(field.constant)) return true;
    if (context.quiet()) return false;
    return context.fail("must be ", quoted(field.constant), ", got ", shown(view));
}

// Whether a null for this field means that the member is absent, so that the field stays unchanged.
// True for a nullable field. If the context treats null as absent, also true for an optional field
// whose type does not admit null.
bool means_absence(Field const& field, DecodeContext const& context) {
    if (has(field.flags, Flag::nullable)) return true;
    return context.takes_null_as_absent() && !has(field.flags, Flag::required) &&
           !admits_null(field.type.shape());
}

// Whether a null in a protocol message means that the member is absent: some peers write null
// instead of omitting an optional member. A field that may hold any value keeps the null.
[[gnu::cold, gnu::noinline]] bool is_absent_as_null(Field const& field,
                                                    DecodeContext const& context) noexcept {
    bool const takes_any = field.type.decode == &reflect::decode_erased<RawJson> ||
                           field.type.decode == &reflect::decode_erased<Json>;
    return context.version() && !has(field.flags, Flag::required) && !takes_any;
}

bool decode_field(json::View view, void* object, StructInfo const& info, std::size_t index,
                  DecodeContext& context) {
    auto const& field = info.fields[index];
    if (view.is_null() && is_absent_as_null(field, context)) return true;
    DecodeContext::Step const step(context, field.name);
    if (field.access == nullptr) return decode_constant(view, field, context);
    if (view.is_null() && means_absence(field, context)) return true;
    if (field.constrained &&
        !check_constraints(view, info.details[field.details].constraints, context)) {
        return false;
    }
    return field.type.decode(view, field.access(object), context);
}

bool refuse_outside(Field const& field, DecodeContext& context) {
    if (!has(field.flags, Flag::forbidden_outside)) return true;
    DecodeContext::Step const step(context, field.name);
    return context.fail("is not allowed in protocol version ",
                        to_string(context.version().value_or(newest_version)));
}

bool check_missing(StructInfo const& info, std::uint64_t missing, DecodeContext& context) {
    for (std::size_t i = 0; i < info.fields.size(); ++i) {
        auto const& field = info.fields[i];
        if ((missing >> i & 1U) != 0 && field.in(context.version())) {
            return context.fail("missing required property ", quoted(field.name));
        }
    }
    return true;
}

}  // namespace

bool decode_struct(json::View view, void* object, StructInfo const& info, DecodeContext& context) {
    if (!view.is_object()) return context.fail_expected("an object", view);
    std::uint64_t seen = 0;
    std::size_t next = 0;
    std::string unescaped;
    for (auto const& [key, value] : view.members()) {
        std::string_view name;
        if (auto const plain = key.plain_string()) {
            name = *plain;
        } else {
            unescaped.clear();
            key.append_string_to(unescaped);
            name = unescaped;
        }
        auto const index = find_field(info, name, next, context.version());
        if (index == not_found) {
            if (info.rest != nullptr) {
                info.rest(object).insert_or_assign(name, value.to_json());
            } else if (info.closed || context.refuses_unknown()) {
                return fail_unknown(info, name, context);
            }
            continue;
        }
        next = index + 1;
        if (!info.fields[index].in(context.version())) {
            if (!refuse_outside(info.fields[index], context)) return false;
            continue;
        }
        if (!decode_field(value, object, info, index, context)) return false;
        seen |= std::uint64_t{1} << index;
    }
    auto const missing = info.required & ~seen;
    return missing == 0 || check_missing(info, missing, context);
}

void encode_struct(json::Writer& writer, void const* object, StructInfo const& info,
                   EncodeContext const& context) {
    // Field::access takes a pointer to a mutable object, because decoding uses Field::access, too.
    // Encoding does not modify the object.
    auto* const mutable_object = const_cast<void*>(object);
    writer.begin_object();
    for (auto const& field : info.fields) {
        if (!field.in(context.version)) continue;
        if (field.access == nullptr) {
            writer.key(field.name).string(field.constant);
            continue;
        }
        auto const* const member = field.access(mutable_object);
        if (field.absent != nullptr && !has(field.flags, Flag::required) && field.absent(member)) {
            continue;
        }
        writer.key(field.name);
        field.type.encode(writer, member, context);
    }
    if (info.rest != nullptr) {
        for (auto const& member : info.rest(mutable_object)) {
            // An unknown member that has the name of a field is skipped, even in revisions that
            // lack the field.
            if (find_field(info, member.key(), 0, context.version) != not_found) continue;
            writer.key(member.key()).value(member.value());
        }
    }
    writer.end_object();
}

}  // namespace lanyard::codec
