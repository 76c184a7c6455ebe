#include "http/message/media_type.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace lanyard::http {
namespace {

using ascii::equals_ignoring_case;
using ascii::trim;

// Returns the text before the first separator, and removes that text and the separator from `text`.
// Ignores separators in quoted strings.
std::string_view take_until(std::string_view& text, char separator) noexcept {
    bool quoted = false;
    std::size_t end = 0;
    for (; end < text.size() && (quoted || text[end] != separator); ++end) {
        if (text[end] == '"') quoted = !quoted;
        if (quoted && text[end] == '\\') ++end;
    }
    end = std::min(end, text.size());
    auto const part = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    return part;
}

bool is_quoted_string(std::string_view text) noexcept {
    if (text.size() < 2 || text.front() != '"') return false;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') return i + 1 == text.size();
        if (text[i] == '\\') ++i;
    }
    return false;
}

struct Parameter {
    std::string_view name;
    std::string_view value;
};

// Removes the next parameter from the front of "name=value; ...". Returns nullopt if the parameter
// is malformed. For an empty parameter, as in "a=1;;b=2", returns a Parameter without a name.
std::optional<Parameter> take_parameter(std::string_view& text) noexcept {
    auto const part = trim(take_until(text, ';'));
    if (part.empty()) return Parameter{};
    auto const equals = part.find('=');
    if (equals == part.npos) return std::nullopt;
    Parameter parameter{part.substr(0, equals), part.substr(equals + 1)};
    bool const quoted = is_quoted_string(parameter.value);
    if (!ascii::is_token(parameter.name) || (!quoted && !ascii::is_token(parameter.value))) {
        return std::nullopt;
    }
    if (quoted) parameter.value = parameter.value.substr(1, parameter.value.size() - 2);
    return parameter;
}

bool is_in_utf8(MediaType const& type) noexcept {
    auto const charset = type.parameter("charset");
    // "utf8" is an old spelling that peers still send.
    return !charset || equals_ignoring_case(*charset, "utf-8") ||
           equals_ignoring_case(*charset, "utf8");
}

// Whether a quality is zero: "0", "0." or "0.000".
bool is_zero(std::string_view quality) noexcept {
    return !quality.empty() && quality.find_first_not_of("0.") == quality.npos;
}

// Whether the media ranges considered so far accept one media type. The most specific range that
// matches decides.
struct Choice {
    int closeness = 0;
    bool accepted = false;

    void consider(MediaType const& range, std::string_view type, std::string_view subtype,
                  bool wanted) noexcept {
        int found = 0;
        if (range.is(type, subtype)) {
            found = 3;
        } else if (range.is(type, "*")) {
            found = 2;
        } else if (range.is("*", "*")) {
            found = 1;
        }
        if (found == 0 || found < closeness) return;
        accepted = found == closeness ? accepted || wanted : wanted;
        closeness = found;
    }
};

}  // namespace

bool MediaType::is(std::string_view other_type, std::string_view other_subtype) const noexcept {
    return equals_ignoring_case(type, other_type) && equals_ignoring_case(subtype, other_subtype);
}

std::optional<std::string_view> MediaType::parameter(std::string_view name) const noexcept {
    for (auto rest = parameters; !rest.empty();) {
        auto const parameter = take_parameter(rest);
        if (parameter && equals_ignoring_case(parameter->name, name)) return parameter->value;
    }
    return std::nullopt;
}

std::optional<MediaType> parse_media_type(std::string_view text) noexcept {
    auto const semicolon = std::min(text.find(';'), text.size());
    auto const essence = trim(text.substr(0, semicolon));
    auto const slash = essence.find('/');
    if (slash == essence.npos) return std::nullopt;
    MediaType media{essence.substr(0, slash), essence.substr(slash + 1),
                    text.substr(std::min(text.size(), semicolon + 1))};
    if (!ascii::is_token(media.type) || !ascii::is_token(media.subtype)) return std::nullopt;
    for (auto rest = media.parameters; !rest.empty();) {
        if (!take_parameter(rest)) return std::nullopt;
    }
    return media;
}

bool is_json(std::string_view content_type) noexcept {
    if (content_type == "application/json") return true;  // the usual case
    auto const media = parse_media_type(content_type);
    return media && media->is("application", "json") && is_in_utf8(*media);
}

bool is_event_stream(std::string_view content_type) noexcept {
    auto const media = parse_media_type(content_type);
    return media && media->is("text", "event-stream") && is_in_utf8(*media);
}

Acceptance read_acceptance(Fields const& fields) noexcept {
    auto const first = fields.find(FieldName::accept);
    if (!first) return {true, true};
    bool const usual = *first == "application/json, text/event-stream";
    if (usual && !fields.repeated(FieldName::accept)) return {true, true};
    Choice json, event_stream;
    for (auto const& field : fields.all()) {
        if (field.id != FieldName::accept) continue;
        for (auto rest = field.value; !rest.empty();) {
            auto const range = parse_media_type(take_until(rest, ','));
            if (!range) continue;
            bool const wanted = !is_zero(range->parameter("q").value_or("1"));
            json.consider(*range, "application", "json", wanted);
            event_stream.consider(*range, "text", "event-stream", wanted);
        }
    }
    return {json.accepted, event_stream.accepted};
}

}  // namespace lanyard::http
