// Snippets of docs/types.md.
#include <lanyard/codec.hpp>
#include <lanyard/reflect.hpp>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// [nested]
enum class Unit { celsius, fahrenheit };
LANYARD_ENUM(Unit, (celsius, "Degrees Celsius"), (fahrenheit, "Degrees Fahrenheit"))

struct Place {
    std::string city;
    std::optional<std::string> country;  // may be absent
};
LANYARD_STRUCT(Place, city, (country, "ISO 3166 code", lanyard::max_length{2}))

struct Forecast {
    std::vector<Place> places;
    Unit unit = Unit::celsius;
    std::map<std::string, std::variant<bool, std::string>> options;
};
LANYARD_STRUCT((Forecast, "What to forecast", lanyard::closed), (places, lanyard::min_items{1}),
               (unit, lanyard::defaulted), (options, lanyard::omit_empty))
// [/nested]

int main() {
    auto const forecast = lanyard::decode_text<Forecast>(
        R"({"places":[{"city":"Oslo","country":"NO"}],"unit":"fahrenheit","options":{"wind":true}})");
    if (!forecast || forecast->unit != Unit::fahrenheit) return 1;

    auto const bad = lanyard::decode_text<Forecast>(R"({"places":[{"city":1}]})");
    auto const closed = lanyard::decode_text<Forecast>(R"({"places":[{"city":"Oslo"}],"x":1})");
    return !bad && bad.error().pointer == "/places/0/city" && !closed ? 0 : 1;
}
