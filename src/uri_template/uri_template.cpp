#include "lanyard/uri_template.hpp"

#include <algorithm>

#include "uri_template/expand.hpp"
#include "uri_template/matcher.hpp"
#include "uri_template/program.hpp"
#include "uri_template/syntax.hpp"

namespace lanyard {

namespace {

auto find_entry(auto& entries, std::string_view name) noexcept {
    return std::ranges::find(entries, name,
                             [](auto const& entry) { return std::string_view(entry.first); });
}

}  // namespace

UriVariables& UriVariables::set(std::string name, UriValue value) {
    auto const entry = find_entry(entries_, name);
    if (entry != entries_.end()) {
        entry->second = std::move(value);
    } else {
        entries_.emplace_back(std::move(name), std::move(value));
    }
    return *this;
}

UriValue const* UriVariables::find(std::string_view name) const noexcept {
    auto const entry = find_entry(entries_, name);
    return entry != entries_.end() ? &entry->second : nullptr;
}

std::string const* UriVariables::string(std::string_view name) const noexcept {
    return std::get_if<std::string>(find(name));
}

struct UriTemplate::Compiled {
    std::string text;
    uri_template::Syntax syntax;
    uri_template::TemplateProgram program;
};

Result<UriTemplate, DecodeError> UriTemplate::parse(std::string_view text) {
    auto syntax = uri_template::parse(text);
    if (!syntax) return Unexpected(std::move(syntax).error());
    auto program = uri_template::compile(*syntax);
    return UriTemplate(std::make_shared<Compiled const>(
        Compiled{std::string(text), *std::move(syntax), std::move(program)}));
}

std::string const& UriTemplate::text() const noexcept {
    return compiled_->text;
}

std::vector<std::string> const& UriTemplate::variables() const noexcept {
    return compiled_->syntax.names;
}

Result<std::string, DecodeError> UriTemplate::expand(UriVariables const& variables) const {
    return uri_template::expand(compiled_->syntax, variables);
}

std::optional<UriVariables> UriTemplate::match(std::string_view uri) const {
    std::size_t steps = 0;
    return uri_template::match(compiled_->syntax, compiled_->program, uri, steps);
}

}  // namespace lanyard
