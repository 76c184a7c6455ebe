// JSON Schema: compile once, validate many times (dialects 2020-12 and draft-07).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/json/document.hpp>
#include <lanyard/result.hpp>

namespace lanyard::schema {

struct Program;

/// The version of JSON Schema a schema is written in.
enum class Draft : std::uint8_t { draft_07, draft_2020_12 };

/// How schemas are compiled, and how much a schema or an instance may cost.
class Options {
public:
    Options() = default;

    /// Makes a document available to `$ref` and `$schema` under this URI (absolute, or relative as
    /// the reference spells it) and under its own `$id`. Nothing is ever fetched: what is not
    /// registered here does not resolve.
    Options& document(std::string uri, Json schema);

    /// Checks `format` instead of treating it as an annotation. Formats nobody knows always pass.
    Options& assert_formats(bool on = true) noexcept;
    /// The dialect of schemas without `$schema`; 2020-12 unless set.
    Options& default_draft(Draft draft) noexcept;

    /// Nesting of a schema document, counted in JSON levels.
    Options& max_depth(std::size_t levels) noexcept;
    /// Subschemas in all documents a schema uses.
    Options& max_subschemas(std::size_t count) noexcept;
    /// Work per validation: one step is about one subschema applied, one member or one element.
    Options& max_steps(std::uint64_t steps) noexcept;
    /// Subschemas applied inside each other, over all levels of the instance.
    Options& max_recursion(std::size_t levels) noexcept;
    /// Errors collected from an invalid instance.
    Options& max_errors(std::size_t count) noexcept;

    std::map<std::string, std::shared_ptr<Json const>, std::less<>> const& documents()
        const noexcept {
        return documents_;
    }
    bool assert_formats() const noexcept { return assert_formats_; }
    Draft default_draft() const noexcept { return default_draft_; }
    std::size_t max_depth() const noexcept { return max_depth_; }
    std::size_t max_subschemas() const noexcept { return max_subschemas_; }
    std::uint64_t max_steps() const noexcept { return max_steps_; }
    std::size_t max_recursion() const noexcept { return max_recursion_; }
    std::size_t max_errors() const noexcept { return max_errors_; }

private:
    std::map<std::string, std::shared_ptr<Json const>, std::less<>> documents_;
    bool assert_formats_ = false;
    Draft default_draft_ = Draft::draft_2020_12;
    std::size_t max_depth_ = 64;
    std::size_t max_subschemas_ = 10'000;
    std::uint64_t max_steps_ = 1'000'000;
    std::size_t max_recursion_ = 1'024;
    std::size_t max_errors_ = 10;
};

/// Why a schema does not compile, and where: a URI reference such as "#/properties/times/minimum".
struct SchemaError {
    std::string location;
    std::string message;

    /// "#/properties/times/minimum: must be a number, got "5""
    std::string to_string() const;
    bool operator==(SchemaError const&) const = default;
};

/// One rule an instance breaks.
struct ValidationError {
    std::string instance;  ///< JSON Pointer to the value that breaks it
    std::string schema;    ///< URI reference of the keyword, absolute where the schema has an `$id`
    std::string keyword;
    std::string message;  ///< a sentence: "must be at most 5, got 9"

    /// "/times: must be at most 5, got 9"; without the pointer where it is the root.
    std::string to_string() const;
    bool operator==(ValidationError const&) const = default;
};

/// Why an instance was not found valid.
class ValidationFailure {
public:
    enum class Reason : std::uint8_t {
        invalid,         ///< The instance breaks the rules in errors().
        too_many_steps,  ///< Undecided: Options::max_steps was reached.
        too_deep,        ///< Undecided: Options::max_recursion was reached.
    };

    ValidationFailure(Reason reason, std::vector<ValidationError> errors)
        : reason_(reason), errors_(std::move(errors)) {}

    Reason reason() const noexcept { return reason_; }
    /// At least one; of alternatives (`anyOf`, `oneOf`) those of the one that came closest.
    std::vector<ValidationError> const& errors() const noexcept { return errors_; }
    /// All errors, one a line.
    std::string to_string() const;

private:
    Reason reason_;
    std::vector<ValidationError> errors_;
};

/// A compiled schema. Immutable: copies share it, and any number of threads may validate at once.
class Validator {
public:
    /// Checks the schema against its meta-schema and compiles it; the schema is not needed after.
    static Result<Validator, SchemaError> compile(Json const& schema, Options const& options = {});

    /// The same schema, entered at one of its subschemas: "#/$defs/Tool", or a URI with such a
    /// fragment for a resource with an `$id`.
    Result<Validator, SchemaError> at(std::string_view location) const;

    Result<void, ValidationFailure> validate(json::View instance) const;
    Result<void, ValidationFailure> validate(Json const& instance) const;

    /// As validate(), without saying why not.
    bool is_valid(json::View instance) const;
    bool is_valid(Json const& instance) const;

    /// The compiled form, which only the library itself looks into.
    Program const& program() const noexcept { return *program_; }

private:
    Validator(std::shared_ptr<Program const> program, std::uint32_t root) noexcept
        : program_(std::move(program)), root_(root) {}

    std::shared_ptr<Program const> program_;
    std::uint32_t root_;
};

}  // namespace lanyard::schema
