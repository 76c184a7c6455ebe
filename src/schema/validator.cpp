#include "lanyard/schema.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/uri.hpp"
#include "lanyard/error.hpp"
#include "schema/compiler.hpp"
#include "schema/run.hpp"

namespace lanyard::schema {

Options& Options::document(std::string uri, Json schema) {
    documents_.insert_or_assign(std::move(uri), std::make_shared<Json const>(std::move(schema)));
    return *this;
}

Options& Options::assert_formats(bool on) noexcept {
    assert_formats_ = on;
    return *this;
}

Options& Options::default_draft(Draft draft) noexcept {
    default_draft_ = draft;
    return *this;
}

Options& Options::max_depth(std::size_t levels) noexcept {
    max_depth_ = levels;
    return *this;
}

Options& Options::max_subschemas(std::size_t count) noexcept {
    max_subschemas_ = count;
    return *this;
}

Options& Options::max_steps(std::uint64_t steps) noexcept {
    max_steps_ = steps;
    return *this;
}

Options& Options::max_recursion(std::size_t levels) noexcept {
    max_recursion_ = levels;
    return *this;
}

Options& Options::max_errors(std::size_t count) noexcept {
    max_errors_ = count;
    return *this;
}

std::string SchemaError::to_string() const {
    return location + ": " + message;
}

std::string ValidationError::to_string() const {
    return DecodeError{instance, message}.to_string();
}

std::string ValidationFailure::to_string() const {
    std::vector<std::string> lines;
    for (auto const& error : errors_) {
        auto line = error.to_string();
        // Two keywords may have the same message, such as `enum` and `oneOf` of the same values.
        bool const is_new = std::find(lines.begin(), lines.end(), line) == lines.end();
        if (is_new) lines.push_back(std::move(line));
    }
    std::string out;
    for (auto const& line : lines) {
        if (!out.empty()) out += '\n';
        out += line;
    }
    return out;
}

Result<Validator, SchemaError> Validator::compile(Json const& schema, Options const& options) {
    auto program = compile_program({}, schema, options);
    if (!program) return Unexpected(std::move(program).error());
    return Validator(*std::move(program), 0);
}

Result<Validator, SchemaError> Validator::at(std::string_view location) const {
    auto const& nodes = program_->nodes;
    SchemaNode const& from = nodes[root_];
    auto const wanted = resolve_uri(program_->resources[from.resource] + "#", location);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (program_->location(nodes[i].resource, nodes[i].place) == wanted) {
            return Validator(program_, i);
        }
    }
    return Unexpected(SchemaError{std::string(location), "there is no such subschema"});
}

Result<void, ValidationFailure> Validator::validate(json::View instance) const {
    std::uint64_t steps = 0;
    auto failure = find_failure(*program_, root_, ViewInstance(instance), steps);
    if (failure) return Unexpected(*std::move(failure));
    return {};
}

Result<void, ValidationFailure> Validator::validate(Json const& instance) const {
    std::uint64_t steps = 0;
    auto failure = find_failure(*program_, root_, JsonInstance(instance), steps);
    if (failure) return Unexpected(*std::move(failure));
    return {};
}

bool Validator::is_valid(json::View instance) const {
    return decide(*program_, root_, ViewInstance(instance)).validity == Validity::valid;
}

bool Validator::is_valid(Json const& instance) const {
    return decide(*program_, root_, JsonInstance(instance)).validity == Validity::valid;
}

}  // namespace lanyard::schema
