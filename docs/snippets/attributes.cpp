// Snippets of docs/types.md: attributes and the JSON Schema that they produce. The program checks
// the page's table.
#include <lanyard/codec.hpp>
#include <lanyard/reflect.hpp>
#include <lanyard/schema_of.hpp>

#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// [range]
template <class T>
struct Range {
    T from{};
    T to{};
};

template <class T>
struct lanyard::Codec<Range<T>> {
    using Ends = std::pair<T, T>;  // an array of two values
    using Elements = reflect::Types<T>;

    static Json schema() { return schema_of<Ends>(); }

    static void encode(json::Writer& writer, Range<T> const& value, EncodeContext const& context) {
        Ends const ends(value.from, value.to);
        Codec<Ends>::encode(writer, ends, context);
    }

    static bool decode(json::View view, Range<T>& out, DecodeContext& context) {
        Ends ends;
        if (!Codec<Ends>::decode(view, ends, context)) return false;  // adds /0 or /1 to the place
        if (ends.second < ends.first) return context.fail("must not end before it begins");
        out = Range<T>{ends.first, ends.second};
        return true;
    }
};
// [/range]

namespace {

struct Search {
    Range<int> pages;
};
LANYARD_STRUCT(Search, pages)

// [order]
enum class Speed { slow, very_fast };
LANYARD_ENUM(Speed, (slow, "Slow"), (very_fast, "Very fast", name{"very-fast"}))

struct Order {
    int count = 1;
    double price = 1;
    std::string code;
    std::string mail;
    std::vector<std::string> tags;
    std::optional<std::string> remark;
    std::optional<int> rank;
    std::string color;
    Speed speed = Speed::slow;
};
LANYARD_STRUCT((Order, "An order", title{"Order"}, closed),
               (count, "How many", min{1}, max{10}, multiple_of{2}),
               (price, name{"price_eur"}, exclusive_min{0}, exclusive_max{1'000.5}),
               (code, min_length{2}, max_length{4}, pattern{"^[A-Z]+$"}),
               (mail, format{"email"}, title{"Address"}, examples{"ada@example.com"}),
               (tags, min_items{1}, max_items{3}, unique_items), (remark, nullable),
               (rank, required, nullable), (color, omit_empty, deprecated), (speed, defaulted))
// [/order]

// [qualified]
namespace shop {

using namespace std;

struct Basket {
    int items = 1;
};
LANYARD_STRUCT(Basket, (items, "How many", lanyard::attr::min{1}, lanyard::attr::max{9}))

}  // namespace shop
// [/qualified]

int failures = 0;

void expect(bool holds, std::string_view what) {
    if (holds) return;
    std::cerr << "not as docs/types.md says: " << what << '\n';
    ++failures;
}

std::string schema_of_member(char const* name) {
    static auto const schema = lanyard::schema_of<Order>();
    return lanyard::to_json_text(schema.at("properties").at(name));
}

void expect_schema(char const* name, std::string_view text) {
    auto const schema = schema_of_member(name);
    expect(schema == text, std::string(name) + ": " + schema);
}

// Whether an order is accepted in which one part of the text is replaced.
bool accepts(std::string_view part = {}, std::string_view by = {}) {
    std::string text =
        R"({"count":2,"price_eur":1,"code":"AB","mail":"ada@example.com","tags":["a"],"rank":null})";
    auto const at = text.find(part);
    expect(at != std::string::npos, part);
    text.replace(at, part.size(), by);
    return lanyard::decode_text<Order>(text).has_value();
}

void check_schema() {
    expect_schema(
        "count",
        R"({"type":"integer","minimum":1,"maximum":10,"multipleOf":2,"description":"How many"})");
    expect_schema("price_eur",
                  R"({"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1000.5})");
    expect_schema("code", R"({"type":"string","minLength":2,"maxLength":4,"pattern":"^[A-Z]+$"})");
    expect_schema(
        "mail",
        R"({"type":"string","format":"email","title":"Address","examples":["ada@example.com"]})");
    expect_schema(
        "tags",
        R"({"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3,"uniqueItems":true})");
    expect_schema("remark", R"({"type":["string","null"]})");
    expect_schema("rank", R"({"type":["integer","null"]})");
    expect_schema("color", R"({"type":"string","deprecated":true})");
    expect_schema(
        "speed",
        R"({"type":"string","oneOf":[{"const":"slow","title":"Slow"},{"const":"very-fast","title":"Very fast"}],"default":"slow"})");
    expect(lanyard::schema_of<shop::Basket>().at("properties").at("items").at("minimum") == 1,
           "a qualified attribute");
    auto const schema = lanyard::schema_of<Order>();
    expect(schema.at("title") == "Order" && schema.at("description") == "An order", "struct");
    expect(schema.at("additionalProperties") == false, "closed");
    expect(lanyard::to_json_text(schema.at("required")) ==
               R"(["count","price_eur","code","mail","tags","rank"])",
           "required");
}

void check_reading() {
    expect(accepts(), "a valid order");
    expect(!accepts("\"count\":2", "\"count\":0"), "min");
    expect(!accepts("\"count\":2", "\"count\":12"), "max");
    expect(!accepts("\"count\":2", "\"count\":3"), "multiple_of");
    expect(!accepts("_eur\":1", "_eur\":0"), "exclusive_min");
    expect(!accepts("_eur\":1", "_eur\":1000.5"), "exclusive_max");
    expect(!accepts("AB", "A"), "min_length");
    expect(!accepts("AB", "ABCDE"), "max_length");
    expect(accepts("AB", "ab"), "pattern is not checked");
    expect(accepts("ada@example.com", "ada"), "format is not checked");
    expect(!accepts("[\"a\"]", "[]"), "min_items");
    expect(!accepts("[\"a\"]", R"(["a","b","c","d"])"), "max_items");
    expect(!accepts("[\"a\"]", R"(["a","a"])"), "unique_items");
    expect(accepts("\"rank\":null", "\"rank\":null,\"remark\":null"), "nullable");
    expect(!accepts(",\"rank\":null", ""), "required");
    expect(!accepts("\"rank\":null", "\"rank\":null,\"x\":1"), "closed");
    expect(accepts("\"rank\":null", "\"rank\":null,\"speed\":\"very-fast\""),
           "name of an enumerator");
    Order const untouched;
    expect(
        lanyard::to_json_text(untouched) ==
            R"({"count":1,"price_eur":1,"code":"","mail":"","tags":[],"rank":null,"speed":"slow"})",
        "omit_empty, and null of a required member");
}

std::string error_of(std::string_view text) {
    auto const search = lanyard::decode_text<Search>(text);
    return search ? std::string() : search.error().to_string();
}

void check_range() {
    auto const search = lanyard::decode_text<Search>(R"({"pages":[3,7]})");
    expect(
        search && search->pages.to == 7 && lanyard::to_json_text(*search) == R"({"pages":[3,7]})",
        "a range is read and written");
    expect(error_of(R"({"pages":[7,3]})") == "/pages: must not end before it begins", "its rule");
    expect(error_of(R"({"pages":[7,"x"]})").starts_with("/pages/1: "), "the place in it");
    auto const schema = lanyard::schema_of<Search>().at("properties").at("pages");
    expect(schema.at("prefixItems").as_array().size() == 2, "its schema");
}

}  // namespace

int main() {
    check_range();
    check_schema();
    check_reading();
    return failures == 0 ? 0 : 1;
}
