// Completion of prompt arguments and template variables (MCP specification,
// server/utilities/completion).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <lanyard/protocol/base.hpp>

namespace lanyard {

struct PromptReference {
    std::string name{};
    std::string title{};

    bool operator==(PromptReference const&) const = default;
};

struct ResourceTemplateReference {
    std::string uri{};  ///< a URI or a URI template

    bool operator==(ResourceTemplateReference const&) const = default;
};

using CompletionReference = std::variant<PromptReference, ResourceTemplateReference>;

/// The argument being typed.
struct CompletionArgument {
    std::string name{};
    std::string value{};

    bool operator==(CompletionArgument const&) const = default;
};

/// The values of the arguments that the user has already filled in. Since protocol revision
/// 2025-06-18.
struct CompletionContext {
    std::map<std::string, std::string> arguments{};

    bool operator==(CompletionContext const&) const = default;
};

struct CompleteParams {
    CompletionReference ref{};
    CompletionArgument argument{};
    std::optional<CompletionContext> context{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(CompleteParams const&) const = default;
};

/// The maximum number of values in one answer.
inline constexpr std::size_t max_completion_values = 100;

struct Completion {
    std::vector<std::string> values{};
    std::optional<std::int64_t> total{};
    std::optional<bool> has_more{};

    bool operator==(Completion const&) const = default;
};

struct CompleteResult {
    Completion completion{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(CompleteResult const&) const = default;
};

}  // namespace lanyard
