// Elicitation: asking the user through a form or a web page (MCP specification,
// client/elicitation).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <lanyard/protocol/base.hpp>
#include <lanyard/protocol/task_metadata.hpp>

namespace lanyard {

enum class StringFormat { email, uri, date, date_time };

template <>
struct EnumNames<StringFormat> {
    static constexpr std::array<std::string_view, 4> value{"email", "uri", "date", "date-time"};
};

/// A text field of a form. A default value needs protocol revision 2025-11-25 or later. In earlier
/// revisions, only boolean fields can have default values.
struct StringSchema {
    std::string title{};
    std::string description{};
    std::optional<std::int64_t> min_length{};
    std::optional<std::int64_t> max_length{};
    std::optional<StringFormat> format{};
    std::string pattern{};  ///< a regular expression; since protocol revision 2025-11-25
    std::optional<std::string> default_value{};

    bool operator==(StringSchema const&) const = default;
};

struct NumberSchema {
    bool integer = false;  ///< whether the type is "integer" instead of "number"
    std::string title{};
    std::string description{};
    std::optional<double> minimum{};
    std::optional<double> maximum{};
    std::optional<double> default_value{};

    bool operator==(NumberSchema const&) const = default;
};

struct BooleanSchema {
    std::string title{};
    std::string description{};
    std::optional<bool> default_value{};

    bool operator==(BooleanSchema const&) const = default;
};

/// One choice of a list. If any choice of the list has a title, choices without a title are shown
/// with their value.
struct EnumOption {
    std::string value{};
    std::string title{};

    bool operator==(EnumOption const&) const = default;
};

/// The user selects exactly one choice. In the JSON schema, choices without titles are written as
/// `enum`. Choices with titles are written as `oneOf` or, in protocol revision 2025-06-18, as
/// `enum` and `enumNames`.
struct SingleSelectEnumSchema {
    std::string title{};
    std::string description{};
    std::vector<EnumOption> options{};
    std::optional<std::string> default_value{};
    /// Whether titles are always written as `enumNames`. Protocol revisions after 2025-06-18 still
    /// allow this older form.
    bool enum_names = false;

    bool operator==(SingleSelectEnumSchema const&) const = default;
};

/// The user selects any number of the choices. Since protocol revision 2025-11-25.
struct MultiSelectEnumSchema {
    std::string title{};
    std::string description{};
    std::vector<EnumOption> options{};
    std::optional<std::int64_t> min_items{};
    std::optional<std::int64_t> max_items{};
    std::optional<std::vector<std::string>> default_value{};

    bool operator==(MultiSelectEnumSchema const&) const = default;
};

using PrimitiveSchemaDefinition = std::variant<StringSchema, NumberSchema, BooleanSchema,
                                               SingleSelectEnumSchema, MultiSelectEnumSchema>;

struct FormField {
    std::string name{};
    PrimitiveSchemaDefinition schema{};
    bool required = false;

    bool operator==(FormField const&) const = default;
};

/// The fields of a form, in the order in which they are shown. The answer is a flat JSON object.
struct FormSchema {
    std::vector<FormField> fields{};
    std::string dialect{};  ///< `$schema`; since revision 2025-11-25

    bool operator==(FormSchema const&) const = default;
};

struct ElicitFormParams {
    std::string message{};
    FormSchema requested_schema{};
    std::optional<TaskMetadata> task{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ElicitFormParams const&) const = default;
};

/// Asks the client to send the user to a web page. Since protocol revision 2025-11-25.
struct ElicitUrlParams {
    std::string message{};
    std::string url{};
    std::string elicitation_id{};  ///< 2025-11-25 only
    std::optional<TaskMetadata> task{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ElicitUrlParams const&) const = default;
};

using ElicitParams = std::variant<ElicitFormParams, ElicitUrlParams>;

enum class ElicitAction { accept, decline, cancel };

template <>
struct EnumNames<ElicitAction> {
    static constexpr std::array<std::string_view, 3> value{"accept", "decline", "cancel"};
};

struct ElicitResult {
    ElicitAction action = ElicitAction::cancel;
    /// The values of an accepted form: maps field names to strings, numbers, booleans or arrays of
    /// strings.
    std::optional<JsonObject> content{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ElicitResult const&) const = default;
};

/// Notifies the client that the user has finished on the web page (only in protocol revision
/// 2025-11-25).
struct ElicitationCompleteParams {
    std::string elicitation_id{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ElicitationCompleteParams const&) const = default;
};

}  // namespace lanyard
