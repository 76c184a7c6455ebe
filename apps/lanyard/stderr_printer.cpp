#include "stderr_printer.hpp"

#include <cstddef>

#include "terminal.hpp"

namespace lanyard::app {
namespace {

/// Returns the size of the text without an incomplete UTF-8 character at its end.
std::size_t size_of_whole_characters(std::string_view text) {
    constexpr std::size_t longest = 4;
    for (std::size_t taken = 1; taken < longest && taken <= text.size(); ++taken) {
        auto const byte = static_cast<unsigned char>(text[text.size() - taken]);
        if ((byte & 0xC0U) == 0x80U) continue;
        bool const leads = byte >= 0xC2U && byte <= 0xF4U;
        auto const size = byte >= 0xF0U ? 4U : byte >= 0xE0U ? 3U : 2U;
        return leads && size > taken ? text.size() - taken : text.size();
    }
    return text.size();
}

}  // namespace

void StderrPrinter::operator()(std::string_view text) {
    pending_ += text;
    auto const whole = size_of_whole_characters(pending_);
    *out_ << without_control_characters(std::string_view(pending_).substr(0, whole)) << std::flush;
    pending_.erase(0, whole);
}

}  // namespace lanyard::app
