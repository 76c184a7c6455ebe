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

namespace detail {
struct Program;
}

/// The version of JSON Schema in which a schema is written.
enum class Draft : std::uint8_t { draft_07, draft_2020_12 };

/// How schemas are compiled, and limits on the work that a schema or an instance may cause.
class Options {
public:
    Options() = default;

    /// Adds a document to which `$ref` and `$schema` can refer, by this URI or by the document's
    /// own `$id`. Default: none. If the references use a relative URI, `uri` must be relative too.
    /// Nothing is ever fetched: a reference to a document that is not registered here does not
    /// resolve.
    Options& document(std::string uri, Json schema);

    /// Whether `format` is checked. Default: false, which means that `format` is only an
    /// annotation. Unknown formats always pass.
    Options& assert_formats(bool on = true) noexcept;
    /// The dialect of schemas without `$schema`. Default: draft_2020_12.
    Options& default_draft(Draft draft) noexcept;

    /// The maximum nesting depth of a schema document, in JSON levels. Default: 64.
    Options& max_depth(std::size_t levels) noexcept;
    /// The maximum number of subschemas in all documents that a schema uses. Default: 10,000.
    Options& max_subschemas(std::size_t count) noexcept;
    /// The maximum number of steps per validation. Default: 1,000,000. Applying a subschema, or
    /// visiting a member or an element, takes about one step.
    Options& max_steps(std::uint64_t steps) noexcept;
    /// The maximum nesting depth of the subschemas that are applied during a validation. Default:
    /// 1,024.
    Options& max_recursion(std::size_t levels) noexcept;
    /// The maximum number of errors that are collected from an invalid instance. Default: 10.
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

/// Why a schema does not compile. The location is a URI reference to the faulty keyword, such as
/// "#/properties/times/minimum".
struct SchemaError {
    std::string location;
    std::string message;

    /// Returns a string such as: #/properties/times/minimum: must be a number, got "5"
    std::string to_string() const;
    bool operator==(SchemaError const&) const = default;
};

/// A rule that an instance breaks.
struct ValidationError {
    std::string instance;  ///< JSON Pointer to the offending value
    std::string schema;    ///< URI reference of the keyword; absolute if there is an `$id`
    std::string keyword;
    std::string message;  ///< a sentence: "must be at most 5, got 9"

    /// Returns a string such as "/times: must be at most 5, got 9". If the pointer is the root, the
    /// string is the message alone.
    std::string to_string() const;
    bool operator==(ValidationError const&) const = default;
};

/// Why an instance was not accepted.
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
    /// The errors; at least one. If the instance matches no alternative of an `anyOf` or `oneOf`,
    /// these are the errors of the alternative that came closest.
    std::vector<ValidationError> const& errors() const noexcept { return errors_; }
    /// All errors, one per line.
    std::string to_string() const;

private:
    Reason reason_;
    std::vector<ValidationError> errors_;
};

/// A compiled JSON Schema (2020-12 or draft-07), which can check any number of instances.
///
/// Example (docs/snippets/class_examples.cpp#validator):
///
///     auto const schema = lanyard::json::parse(R"({"required":["name"]})").value();
///     auto const validator = lanyard::schema::Validator::compile(schema).value();
///     auto const verdict = validator.validate(lanyard::Json{{"times", 2}});
///     if (!verdict) std::cout << verdict.error().to_string() << '\n';
///
/// Ownership: copies share the compiled schema, so copying is cheap. The schema and the registered
/// documents need not outlive compile(). An instance is used only during the call.
///
/// Threads: immutable; any number of threads may validate with the same object.
///
/// Errors: compile() returns a SchemaError that names the keyword and its place; validate() returns
/// a ValidationFailure with messages such as "/times: must be at most 5, got 9". Nothing throws
/// except for lack of memory.
///
/// Schemas and instances may be untrusted: Options limits the work of compiling and of validating,
/// nothing is fetched from the network, and patterns take linear time.
///
/// Pitfalls:
/// - `format` is not checked unless Options::assert_formats is set.
/// - An instance that exhausts a limit is undecided, not invalid: validate() returns a failure
///   whose reason() is not `invalid`, and is_valid() returns false.
/// - Patterns with lookaround or backreferences do not compile.
/// - Compiling costs much more than validating. Compile once and keep the validator.
class Validator {
public:
    /// Checks the schema against its meta-schema and compiles it. The schema need not outlive the
    /// call.
    static Result<Validator, SchemaError> compile(Json const& schema, Options const& options = {});

    /// Returns a validator for a subschema. The location is a URI reference with a fragment, such
    /// as "#/$defs/Tool"; it is resolved against the `$id` of this schema. If the subschema, or a
    /// subschema around it, has its own `$id`, the location must start with the innermost of these
    /// `$id`s.
    Result<Validator, SchemaError> at(std::string_view location) const;

    Result<void, ValidationFailure> validate(json::View instance) const;
    Result<void, ValidationFailure> validate(Json const& instance) const;

    /// Same as validate(), but returns only whether the instance is valid.
    bool is_valid(json::View instance) const;
    bool is_valid(Json const& instance) const;

private:
    friend struct detail::Program;
    Validator(std::shared_ptr<detail::Program const> program, std::uint32_t root) noexcept
        : program_(std::move(program)), root_(root) {}

    std::shared_ptr<detail::Program const> program_;
    std::uint32_t root_;
};

}  // namespace lanyard::schema
