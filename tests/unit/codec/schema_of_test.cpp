// JSON Schema from types.
#include "lanyard/schema_of.hpp"

#include <boost/describe/class.hpp>

#include <map>

#include "lanyard/reflect.hpp"
#include "lanyard/schema.hpp"
#include "unit/codec/support.hpp"

namespace lanyard {
namespace {

struct Greet {
    std::string name;
    int times = 1;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"), (times, "How often", min{1}, max{5}, defaulted))

template <class T>
std::string schema() {
    return schema_text_of<T>().text();
}

TEST(SchemaOf, shows_docs_constraints_and_defaults) {
    EXPECT_EQ(
        schema<Greet>(),
        R"({"type":"object","properties":{)"
        R"("name":{"type":"string","description":"Who to greet"},)"
        R"("times":{"type":"integer","minimum":1,"maximum":5,"description":"How often","default":1}},)"
        R"("required":["name"]})");
}

TEST(SchemaOf, has_a_type_for_scalars) {
    EXPECT_EQ(schema<bool>(), R"({"type":"boolean"})");
    EXPECT_EQ(schema<int>(), R"({"type":"integer"})");
    EXPECT_EQ(schema<std::int64_t>(), R"({"type":"integer"})");
    EXPECT_EQ(schema<unsigned>(), R"({"type":"integer","minimum":0})");
    EXPECT_EQ(schema<std::uint8_t>(), R"({"type":"integer","minimum":0,"maximum":255})");
    EXPECT_EQ(schema<std::int16_t>(), R"({"type":"integer","minimum":-32768,"maximum":32767})");
    EXPECT_EQ(schema<double>(), R"({"type":"number"})");
    EXPECT_EQ(schema<std::string>(), R"({"type":"string"})");
    EXPECT_EQ(schema<std::string_view>(), R"({"type":"string"})");
    EXPECT_EQ(schema<RequestId>(), R"({"type":["string","integer"]})");
    EXPECT_EQ(schema<std::monostate>(), R"({"type":"null"})");
}

TEST(SchemaOf, accepts_anything_for_dynamic_values) {
    EXPECT_EQ(schema<Json>(), "{}");
    EXPECT_EQ(schema<RawJson>(), "{}");
    EXPECT_EQ(schema<JsonObject>(), R"({"type":"object"})");
    EXPECT_EQ(schema<JsonArray>(), R"({"type":"array"})");
}

TEST(SchemaOf, describes_containers) {
    EXPECT_EQ(schema<std::vector<int>>(), R"({"type":"array","items":{"type":"integer"}})");
    EXPECT_EQ((schema<std::array<bool, 3>>()),
              R"({"type":"array","items":{"type":"boolean"},"minItems":3,"maxItems":3})");
    EXPECT_EQ((schema<std::map<std::string, double>>()),
              R"({"type":"object","additionalProperties":{"type":"number"}})");
    EXPECT_EQ(schema<std::vector<std::unique_ptr<int>>>(),
              R"({"type":"array","items":{"type":"integer"}})");
    EXPECT_EQ((schema<std::variant<int, std::string>>()),
              R"({"anyOf":[{"type":"integer"},{"type":"string"}]})");
}

enum class Color { red, green };
LANYARD_ENUM(Color, red, green)
enum class Titled { on, off };
LANYARD_ENUM(Titled, (on, "Switched on"), (off, name{"OFF"}))

TEST(SchemaOf, optional_values_inside_containers_may_be_null) {
    EXPECT_EQ(schema<std::vector<std::optional<int>>>(),
              R"({"type":"array","items":{"type":["integer","null"]}})");
    EXPECT_EQ(schema<std::optional<Color>>(),
              R"({"anyOf":[{"type":"string","enum":["red","green"]},{"type":"null"}]})");
    EXPECT_EQ(schema<std::optional<RequestId>>(),
              R"({"anyOf":[{"type":["string","integer"]},{"type":"null"}]})");
    EXPECT_EQ(schema<std::optional<Json>>(), R"({"anyOf":[{},{"type":"null"}]})");
}

TEST(SchemaOf, describes_enumerations_with_and_without_titles) {
    EXPECT_EQ(schema<Color>(), R"({"type":"string","enum":["red","green"]})");
    EXPECT_EQ(schema<Titled>(), R"({"type":"string","oneOf":[{"const":"on","title":"Switched on"},)"
                                R"({"const":"OFF","title":"OFF"}]})");
}

struct Everything {
    double a = 0;
    int b = 0;
    std::string c;
    std::vector<int> d;
    std::optional<std::uint8_t> e;
    std::optional<std::string> f;
    std::vector<std::string> g{"x"};
    std::optional<int> h;
    std::uint8_t i = 0;
    Json j;
};
LANYARD_STRUCT((Everything, "All of it", title{"Everything!"}, closed),
               (a, exclusive_min{0}, exclusive_max{1.5}, multiple_of{0.25}),
               (b, deprecated, examples{1, 2.5, "x", true}),
               (c, min_length{1}, max_length{9}, pattern{"^a"}, format{"email"}, title{"See"}),
               (d, min_items{1}, max_items{3}, unique_items), (e, nullable, max{9}, min{-5}),
               (f, "Maybe", required, nullable, name{"eff"}), (g, defaulted), (h, defaulted),
               (i, max{1000}, min{3U}), (j, "Anything"))

TEST(SchemaOf, shows_every_attribute) {
    auto const expected = json::parse(R"({
        "type": "object", "title": "Everything!", "description": "All of it",
        "additionalProperties": false,
        "required": ["a", "b", "c", "d", "eff", "i", "j"],
        "properties": {
            "a": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5, "multipleOf": 0.25},
            "b": {"type": "integer", "deprecated": true, "examples": [1, 2.5, "x", true]},
            "c": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a",
                  "format": "email", "title": "See"},
            "d": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3,
                  "uniqueItems": true},
            "e": {"type": ["integer", "null"], "minimum": 0, "maximum": 9},
            "eff": {"type": ["string", "null"], "description": "Maybe"},
            "g": {"type": "array", "items": {"type": "string"}, "default": ["x"]},
            "h": {"type": "integer"},
            "i": {"type": "integer", "minimum": 3, "maximum": 255},
            "j": {"description": "Anything"}
        }})");
    ASSERT_TRUE(expected) << expected.error().to_string();
    EXPECT_EQ(schema_of<Everything>(), *expected) << schema<Everything>();
}

struct Inner {
    int x = 0;
};
LANYARD_STRUCT(Inner, x)
struct Once {
    Inner inner;
    std::vector<Titled> titles;
};
LANYARD_STRUCT(Once, (inner, "The inner one"), titles)
struct Twice {
    Inner first;
    std::optional<std::vector<Inner>> second;
};
LANYARD_STRUCT(Twice, (first, "The first"), second)

TEST(SchemaOf, a_struct_used_once_is_inlined) {
    EXPECT_EQ(schema<Once>(),
              R"({"type":"object","properties":{"inner":{"type":"object","properties":)"
              R"({"x":{"type":"integer"}},"required":["x"],"description":"The inner one"},)"
              R"("titles":{"type":"array","items":{"type":"string","oneOf":[)"
              R"({"const":"on","title":"Switched on"},{"const":"OFF","title":"OFF"}]}}},)"
              R"("required":["inner","titles"]})");
}

TEST(SchemaOf, a_struct_used_twice_is_in_defs) {
    EXPECT_EQ(schema<Twice>(),
              R"({"type":"object","properties":{)"
              R"("first":{"$ref":"#/$defs/Inner","description":"The first"},)"
              R"("second":{"type":"array","items":{"$ref":"#/$defs/Inner"}}},"required":["first"],)"
              R"("$defs":{"Inner":{"type":"object","properties":{"x":{"type":"integer"}},)"
              R"("required":["x"]}}})");
}

struct Node {
    int value = 0;
    std::vector<Node> children;
};
LANYARD_STRUCT(Node, value, (children, omit_empty))

TEST(SchemaOf, a_recursive_root_refers_to_itself) {
    EXPECT_EQ(schema<Node>(),
              R"({"type":"object","properties":{"value":{"type":"integer"},)"
              R"("children":{"type":"array","items":{"$ref":"#"}}},"required":["value"]})");
}

TEST(SchemaOf, a_recursive_part_is_in_defs) {
    EXPECT_EQ(schema<std::vector<Node>>(),
              R"({"type":"array","items":{"$ref":"#/$defs/Node"},"$defs":{"Node":{"type":"object",)"
              R"("properties":{"value":{"type":"integer"},"children":{"type":"array",)"
              R"("items":{"$ref":"#/$defs/Node"}}},"required":["value"]}}})");
}

template <class T>
struct Box {
    T value{};
};
LANYARD_STRUCT(Box<int>, value)
LANYARD_STRUCT(Box<bool>, value)
namespace other {
struct Inner {
    bool y = false;
};
LANYARD_STRUCT(Inner, y)
}  // namespace other
struct Nameless {
    int z = 0;
};

struct Names {
    std::array<Inner, 1> a;
    std::variant<Inner, other::Inner> b;
    std::map<std::string, other::Inner> c;
    std::vector<Box<int>> d;
    std::shared_ptr<Box<int>> e;
    std::optional<Nameless> f, g;
};
LANYARD_STRUCT(Names, a, b, c, d, e, f, g)

}  // namespace

template <>
inline constexpr auto reflect::description<Nameless> =
    reflect::describe<Nameless>("", reflect::field<&Nameless::z>("z"));

namespace {

TEST(SchemaOf, definitions_have_distinct_and_plain_names) {
    auto const schema = schema_of<Names>();
    auto const& definitions = schema.at("$defs").as_object();
    ASSERT_EQ(definitions.size(), 4U);
    EXPECT_TRUE(definitions.at("Inner").at("properties").as_object().contains("x"));
    EXPECT_TRUE(definitions.at("Inner_2").at("properties").as_object().contains("y"));
    EXPECT_TRUE(definitions.at("Box_int_").at("properties").as_object().contains("value"));
    EXPECT_TRUE(definitions.at("Object").at("properties").as_object().contains("z"));
    EXPECT_EQ(schema.at("properties").at("c").at("additionalProperties").at("$ref"),
              "#/$defs/Inner_2");
}

struct Tagged {
    std::string text;
    JsonObject extra;
};
struct NoDefault {
    explicit NoDefault(int v) : value(v) {}
    int value;
};
struct Seconds {
    int value = 0;
};

}  // namespace

namespace reflect {

using namespace attr;

template <>
inline constexpr auto description<Tagged> =
    describe<Tagged>("Tagged", constant<Tagged>("type", "text", "The kind"),
                     field<&Tagged::text>("text"), rest<&Tagged::extra>());
template <>
inline constexpr auto description<NoDefault> =
    describe<NoDefault>("NoDefault", field<&NoDefault::value>("value", defaulted));

}  // namespace reflect

template <>
struct Codec<Seconds> {
    static Json schema() { return {{"type", "integer"}, {"minimum", 0}}; }
    static void encode(json::Writer& writer, Seconds value, EncodeContext const&) {
        writer.integer(value.value);
    }
    static bool decode(json::View, Seconds&, DecodeContext&) { return true; }
};

namespace {

TEST(SchemaOf, describes_constants_and_open_structs) {
    EXPECT_EQ(schema<Tagged>(),
              R"({"type":"object","properties":{"type":{"type":"string","const":"text",)"
              R"("description":"The kind"},"text":{"type":"string"}},"required":["type","text"]})");
}

TEST(SchemaOf, a_type_without_a_default_has_no_default_in_the_schema) {
    EXPECT_EQ(schema<NoDefault>(),
              R"({"type":"object","properties":{"value":{"type":"integer"}}})");
    EXPECT_EQ(to_json_text(NoDefault(3)), R"({"value":3})");
}

TEST(SchemaOf, a_type_with_its_own_codec_brings_its_schema) {
    EXPECT_EQ(schema<std::vector<Seconds>>(),
              R"({"type":"array","items":{"type":"integer","minimum":0}})");
}

enum class Unit { celsius, fahrenheit };
LANYARD_ENUM(Unit, (celsius, "Degrees Celsius"), fahrenheit)

TEST(SchemaOptions, list_the_values_of_titled_enumerations) {
    EXPECT_EQ(schema<Unit>(), R"({"type":"string","oneOf":[)"
                              R"({"const":"celsius","title":"Degrees Celsius"},)"
                              R"({"const":"fahrenheit","title":"fahrenheit"}]})");
    SchemaOptions options;
    options.list_enum_values = true;
    EXPECT_EQ(json::serialize(schema_of<Unit>(options)),
              R"({"type":"string","enum":["celsius","fahrenheit"],"oneOf":[)"
              R"({"const":"celsius","title":"Degrees Celsius"},)"
              R"({"const":"fahrenheit","title":"fahrenheit"}]})");
    auto const validator =
        schema::Validator::compile(schema_of<std::optional<Unit>>(options)).value();
    EXPECT_TRUE(validator.is_valid(Json("celsius")));
    EXPECT_TRUE(validator.is_valid(Json(nullptr)));
    EXPECT_FALSE(validator.is_valid(Json("kelvin")));
}

struct Spot {
    int x = 0;
};
LANYARD_STRUCT(Spot, x)
struct Line {
    Spot from, to;
    std::vector<Spot> between;
};
LANYARD_STRUCT(Line, from, to, between)
struct Tree {
    Spot spot;
    std::vector<Tree> children;
};
LANYARD_STRUCT(Tree, spot, children)
struct Wood {
    Tree oak, elm;
    Spot gate;
};
LANYARD_STRUCT(Wood, oak, elm, gate)

TEST(SchemaOptions, close_every_struct_that_does_not_keep_unknown_members) {
    SchemaOptions options;
    options.closed = true;
    EXPECT_EQ(json::serialize(schema_of<std::vector<Spot>>(options)),
              R"({"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"}},)"
              R"("required":["x"],"additionalProperties":false}})");
    EXPECT_FALSE(schema_of<Tagged>(options).as_object().contains("additionalProperties"));
    EXPECT_FALSE(schema_of<Spot>().as_object().contains("additionalProperties"));
}

TEST(SchemaOptions, repeat_structs_instead_of_referring_to_them) {
    EXPECT_NE(schema<Line>().find("$ref"), std::string::npos);
    SchemaOptions options;
    options.inline_references = true;
    auto const spot = R"({"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]})";
    EXPECT_EQ(json::serialize(schema_of<Line>(options)),
              std::string(R"({"type":"object","properties":{"from":)") + spot + R"(,"to":)" + spot +
                  R"(,"between":{"type":"array","items":)" + spot +
                  R"(}},"required":["from","to","between"]})");
}

TEST(SchemaOptions, still_refer_to_structs_that_contain_themselves) {
    SchemaOptions options;
    options.inline_references = true;
    auto const schema = schema_of<Wood>(options);
    EXPECT_EQ(schema.at("properties").at("oak").at("$ref"), "#/$defs/Tree");
    EXPECT_EQ(schema.at("$defs").as_object().size(), 1U);
    auto const& tree = schema.at("$defs").at("Tree").at("properties");
    EXPECT_EQ(tree.at("children").at("items").at("$ref"), "#/$defs/Tree");
    EXPECT_TRUE(tree.at("spot").as_object().contains("properties"));
    EXPECT_TRUE(schema.at("properties").at("gate").as_object().contains("properties"));
    EXPECT_EQ(schema_of<Tree>(options).at("properties").at("children").at("items").at("$ref"), "#");
    EXPECT_TRUE(schema::Validator::compile(schema));
}

struct Described {
    int id = 0;
    std::vector<Described> parts;
};
BOOST_DESCRIBE_STRUCT(Described, (), (id, parts))

TEST(SchemaOf, boost_described_types_have_their_names) {
    EXPECT_EQ(schema_of<std::vector<Described>>().at("items").at("$ref"), "#/$defs/Described");
}

}  // namespace
}  // namespace lanyard
