// JSON, compared with Boost.JSON: what we accept, Boost accepts with the same value; what Boost
// accepts and we refuse is refused because of a stated limit. What we read can be written and read
// again. Lines that are checked together give the same result as single texts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parse.hpp>

#include "fuzz/require.hpp"
#include "json/parser.hpp"
#include "lanyard/json.hpp"

namespace {

using namespace lanyard;

// Boost.JSON reads some numbers as a neighbour of the nearest double, and 0e999 as NaN.
bool same_number(double ours, double boosts) {
    return ours == boosts || std::abs(ours - boosts) <= std::abs(ours) * 1e-15 ||
           (std::abs(ours) < 1e-300 && std::abs(boosts) < 1e-300) ||
           (ours == 0 && std::isnan(boosts));
}

bool same(Json const& a, Json const& b) {
    if (a.is_number() && b.is_number()) {
        // Boost represents -0 and integers with an exponent differently; only the value is
        // compared.
        return same_number(a.to_number<double>(), b.to_number<double>());
    }
    if (a.kind() != b.kind()) return false;
    if (a.is_array()) {
        auto const& x = a.get_array();
        auto const& y = b.get_array();
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
    }
    if (a.is_object()) {
        auto const& x = a.get_object();
        auto const& y = b.get_object();
        return x.size() == y.size() && std::all_of(x.begin(), x.end(), [&](auto const& member) {
                   auto const* other = y.if_contains(member.key());
                   return other != nullptr && same(member.value(), *other);
               });
    }
    return a == b;
}

bool is_limit(json::ParseErrc code) {
    return code == json::ParseErrc::too_large || code == json::ParseErrc::too_deep ||
           code == json::ParseErrc::too_many_nodes ||
           code == json::ParseErrc::number_out_of_range || code == json::ParseErrc::duplicate_key;
}

// Visits every value, as code that decodes would.
void visit(json::View value, std::string_view text) {
    auto const raw = value.raw();
    fuzz::require(raw.data() >= text.data() && raw.data() + raw.size() <= text.data() + text.size(),
                  "a value lies outside its text");
    if (value.is_string()) {
        auto const characters = *value.as_string();
        fuzz::require(value.equals(characters), "a string differs from itself");
        std::string out;
        json::Writer(out).string(characters);
        json::Document document;
        auto const again = document.parse(out);
        fuzz::require(again && again->as_string() == characters, "a string is not written back");
    }
    std::size_t count = 0;
    for (auto const element : value.elements()) {
        visit(element, text);
        ++count;
    }
    for (auto const [key, member] : value.members()) {
        visit(key, text);
        visit(member, text);
        ++count;
    }
    fuzz::require(count == value.size(), "size() is not the number of values");
}

// Lines that are checked together give the same result as single lines.
void compare_lines(std::string_view text) {
    json::TextParser together;
    together.look_ahead(text);
    while (!text.empty()) {
        auto const end = text.find('\n');
        auto const line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        json::TextParser single;
        auto const expected = single.parse(line, {});
        auto const parsed = together.parse(line, {});
        fuzz::require(parsed.has_value() == expected.has_value(), "a line is judged differently");
        if (parsed) {
            fuzz::require(parsed->raw() == expected->raw() && parsed->size() == expected->size() &&
                              parsed->to_json() == expected->to_json(),
                          "a line is read differently");
        } else {
            fuzz::require(parsed.error().to_string() == expected.error().to_string(),
                          "a line is refused for something else");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    // A copy of exactly the right size, so that reads past the end are found.
    std::vector<char> const exact(data, data + size);
    std::string_view const text(exact.data(), exact.size());

    compare_lines(text);

    boost::json::parse_options boost_options;
    boost_options.max_depth = 100;
    boost::json::error_code refused;
    auto const expected = boost::json::parse(text, refused, {}, boost_options);
    // A limit of Boost: an exponent that does not fit into an int.
    bool const boost_cannot = refused == boost::json::error::exponent_overflow;

    json::Document document;
    auto const root = document.parse(text);
    if (!root) {
        auto const& error = root.error();
        fuzz::require(!error.message.empty(), "a refusal without a reason");
        fuzz::require(error.offset <= text.size(), "a refusal beyond the text");
        fuzz::require(refused || is_limit(error.code), "Boost accepts what is refused");
        if (!refused && error.code == json::ParseErrc::duplicate_key) {
            json::ParseOptions lenient;
            lenient.unique_keys = false;
            auto const again = document.parse(text, lenient);
            fuzz::require(again || is_limit(again.error().code), "refused for more than its keys");
        }
        return 0;
    }
    fuzz::require(!refused || boost_cannot, "Boost refuses what is accepted");
    auto const tree = root->to_json();
    fuzz::require(boost_cannot || same(tree, expected), "Boost reads another value");
    visit(*root, text);

    auto const written = json::serialize(tree);
    fuzz::require(written.find('\n') == std::string::npos, "a line break is written");
    json::ParseOptions wide;
    wide.max_bytes = written.size();
    auto const again = json::parse(written, wide);
    fuzz::require(again && same(*again, tree), "the value is not written back");
    return 0;
}
