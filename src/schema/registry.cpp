#include "schema/registry.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "base/uri.hpp"
#include "json/pointer.hpp"
#include "schema/compiler.hpp"
#include "schema/explain.hpp"
#include "schema/meta_schemas.hpp"
#include "schema/run.hpp"

namespace lanyard::schema {
namespace {

// The maximum length of a URI. Without this limit, a long `$id` would be copied into the URI of
// every subschema with a relative `$id`.
constexpr std::size_t max_uri_length = 2'048;

constexpr std::string_view uri_2020_12 = "https://json-schema.org/draft/2020-12/schema";
constexpr std::string_view uri_draft_07 = "http://json-schema.org/draft-07/schema";

bool deeper_than(Json const& value, std::size_t levels) {
    if (auto const* array = value.if_array()) {
        if (levels == 0) return true;
        return std::any_of(array->begin(), array->end(),
                           [&](Json const& item) { return deeper_than(item, levels - 1); });
    }
    if (auto const* object = value.if_object()) {
        if (levels == 0) return true;
        return std::any_of(object->begin(), object->end(), [&](auto const& member) {
            return deeper_than(member.value(), levels - 1);
        });
    }
    return false;
}

std::string_view text_of(JsonObject const& object, std::string_view key) {
    auto const* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                  : std::string_view();
}

std::optional<Draft> built_in_draft(std::string_view uri) {
    if (uri.ends_with('#')) uri.remove_suffix(1);
    auto const without_scheme = [](std::string_view text) {
        return text.substr(text.find(':') + 1);
    };
    if (!uri.starts_with("http:") && !uri.starts_with("https:")) return std::nullopt;
    if (without_scheme(uri) == without_scheme(uri_2020_12)) return Draft::draft_2020_12;
    if (without_scheme(uri) == without_scheme(uri_draft_07)) return Draft::draft_07;
    return std::nullopt;
}

std::optional<std::string> unescape_token(std::string_view token) {
    std::string out;
    for (std::size_t i = 0; i < token.size(); ++i) {
        if (token[i] != '~') {
            out += token[i];
        } else if (i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
            out += token[++i] == '0' ? '~' : '/';
        } else {
            return std::nullopt;
        }
    }
    return out;
}

Json const* child_at(Json const& value, std::string_view token) {
    if (auto const* object = value.if_object()) {
        auto const key = unescape_token(token);
        return key ? object->if_contains(*key) : nullptr;
    }
    auto const* array = value.if_array();
    if (array == nullptr || (token.size() > 1 && token[0] == '0')) return nullptr;
    std::size_t index = 0;
    auto const [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
    if (error != std::errc() || end != token.data() + token.size()) return nullptr;
    return index < array->size() ? &(*array)[index] : nullptr;
}

}  // namespace

/// The data collected while a document is loaded, in addition to its sites.
struct Registry::Loading {
    /// Embedded resources whose dialect differs from that of the surrounding resource.
    std::vector<Json const*> foreign;
    std::unordered_set<Json const*> is_foreign;
};

Registry::Registry(Options const& options, Diagnosis& diagnosis, MetaCheck check)
    : options_(options), diagnosis_(diagnosis), check_(check) {
    for (auto const& [uri, document] : options.documents()) {
        documents_.emplace(split_fragment(uri).resource, document.get());
    }
    for (auto const& [uri, document] : options.documents()) {
        if (auto const* object = document->if_object()) {
            if (auto const id = text_of(*object, "$id"); !id.empty()) {
                documents_.emplace(split_fragment(resolve_uri(uri, id)).resource, document.get());
            }
        }
    }
}

std::string Registry::location(Site const& site, std::string_view keyword) const {
    return resources_[site.resource].uri + "#" + pointer_to(places_, site.place) +
           (keyword.empty() ? "" : "/" + std::string(keyword));
}

std::optional<Site> Registry::find(Json const* schema) const {
    auto const at = site_of_.find(schema);
    if (at == site_of_.end()) return std::nullopt;
    return sites_[at->second];
}

Dialect const* Registry::built_in(Draft draft) {
    auto const key = draft == Draft::draft_07 ? uri_draft_07 : uri_2020_12;
    auto const [at, added] =
        dialects_.try_emplace(std::string(key), Dialect{draft, standard_vocabularies, nullptr});
    if (added && check_ == MetaCheck::on) at->second.meta_schema = meta_program(draft);
    return &at->second;
}

Dialect const* Registry::custom_dialect(std::string const& uri, Site const& user) {
    auto const fail = [&](std::string message) -> Dialect const* {
        diagnosis_.fail(location(user, "$schema"), std::move(message));
        return nullptr;
    };
    if (auto const known = dialects_.find(uri); known != dialects_.end()) return &known->second;
    auto const at = documents_.find(uri);
    auto const* meta = at == documents_.end() ? nullptr : at->second->if_object();
    if (meta == nullptr) {
        return fail("the dialect " + quoted(uri) +
                    " is not supported: 2020-12 and draft-07 are, and any whose meta-schema is "
                    "registered");
    }
    auto const own = text_of(*meta, "$schema");
    auto const draft = own.empty() ? options_.default_draft() : built_in_draft(own);
    if (!draft) {
        return fail("the meta-schema " + quoted(uri) + " is itself written in " + quoted(own) +
                    "; it must be in 2020-12 or draft-07");
    }
    Dialect dialect{*draft, standard_vocabularies, nullptr};
    if (auto const* listed = meta->if_contains("$vocabulary"); listed && listed->is_object()) {
        dialect.vocabularies = core;
        for (auto const& entry : listed->get_object()) {
            auto const bits = vocabulary_bits(entry.key());
            if (bits == 0 && entry.value() != false) {
                return fail("the meta-schema " + quoted(uri) + " needs the unknown vocabulary " +
                            quoted(entry.key()));
            }
            dialect.vocabularies |= bits;
        }
    }
    auto compiled = compile_program(uri, *at->second, options_);
    if (!compiled) {
        auto const error = std::move(compiled).error();
        diagnosis_.fail(error.location, error.message);
        return nullptr;
    }
    dialect.meta_schema = *std::move(compiled);
    return &dialects_.emplace(uri, std::move(dialect)).first->second;
}

Dialect const* Registry::dialect_of(Site const& site, Dialect const* inherited) {
    auto const* object = site.schema->if_object();
    auto const uri = object == nullptr ? std::string_view() : text_of(*object, "$schema");
    if (uri.empty()) return inherited;
    if (auto const draft = built_in_draft(uri)) return built_in(*draft);
    return custom_dialect(std::string(split_fragment(uri).resource), site);
}

std::optional<Site> Registry::add_document(std::string const& uri, Json const& document) {
    if (deeper_than(document, options_.max_depth())) {
        diagnosis_.fail(uri + "#", "the schema is nested more than " +
                                       std::to_string(options_.max_depth()) + " levels deep");
        return std::nullopt;
    }
    Site const site{&document, static_cast<std::uint32_t>(resources_.size()),
                    static_cast<std::uint32_t>(places_.size())};
    places_.push_back({none, {}});
    resources_.push_back({uri, built_in(options_.default_draft()), &document, {}, {}});
    Dialect const* dialect = dialect_of(site, resources_.back().dialect);
    if (dialect == nullptr) return std::nullopt;
    resources_.back().dialect = dialect;
    by_uri_.emplace(uri, site.resource);
    Loading loading;
    scan(document, site, loading);
    auto const top = find(&document);
    if (top) check_against_meta_schemas(*top, loading);
    if (diagnosis_.failed()) return std::nullopt;
    return top;
}

void Registry::scan(Json const& schema, Site site, Loading& loading) {
    if (diagnosis_.failed() || site_of_.contains(&schema)) return;
    if (sites_.size() >= options_.max_subschemas()) {
        diagnosis_.fail(location(site), "the schema has more than " +
                                            std::to_string(options_.max_subschemas()) +
                                            " subschemas");
        return;
    }
    auto const* object = schema.if_object();
    if (object != nullptr && !enter_resource(*object, site, loading)) return;
    site_of_.emplace(&schema, static_cast<std::uint32_t>(sites_.size()));
    sites_.push_back(site);
    steps_ += 1 + (object != nullptr ? object->size() : 0);
    if (object == nullptr) return;

    Dialect const& dialect = *resources_[site.resource].dialect;
    bool const pure_reference = is_pure_reference(dialect, *object);
    if (!pure_reference) add_anchors(*object, site);
    for (auto const& member : *object) {
        auto const* info = find_keyword(dialect, member.key());
        if (info == nullptr) continue;
        if (pure_reference && info->keyword != Keyword::definitions) continue;
        scan_children(*info, member.value(), site, loading);
    }
}

void Registry::scan_children(KeywordInfo const& info, Json const& value, Site const& parent,
                             Loading& loading) {
    auto const visit = [&](Json const& child, std::string token) {
        places_.push_back({parent.place, std::move(token)});
        auto const place = static_cast<std::uint32_t>(places_.size() - 1);
        scan(child, {&child, parent.resource, place}, loading);
    };
    std::string const name(info.name);
    bool const takes_list =
        info.shape == SubschemaShape::schema_list || info.shape == SubschemaShape::schema_or_list;
    bool const takes_map =
        info.shape == SubschemaShape::schema_map || info.shape == SubschemaShape::dependencies;
    if (takes_list && value.is_array()) {
        std::size_t index = 0;
        for (auto const& child : value.get_array()) {
            visit(child, name + "/" + std::to_string(index++));
        }
    } else if (takes_map && value.is_object()) {
        for (auto const& member : value.get_object()) {
            if (info.shape == SubschemaShape::dependencies && member.value().is_array()) continue;
            auto inner = name;
            json::append_pointer_step(inner, member.key());
            visit(member.value(), std::move(inner));
        }
    } else if (info.shape == SubschemaShape::schema ||
               info.shape == SubschemaShape::schema_or_list) {
        visit(value, name);
    }
}

// If a subschema has its own `$id`, a new resource begins there, and `site` becomes the root of
// that resource. Returns false after an error.
bool Registry::enter_resource(JsonObject const& schema, Site& site, Loading& loading) {
    SchemaResource const& around = resources_[site.resource];
    Dialect const* dialect = around.dialect;
    bool const is_root = around.root == site.schema;
    auto const id = text_of(schema, "$id");
    if (id.empty()) return true;
    if (!is_root) dialect = dialect_of(site, dialect);
    if (dialect == nullptr) return false;
    if (is_pure_reference(*dialect, schema)) return true;
    if (dialect->draft == Draft::draft_07 && id.starts_with('#')) return true;

    std::string const uri(split_fragment(resolve_uri(around.uri, id)).resource);
    if (uri.size() > max_uri_length) {
        diagnosis_.fail(location(site, "$id"),
                        "the URI is longer than " + std::to_string(max_uri_length) + " bytes");
        return false;
    }
    std::uint32_t index = site.resource;
    if (is_root) {
        resources_[index].uri = uri;
    } else {
        index = static_cast<std::uint32_t>(resources_.size());
        resources_.push_back({uri, dialect, site.schema, {}, {}});
        places_.push_back({none, {}});
        if (dialect != resources_[site.resource].dialect) {
            loading.foreign.push_back(site.schema);
            loading.is_foreign.insert(site.schema);
        }
    }
    auto const [known, added] = by_uri_.emplace(uri, index);
    if (!added && known->second != index && *resources_[known->second].root != *site.schema) {
        diagnosis_.fail(location(site, "$id"), "two different schemas have the URI " + quoted(uri));
        return false;
    }
    if (!is_root) site = {site.schema, index, static_cast<std::uint32_t>(places_.size() - 1)};
    return true;
}

void Registry::add_anchors(JsonObject const& schema, Site const& site) {
    SchemaResource& resource = resources_[site.resource];
    auto const add = [&](std::string_view name, std::string_view keyword) {
        if (name.empty()) return;
        if (!resource.anchors.emplace(name, site.schema).second) {
            diagnosis_.fail(location(site, keyword),
                            "the anchor " + quoted(name) + " is used twice in one resource");
        }
    };
    if (resource.dialect->draft == Draft::draft_07) {
        add(split_fragment(text_of(schema, "$id")).fragment, "$id");
        return;
    }
    auto const plain = text_of(schema, "$anchor");
    auto const dynamic = text_of(schema, "$dynamicAnchor");
    add(plain, "$anchor");
    if (dynamic.empty()) return;
    if (dynamic != plain) add(dynamic, "$dynamicAnchor");
    resource.dynamic_anchors.emplace(dynamic, site.schema);
}

void Registry::check_against_meta_schemas(Site const& top, Loading const& loading) {
    auto const check = [&](Site const& site) {
        auto const& meta = resources_[site.resource].dialect->meta_schema;
        if (meta == nullptr || diagnosis_.failed()) return;
        // An embedded resource of a different dialect is checked separately, so this check replaces
        // it by `true`.
        auto const pruned = [&](auto const& self, Json const& value) -> Json {
            if (&value != site.schema && loading.is_foreign.contains(&value)) return true;
            if (auto const* array = value.if_array()) {
                JsonArray copy;
                for (auto const& item : *array) copy.push_back(self(self, item));
                return copy;
            }
            if (auto const* object = value.if_object()) {
                JsonObject copy;
                for (auto const& member : *object) {
                    copy.emplace(member.key(), self(self, member.value()));
                }
                return copy;
            }
            return value;
        };
        auto const failure =
            loading.foreign.empty()
                ? find_failure(*meta, 0, JsonInstance(*site.schema), steps_)
                : find_failure(*meta, 0, JsonInstance(pruned(pruned, *site.schema)), steps_);
        if (!failure) return;
        auto const& error = failure->errors().front();
        diagnosis_.fail(location(site) + percent_encode_fragment(error.instance), error.message);
    };
    check(top);
    for (auto const* schema : loading.foreign) {
        if (auto const site = find(schema)) check(*site);
    }
}

Json const* Registry::find_document(std::string_view uri) const {
    auto const at = documents_.find(uri);
    return at != documents_.end() ? at->second : find_meta_schema(uri);
}

std::optional<std::uint32_t> Registry::find_resource(std::string const& uri) {
    if (auto const at = by_uri_.find(uri); at != by_uri_.end()) return at->second;
    auto const* document = find_document(uri);
    if (document == nullptr) return std::nullopt;
    // The document may have been added before under its other name (its URI or its `$id`).
    if (auto const known = find(document)) return known->resource;
    auto const added = add_document(uri, *document);
    return added ? std::optional(added->resource) : std::nullopt;
}

std::optional<Site> Registry::follow_pointer(std::uint32_t resource, std::string_view pointer) {
    Json const* value = resources_[resource].root;
    Site nearest = *find(value);
    std::size_t nearest_end = 0;
    for (std::size_t at = 0; at < pointer.size();) {
        auto const end = std::min(pointer.find('/', at + 1), pointer.size());
        value = child_at(*value, pointer.substr(at + 1, end - at - 1));
        ++steps_;
        if (value == nullptr) return std::nullopt;
        at = end;
        if (auto const site = find(value)) {
            nearest = *site;
            nearest_end = at;
        }
    }
    if (nearest_end == pointer.size()) return nearest;
    // No keyword makes this value a schema, but the reference uses it as one. So it is scanned as a
    // schema now.
    places_.push_back({nearest.place, std::string(pointer.substr(nearest_end + 1))});
    Loading loading;
    scan(*value, {value, nearest.resource, static_cast<std::uint32_t>(places_.size() - 1)},
         loading);
    auto const site = find(value);
    if (site) check_against_meta_schemas(*site, loading);
    return site;
}

std::optional<Site> Registry::resolve(Site const& from, Keyword keyword,
                                      std::string_view reference) {
    if (diagnosis_.failed()) return std::nullopt;
    // The location is built only on failure: many references may share one long URI, and each
    // location would contain a copy of it.
    auto const fail = [&](std::string message) -> std::optional<Site> {
        diagnosis_.fail(location(from, name_of(keyword)), std::move(message));
        return std::nullopt;
    };
    std::string const uri = resolve_uri(resources_[from.resource].uri, reference);
    auto const [resource_uri, encoded] = split_fragment(uri);
    if (resource_uri.size() > max_uri_length) {
        return fail("the URI is longer than " + std::to_string(max_uri_length) + " bytes");
    }
    auto const resource = find_resource(std::string(resource_uri));
    if (!resource) {
        return fail("refers to " + quoted(resource_uri) +
                    ", which is not registered (nothing is fetched)");
    }
    auto const fragment = percent_decode(encoded);
    std::optional<Site> target;
    if (fragment && (fragment->empty() || fragment->front() == '/')) {
        target = follow_pointer(*resource, *fragment);
    } else if (fragment) {
        auto const& anchors = resources_[*resource].anchors;
        if (auto const at = anchors.find(*fragment); at != anchors.end()) target = find(at->second);
    }
    return target ? target : fail("refers to " + quoted(uri) + ", which does not exist");
}

}  // namespace lanyard::schema
