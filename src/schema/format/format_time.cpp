// The formats date, time, date-time and duration (RFC 3339).
#include <cstddef>

#include "base/ascii.hpp"
#include "schema/format/format_checks.hpp"

namespace lanyard::schema {

namespace {

// Consumes exactly `digits` digits; returns -1 if there are fewer.
int take_number(std::string_view& text, std::size_t digits) noexcept {
    if (text.size() < digits) return -1;
    int value = 0;
    for (char const c : text.substr(0, digits)) {
        if (!ascii::is_digit(static_cast<unsigned char>(c))) return -1;
        value = value * 10 + (c - '0');
    }
    text.remove_prefix(digits);
    return value;
}

bool take(std::string_view& text, char expected) noexcept {
    if (!text.starts_with(expected)) return false;
    text.remove_prefix(1);
    return true;
}

bool take_in_range(std::string_view& text, int last, int& value) noexcept {
    value = take_number(text, 2);
    return value >= 0 && value <= last;
}

int days_of(int month, int year) noexcept {
    constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool const leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

bool take_date(std::string_view& text) noexcept {
    int const year = take_number(text, 4);
    if (year < 0 || !take(text, '-')) return false;
    int const month = take_number(text, 2);
    if (month < 1 || month > 12 || !take(text, '-')) return false;
    int const day = take_number(text, 2);
    return day >= 1 && day <= days_of(month, year);
}

// Consumes the UTC offset and stores it in minutes.
bool take_offset(std::string_view& text, int& minutes) noexcept {
    minutes = 0;
    if (take(text, 'Z') || take(text, 'z')) return true;
    bool const behind = take(text, '-');
    if (!behind && !take(text, '+')) return false;
    int hour = 0;
    int minute = 0;
    if (!take_in_range(text, 23, hour) || !take(text, ':')) return false;
    if (!take_in_range(text, 59, minute)) return false;
    minutes = (hour * 60 + minute) * (behind ? -1 : 1);
    return true;
}

bool take_time(std::string_view& text) noexcept {
    int hour = 0;
    int minute = 0;
    int second = 0;
    int offset = 0;
    if (!take_in_range(text, 23, hour) || !take(text, ':')) return false;
    if (!take_in_range(text, 59, minute) || !take(text, ':')) return false;
    if (!take_in_range(text, 60, second)) return false;
    if (take(text, '.')) {
        auto const digits = text.find_first_not_of("0123456789");
        if (digits == 0 || digits == std::string_view::npos) return false;
        text.remove_prefix(digits);
    }
    if (!take_offset(text, offset)) return false;
    // A leap second can only be the last second of a UTC day.
    constexpr int day = 24 * 60;
    return second < 60 || (hour * 60 + minute - offset + day) % day == day - 1;
}

// Consumes numbers, each followed by one of `units`. The units must appear in the order of `units`,
// without a gap: with "HMS", "1H2M" is valid, but "1H2S" is not.
bool take_components(std::string_view& text, std::string_view units) noexcept {
    std::size_t expected = std::string_view::npos;  // the index of the unit that must come next
    while (!text.empty() && ascii::is_digit(static_cast<unsigned char>(text.front()))) {
        auto const digits = text.find_first_not_of("0123456789");
        if (digits == std::string_view::npos) return false;
        auto const unit = units.find(text[digits]);
        if (unit == std::string_view::npos) return false;
        if (expected != std::string_view::npos && unit != expected) return false;
        expected = unit + 1;
        text.remove_prefix(digits + 1);
    }
    return expected != std::string_view::npos;
}

}  // namespace

bool is_date(std::string_view text) noexcept {
    return take_date(text) && text.empty();
}

bool is_time(std::string_view text) noexcept {
    return take_time(text) && text.empty();
}

bool is_date_time(std::string_view text) noexcept {
    return take_date(text) && (take(text, 'T') || take(text, 't')) && is_time(text);
}

bool is_duration(std::string_view text) noexcept {
    if (!take(text, 'P')) return false;
    if (auto weeks = text; take_components(weeks, "W")) return weeks.empty();
    bool const time_only = text.starts_with('T');
    if (!time_only && !take_components(text, "YMD")) return false;
    if (text.empty()) return true;
    return take(text, 'T') && take_components(text, "HMS") && text.empty();
}

}  // namespace lanyard::schema
