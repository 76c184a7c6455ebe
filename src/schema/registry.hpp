// The documents to which a schema may refer: their resources (`$id`), anchors and dialects, and the
// resolution of references.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/compiler.hpp"
#include "schema/program.hpp"

namespace lanyard::schema {

/// Stores the first error found in a schema. Each step of the compilation calls failed() before it
/// continues.
class Diagnosis {
public:
    bool failed() const noexcept { return error_.has_value(); }
    void fail(std::string location, std::string message) {
        if (!error_) error_ = SchemaError{std::move(location), std::move(message)};
    }
    SchemaError take() { return *std::move(error_); }

private:
    std::optional<SchemaError> error_;
};

struct SchemaResource {
    std::string uri;
    Dialect const* dialect;
    Json const* root;
    std::map<std::string_view, Json const*> anchors;  ///< including the dynamic ones
    std::map<std::string_view, Json const*> dynamic_anchors;
};

/// A subschema and its location.
struct Site {
    Json const* schema;
    std::uint32_t resource;
    std::uint32_t place;
};

class Registry {
public:
    Registry(Options const& options, Diagnosis& diagnosis, MetaCheck check);
    Registry(Registry const&) = delete;
    Registry& operator=(Registry const&) = delete;

    /// Adds a document and all its subschemas. The document's `$schema` determines the dialect.
    std::optional<Site> add_document(std::string const& uri, Json const& document);

    /// Returns the target of the reference at this site. If there is no target, reports an error
    /// and returns nullopt.
    std::optional<Site> resolve(Site const& from, Keyword keyword, std::string_view reference);

    std::vector<SchemaResource> const& resources() const noexcept { return resources_; }
    SchemaResource const& resource(std::uint32_t index) const noexcept { return resources_[index]; }
    /// All subschemas added so far, in the order of the documents.
    std::vector<Site> const& sites() const noexcept { return sites_; }
    std::optional<Site> find(Json const* schema) const;

    std::string location(Site const& site, std::string_view keyword = {}) const;
    std::vector<Place> take_places() { return std::move(places_); }
    std::uint64_t steps() const noexcept { return steps_; }

private:
    struct Loading;

    Dialect const* dialect_of(Site const& site, Dialect const* inherited);
    Dialect const* custom_dialect(std::string const& uri, Site const& user);
    Dialect const* built_in(Draft draft);

    void scan(Json const& schema, Site site, Loading& loading);
    void scan_children(KeywordInfo const& info, Json const& value, Site const& parent,
                       Loading& loading);
    bool enter_resource(JsonObject const& schema, Site& site, Loading& loading);
    void add_anchors(JsonObject const& schema, Site const& site);
    void check_against_meta_schemas(Site const& top, Loading const& loading);

    Json const* find_document(std::string_view uri) const;
    std::optional<std::uint32_t> find_resource(std::string const& uri);
    std::optional<Site> follow_pointer(std::uint32_t resource, std::string_view pointer);

    Options const& options_;
    Diagnosis& diagnosis_;
    MetaCheck check_;
    std::vector<SchemaResource> resources_;
    std::vector<Place> places_;
    std::vector<Site> sites_;
    std::unordered_map<Json const*, std::uint32_t> site_of_;     // index in sites_
    std::map<std::string, std::uint32_t, std::less<>> by_uri_;   // index in resources_
    std::map<std::string, Json const*, std::less<>> documents_;  // by URI and by `$id`
    std::map<std::string, Dialect, std::less<>> dialects_;
    std::uint64_t steps_ = 0;
};

}  // namespace lanyard::schema
