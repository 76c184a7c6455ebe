#include "schema/pattern.hpp"

#include <utility>

#include <re2/re2.h>

#include "schema/regex/ecma_regex.hpp"

namespace lanyard::schema {

namespace {

// The maximum memory for the program and the DFA cache of one pattern, which also limits the time
// to compile. It is enough for \p{L}{1,200}, which has about 240 000 instructions.
constexpr int max_memory = 4 << 20;

// Describes why RE2 refused a translated pattern. The syntax has been checked before, so the reason
// is always a limit of RE2.
std::string describe(re2::RE2 const& regex) {
    switch (regex.error_code()) {
        case re2::RE2::ErrorRepeatSize:
            return "nested repetitions of more than 1000 in all are not supported";
        case re2::RE2::ErrorPatternTooLarge:
            return "the pattern is too large";
        default:
            return "not supported: " + regex.error();
    }
}

}  // namespace

Pattern::Pattern(Kind kind, std::string literal) noexcept
    : kind_(kind), literal_(std::move(literal)) {}
Pattern::Pattern(std::unique_ptr<re2::RE2 const> regex) noexcept
    : kind_(Kind::regex), regex_(std::move(regex)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern, std::string> Pattern::compile(std::string_view ecma) {
    auto translated = read_ecma_regex(ecma);
    if (!translated) return Unexpected(translated.error().to_string());
    if (translated->unsupported) return Unexpected(translated->unsupported->to_string());
    if (translated->plain && (translated->from_start || translated->to_end)) {
        Kind const kind = !translated->to_end      ? Kind::prefix
                          : translated->from_start ? Kind::whole
                                                   : Kind::suffix;
        return Pattern(kind, std::move(translated->literal));
    }
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(max_memory);
    auto regex = std::make_unique<re2::RE2 const>(translated->re2, options);
    if (!regex->ok()) return Unexpected(describe(*regex));
    return Pattern(std::move(regex));
}

bool Pattern::matches(std::string_view utf8) const noexcept {
    switch (kind_) {
        case Kind::prefix:
            return utf8.starts_with(literal_);
        case Kind::suffix:
            return utf8.ends_with(literal_);
        case Kind::whole:
            return utf8 == literal_;
        case Kind::regex:
            break;
    }
    re2::StringPiece const text(utf8.data(), utf8.size());
    return regex_->Match(text, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::size_t Pattern::size() const noexcept {
    return regex_ ? static_cast<std::size_t>(regex_->ProgramSize()) : 0;
}

}  // namespace lanyard::schema
