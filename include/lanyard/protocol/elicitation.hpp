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

/// Free text. Before 2025-11-25 only boolean fields can have defaults.
struct StringSchema {
    std::string title{};
    std::string description{};
    std::optional<std::int64_t> min_length{};
    std::optional<std::int64_t> max_length{};
    std::optional<StringFormat> format{};
    std::string pattern{};  ///< a regular expression, from 2025-11-25
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

/// One choice. If any choice of a list has a title, choices without a title show their value.
struct EnumOption {
    std::string value{};
    std::string title{};

    bool operator==(EnumOption const&) const = default;
};

/// Exactly one of several choices: `enum`, or `oneOf` if there are titles (2025-06-18:
/// `enumNames`).
struct SingleSelectEnumSchema {
    std::string title{};
    std::string description{};
    std::vector<EnumOption> options{};
    std::optional<std::string> default_value{};
    /// Whether titles are always written as `enumNames`. Revisions after 2025-06-18 still allow
    /// this older form.
    bool enum_names = false;

    bool operator==(SingleSelectEnumSchema const&) const = default;
};

/// Any number of several choices. From 2025-11-25.
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

/// The flat object that a form asks for; its fields are in the order in which they are shown.
struct FormSchema {
    std::vector<FormField> fields{};
    std::string dialect{};  ///< `$schema`, from 2025-11-25

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

/// Sends the user to a web page. From 2025-11-25.
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
    /// Field name -> string, number, boolean or array of strings; only for an accepted form.
    std::optional<JsonObject> content{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ElicitResult const&) const = default;
};

/// Notifies the client that the user has finished on the web page (2025-11-25).
struct ElicitationCompleteParams {
    std::string elicitation_id{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ElicitationCompleteParams const&) const = default;
};

}  // namespace lanyard
