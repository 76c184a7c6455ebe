// The official schema.json of a revision, unchanged and in a closed form.
#pragma once

#include <string>
#include <string_view>

#include "lanyard/protocol/era.hpp"
#include "lanyard/schema.hpp"

namespace lanyard::test {

/// Needs the data set "mcp-schema".
class OfficialSchema {
public:
    explicit OfficialSchema(Version version);

    Version version() const { return version_; }
    JsonObject const& definitions() const { return schema_.at(key_).get_object(); }
    Json const& definition(std::string_view name) const { return definitions().at(name); }

    /// A validator of one definition.
    schema::Validator open(std::string_view name) const { return compile(schema_, name); }
    /// The same, but objects must not have members that the definition does not list.
    schema::Validator closed(std::string_view name) const { return compile(closed_, name); }

private:
    bool is_open(std::string_view name) const;
    schema::Validator compile(Json const& schema, std::string_view name) const;

    Version version_;
    std::string key_;
    Json schema_;
    Json closed_;
};

}  // namespace lanyard::test
