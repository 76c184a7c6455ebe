// The schema of a type and its decoder agree: both accept the same values.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "lanyard/reflect.hpp"
#include "lanyard/schema.hpp"
#include "lanyard/schema_of.hpp"

namespace lanyard {
namespace {

enum class Color { red, green };
LANYARD_ENUM(Color, (red, "Red"), green)

struct Node {
    std::int8_t a = 0;
    std::vector<Node> b;
};
LANYARD_STRUCT((Node, closed), a, (b, omit_empty, max_items{2}))

struct Leaf {
    std::string a;
    std::optional<Color> c;
};
LANYARD_STRUCT(Leaf, (a, min_length{1}, max_length{2}), c)

struct Sample {
    int a = 1;
    std::optional<double> b;
    std::variant<Node, Leaf, bool, std::string> c;
    std::vector<Json> d;
    std::map<std::string, std::optional<std::uint8_t>> e;
    std::optional<std::array<int, 2>> f;
    std::unique_ptr<Leaf> g;
    std::optional<Color> h;
    RequestId i;
};
LANYARD_STRUCT(Sample, (a, min{-1}, exclusive_max{3}, defaulted), (b, multiple_of{0.5}, nullable),
               (c, defaulted), (d, unique_items, min_items{1}), (e, omit_empty), f, g,
               (h, nullable, required), (i, defaulted))

// Small values from a small vocabulary, so that about half of them are accepted.
class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {}

    std::string value(int depth) {
        static constexpr std::array scalars{
            "null", "true",  "false", "0",       "1",     "2",         "-1",
            "3",    "1.0",   "0.5",   "2.25",    "127",   "128",       "256",
            "-129", "1e2",   "\"\"",  "\"red\"", "\"a\"", "\"abc\"",   "[]",
            "{}",   "[1,2]", "[1,1]", "[1,1.0]", "[0,2]", "\"green\"", "-0.0"};
        auto const choice = pick(depth > 0 ? 10 : 7);
        if (choice < 7) return scalars[pick(scalars.size())];
        return choice == 7 ? array(depth - 1) : object(depth - 1);
    }

    std::string object(int depth) {
        // Prefers members that fit Sample; now and then another value takes their place.
        static std::map<std::string, std::vector<std::string>> const likely{
            {"a", {"1", "\"a\"", "-1", "2.0"}},
            {"b", {"1.5", "[]", "null", R"([{"a":1}])"}},
            {"c", {R"({"a":1})", R"({"a":"x"})", "true", R"("s")", R"({"a":"x","c":"red"})"}},
            {"d", {"[1]", R"([{"a":1,"b":2},{"b":2,"a":1}])", "[1,2]"}},
            {"e", {"{}", R"({"x":1,"y":null})"}},
            {"f", {"[1,2]"}},
            {"g", {R"({"a":"x"})"}},
            {"h", {"null", "\"red\""}},
            {"i", {"1", "\"x\""}},
        };
        std::string text = "{";
        for (auto const& [name, values] : likely) {
            if (pick(4) == 0) continue;
            if (text.size() > 1) text += ',';
            text += '"' + name + "\":";
            text += pick(12) == 0 ? value(depth) : values[pick(values.size())];
        }
        return text + "}";
    }

private:
    std::string array(int depth) {
        std::string text = "[";
        for (std::size_t i = 0, count = pick(4); i < count; ++i) {
            if (i > 0) text += ',';
            text += value(depth);
        }
        return text + "]";
    }

    std::size_t pick(std::size_t count) { return random_() % count; }

    std::mt19937 random_;
};

struct Tally {
    std::size_t accepted = 0;
    std::size_t refused = 0;
};

template <class T>
Tally compare(std::size_t rounds, std::string (*make)(Generator&)) {
    auto const schema = schema_of<T>();
    auto const validator = schema::Validator::compile(schema);
    EXPECT_TRUE(validator) << validator.error().to_string();
    Tally tally;
    Generator generator(20260728);
    json::Document document;
    for (std::size_t i = 0; i < rounds; ++i) {
        auto const text = make(generator);
        auto const view = document.parse(text);
        EXPECT_TRUE(view) << text;
        auto const decoded = decode<T>(*view);
        EXPECT_EQ(decoded.has_value(), validator->is_valid(*view))
            << text << "\n"
            << (decoded ? "decoded" : decoded.error().to_string());
        ++(decoded ? tally.accepted : tally.refused);
        if (!decoded) continue;
        // The encoded text is valid too, and decodes to the same value.
        auto const written = to_json_text(*decoded);
        EXPECT_TRUE(validator->is_valid(*document.parse(written))) << written;
        auto const read = decode_text<T>(written);
        EXPECT_EQ(to_json_text(*read), written);
    }
    return tally;
}

std::string any_value(Generator& generator) {
    return generator.value(2);
}
std::string any_object(Generator& generator) {
    return generator.object(2);
}

TEST(Agreement, schema_and_decoder_agree_on_a_large_struct) {
    auto const tally = compare<Sample>(5000, any_object);
    EXPECT_GT(tally.accepted, 500U);
    EXPECT_GT(tally.refused, 500U);
}

TEST(Agreement, schema_and_decoder_agree_on_parts) {
    EXPECT_GT(compare<Node>(2000, any_value).refused, 100U);
    EXPECT_GT((compare<std::vector<std::variant<int, Color, Node>>>(2000, any_value).accepted),
              50U);
    EXPECT_GT((compare<std::map<std::string, std::optional<Leaf>>>(2000, any_value).accepted), 10U);
    EXPECT_GT(
        (compare<std::variant<std::monostate, std::uint8_t, double, JsonArray>>(2000, any_value)
             .accepted),
        100U);
}

}  // namespace
}  // namespace lanyard
