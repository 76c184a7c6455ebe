// Compiles a schema into a Program.
#pragma once

#include <memory>

#include "schema/program.hpp"

namespace lanyard::schema {

enum class MetaCheck : bool { off, on };

/// Compiles the schema with everything it refers to. The check against the meta-schema is off only
/// when a meta-schema itself is compiled.
Result<std::shared_ptr<Program const>, SchemaError> compile_program(
    std::string const& uri, Json const& schema, Options const& options,
    MetaCheck check = MetaCheck::on);

/// Returns the meta-schema of a draft, compiled on first use.
std::shared_ptr<Program const> const& meta_program(Draft draft);

}  // namespace lanyard::schema
