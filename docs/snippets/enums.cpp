// Snippets of docs/types.md.
#include <lanyard/codec.hpp>
#include <lanyard/reflect.hpp>

#include <cstdio>
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
LANYARD_STRUCT(Place, city, (country, "ISO 3166 code", max_length{2}))

struct Forecast {
    std::vector<Place> places;
    Unit unit = Unit::celsius;
    std::map<std::string, std::variant<bool, std::string>> options;
};
LANYARD_STRUCT((Forecast, "What to forecast", closed), (places, min_items{1}), (unit, defaulted),
               (options, omit_empty))
// [/nested]

// [codec]
class Release {
public:
    Release() = default;
    Release(int major, int minor) : major_(major), minor_(minor) {}
    int major() const { return major_; }
    int minor() const { return minor_; }

private:
    int major_ = 0;
    int minor_ = 0;
};

template <>
struct lanyard::Codec<Release> {
    static Json schema() { return {{"type", "string"}, {"description", "Such as 1.2"}}; }

    static void encode(json::Writer& writer, Release const& value, EncodeContext const&) {
        writer.string(std::to_string(value.major()) + "." + std::to_string(value.minor()));
    }

    static bool decode(json::View view, Release& out, DecodeContext& context) {
        std::string text;
        if (!Codec<std::string>::decode(view, text, context)) return false;
        int major = 0;
        int minor = 0;
        if (std::sscanf(text.c_str(), "%d.%d", &major, &minor) != 2) {
            return context.fail("must be a version such as \"1.2\", got \"", text, "\"");
        }
        out = Release(major, minor);
        return true;
    }
};

struct Package {
    std::string name;
    std::vector<Release> versions;
};
LANYARD_STRUCT(Package, name, versions)
// [/codec]

bool versions_work() {
    auto const package =
        lanyard::decode_text<Package>(R"({"name":"lanyard","versions":["1.2","2.0"]})");
    if (!package || package->versions.at(1).major() != 2) return false;
    auto const text = lanyard::to_json_text(*package);
    auto const bad = lanyard::decode_text<Package>(R"({"name":"lanyard","versions":["x"]})");
    return text == R"({"name":"lanyard","versions":["1.2","2.0"]})" && !bad &&
           bad.error().pointer == "/versions/0";
}

int main() {
    if (!versions_work()) return 1;
    auto const forecast = lanyard::decode_text<Forecast>(
        R"({"places":[{"city":"Oslo","country":"NO"}],"unit":"fahrenheit","options":{"wind":true}})");
    if (!forecast || forecast->unit != Unit::fahrenheit) return 1;

    auto const bad = lanyard::decode_text<Forecast>(R"({"places":[{"city":1}]})");
    auto const closed = lanyard::decode_text<Forecast>(R"({"places":[{"city":"Oslo"}],"x":1})");
    return !bad && bad.error().pointer == "/places/0/city" && !closed ? 0 : 1;
}
