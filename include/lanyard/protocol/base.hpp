// Types used by every area of the specification: roles, icons, annotations, implementation
// identity, empty payloads and pagination (MCP specification, basic/index,
// server/utilities/pagination).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <lanyard/json/document.hpp>
#include <lanyard/protocol/enum_names.hpp>
#include <lanyard/protocol/meta.hpp>

namespace lanyard {

/// The speaker in a conversation.
enum class Role { user, assistant };

template <>
struct EnumNames<Role> {
    static constexpr std::array<std::string_view, 2> value{"user", "assistant"};
};

enum class IconTheme { light, dark };

template <>
struct EnumNames<IconTheme> {
    static constexpr std::array<std::string_view, 2> value{"light", "dark"};
};

/// An image a user interface may show. `src` is an https: or data: URI (check_icon_source).
struct Icon {
    std::string src{};
    std::string mime_type{};
    std::vector<std::string> sizes{};  ///< "48x48" or "any"
    std::optional<IconTheme> theme{};
    JsonObject extra{};  ///< unknown members

    bool operator==(Icon const&) const = default;
};

/// Hints for the client about the use of content or a resource.
struct Annotations {
    std::vector<Role> audience{};
    std::optional<double> priority{};  ///< 0 (optional) to 1 (required)
    std::string last_modified{};       ///< ISO 8601
    JsonObject extra{};

    bool operator==(Annotations const&) const = default;
};

/// Name and version of a client or server, for display and diagnosis only.
struct Implementation {
    std::string name{};
    std::string version{};
    std::string title{};
    std::string description{};
    std::string website_url{};
    std::vector<Icon> icons{};

    bool operator==(Implementation const&) const = default;
};

/// An opaque position in a list; "" is a valid cursor.
using Cursor = std::string;

/// Parameters without members other than `_meta`.
struct EmptyParams {
    Meta meta{};
    JsonObject extra{};  ///< unknown members

    bool operator==(EmptyParams const&) const = default;
};

/// A result without members other than `_meta`.
struct EmptyResult {
    Meta meta{};
    JsonObject extra{};

    bool operator==(EmptyResult const&) const = default;
};

/// Parameters of every paginated list method.
struct PaginatedParams {
    std::optional<Cursor> cursor{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(PaginatedParams const&) const = default;
};

}  // namespace lanyard
