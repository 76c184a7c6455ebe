// Durations as numbers of seconds, and points in time in the format of RFC 3339.
#include <array>
#include <chrono>
#include <cmath>

#include "codec/message.hpp"
#include "lanyard/codec.hpp"
#include "schema/format/format_checks.hpp"

namespace lanyard::codec {

namespace {

constexpr std::int64_t seconds_of_day = 86'400;

bool fail_range(json::View view, DecodeContext& context) {
    if (context.quiet()) return false;
    return context.fail("must be a number of seconds that is not out of range, got ", shown(view));
}

bool is_power_of_ten(std::int64_t number) noexcept {
    while (number % 10 == 0) number /= 10;
    return number == 1;
}

// Returns the number in decimal, padded with zeros to at least `digits` digits.
std::string padded(std::uint64_t number, std::size_t digits) {
    auto text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

// Parses `count` digits at a position that is known to hold digits.
int digits_at(std::string_view text, std::size_t at, std::size_t count) noexcept {
    int number = 0;
    for (char const c : text.substr(at, count)) number = number * 10 + (c - '0');
    return number;
}

// `text` must be a valid date-time of RFC 3339.
Instant parse_instant(std::string_view text) noexcept {
    using namespace std::chrono;
    auto const date = year(digits_at(text, 0, 4)) /
                      month(static_cast<unsigned>(digits_at(text, 5, 2))) /
                      day(static_cast<unsigned>(digits_at(text, 8, 2)));
    Instant instant;
    instant.seconds = sys_days(date).time_since_epoch().count() * seconds_of_day +
                      digits_at(text, 11, 2) * 3600 + digits_at(text, 14, 2) * 60 +
                      digits_at(text, 17, 2);
    std::size_t at = 19;
    if (text[at] == '.') {
        std::int64_t unit = 100'000'000;
        for (++at; text[at] >= '0' && text[at] <= '9'; ++at, unit /= 10) {
            instant.nanoseconds += (text[at] - '0') * unit;
        }
    }
    if (text[at] == '+' || text[at] == '-') {
        int const offset = digits_at(text, at + 1, 2) * 3600 + digits_at(text, at + 4, 2) * 60;
        instant.seconds += text[at] == '+' ? -offset : offset;
    }
    return instant;
}

}  // namespace

bool decode_ticks(json::View view, std::int64_t per_second, std::int64_t minimum,
                  std::int64_t maximum, std::int64_t& out, DecodeContext& context) {
    if (auto const whole = view.as_int64()) {
        std::int64_t ticks = 0;
        if (__builtin_mul_overflow(*whole, per_second, &ticks) || ticks < minimum ||
            ticks > maximum) {
            return fail_range(view, context);
        }
        out = ticks;
        return true;
    }
    auto const seconds = view.as_double();
    if (!seconds) return context.fail_expected("a number", view);
    auto const ticks =
        std::round(static_cast<long double>(*seconds) * static_cast<long double>(per_second));
    // The bounds of the type are powers of two, which real numbers represent exactly.
    auto const beyond = std::ldexp(1.0L, 63);
    if (!(ticks >= -beyond && ticks < beyond)) return fail_range(view, context);
    auto const count = static_cast<std::int64_t>(ticks);
    if (count < minimum || count > maximum) return fail_range(view, context);
    out = count;
    return true;
}

bool decode_whole_ticks(json::View view, std::int64_t seconds, std::int64_t minimum,
                        std::int64_t maximum, std::int64_t& out, DecodeContext& context) {
    std::int64_t number = 0;
    if (!decode_integer(view, INT64_MIN, INT64_MAX, number, context)) return false;
    if (number % seconds != 0) {
        if (context.quiet()) return false;
        return context.fail("must be a multiple of ", std::to_string(seconds), ", got ",
                            shown(view));
    }
    number /= seconds;
    if (number < minimum || number > maximum) return fail_range(view, context);
    out = number;
    return true;
}

void encode_whole_ticks(json::Writer& writer, std::int64_t ticks, std::int64_t seconds) {
    std::int64_t number = 0;
    if (__builtin_mul_overflow(ticks, seconds, &number)) {
        writer.real(static_cast<double>(ticks) * static_cast<double>(seconds));
    } else {
        writer.integer(number);
    }
}

void encode_ticks(json::Writer& writer, std::int64_t ticks, std::int64_t per_second) {
    if (ticks % per_second == 0) {
        writer.integer(ticks / per_second);
        return;
    }
    if (!is_power_of_ten(per_second)) {
        writer.real(static_cast<double>(ticks) / static_cast<double>(per_second));
        return;
    }
    auto const unit = static_cast<std::uint64_t>(per_second);
    auto const size =
        ticks < 0 ? 0 - static_cast<std::uint64_t>(ticks) : static_cast<std::uint64_t>(ticks);
    auto fraction = padded(size % unit, std::to_string(unit).size() - 1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    std::string text = ticks < 0 ? "-" : "";
    text.append(std::to_string(size / unit)).append(".").append(fraction);
    writer.raw(text);
}

bool fail_instant(json::View view, DecodeContext& context) {
    if (context.quiet()) return false;
    return context.fail("must be a date and time that is not out of range, got ", shown(view));
}

bool decode_instant(json::View view, Instant& out, DecodeContext& context) {
    if (!view.is_string()) return context.fail_expected("a string", view);
    auto const text = *view.as_string();
    if (!schema::is_date_time(text)) {
        if (context.quiet()) return false;
        return context.fail(
            "must be a date and time with its offset, such as \"2026-07-28T09:30:00Z\", got ",
            shown(view));
    }
    out = parse_instant(text);
    return true;
}

void encode_instant(json::Writer& writer, Instant instant) {
    using namespace std::chrono;
    auto const date = floor<days>(sys_seconds(seconds(instant.seconds)));
    year_month_day const calendar(date);
    int const year = static_cast<int>(calendar.year());
    if (!calendar.ok() || year < 0 || year > 9999) {
        writer.null();  // RFC 3339 cannot express this year
        return;
    }
    auto const time = static_cast<std::uint64_t>(instant.seconds -
                                                 date.time_since_epoch().count() * seconds_of_day);
    std::string text = padded(static_cast<std::uint64_t>(year), 4);
    text += '-' + padded(static_cast<unsigned>(calendar.month()), 2);
    text += '-' + padded(static_cast<unsigned>(calendar.day()), 2);
    text += 'T' + padded(time / 3600, 2);
    text += ':' + padded(time / 60 % 60, 2);
    text += ':' + padded(time % 60, 2);
    if (instant.nanoseconds != 0) {
        auto fraction = padded(static_cast<std::uint64_t>(instant.nanoseconds), 9);
        while (fraction.ends_with("000")) fraction.resize(fraction.size() - 3);
        text += '.' + fraction;
    }
    text += 'Z';
    writer.safe_string(text);
}

}  // namespace lanyard::codec
