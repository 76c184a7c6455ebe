// Options of DecodeContext for the members of structs: refusing unknown ones, and null as absent.
#include <map>

#include "lanyard/reflect.hpp"
#include "unit/codec/support.hpp"

namespace lanyard {
namespace {

struct Place {
    std::string city;
    std::optional<std::string> country;
};
LANYARD_STRUCT(Place, city, country)

struct Custom {
    int value = -1;
};
struct CustomOrNull {
    int value = -1;
};

}  // namespace

template <>
struct Codec<Custom> {
    static Json schema() { return {{"type", "integer"}}; }
    static void encode(json::Writer& writer, Custom value, EncodeContext const&) {
        writer.integer(value.value);
    }
    static bool decode(json::View view, Custom& out, DecodeContext& context) {
        return Codec<int>::decode(view, out.value, context);
    }
};
template <>
struct Codec<CustomOrNull> {
    static Json schema() { return {{"type", JsonArray{"integer", "null"}}}; }
    static void encode(json::Writer& writer, CustomOrNull value, EncodeContext const&) {
        writer.integer(value.value);
    }
    static bool decode(json::View view, CustomOrNull& out, DecodeContext& context) {
        out.value = 0;
        return view.is_null() || Codec<int>::decode(view, out.value, context);
    }
};

namespace {

struct Search {
    std::string text;
    int limit = 10;
    std::optional<Place> near;
    std::vector<Place> places;
    std::unique_ptr<int> depth;
    Json extra;
    std::optional<std::variant<int, std::monostate>> either;
    std::optional<Custom> custom;
    std::optional<CustomOrNull> custom_or_null;
    std::optional<int> declared;
};
LANYARD_STRUCT(Search, text, (limit, defaulted), near, (places, omit_empty), depth,
               (extra, defaulted), either, custom, custom_or_null, (declared, nullable))

struct Open {
    int known = 0;
    JsonObject rest;
};

}  // namespace

namespace reflect {

using namespace attr;
template <>
inline constexpr auto description<Open> =
    describe<Open>("Open", field<&Open::known>("known", defaulted), rest<&Open::rest>());
}  // namespace reflect

namespace {

template <class T>
Result<T, DecodeError> decode_with(std::string_view text, bool refuse_unknown,
                                   bool null_is_absent) {
    json::Document document;
    DecodeContext context;
    context.refuse_unknown(refuse_unknown).null_is_absent(null_is_absent);
    Result<T, DecodeError> result;
    if (!Codec<T>::decode(document.parse(text).value(), *result, context)) {
        result = Unexpected(context.take_error());
    }
    return result;
}

std::string strict(std::string_view text) {
    auto const result = decode_with<Search>(text, true, false);
    return result ? "accepted" : result.error().to_string();
}

TEST(RefuseUnknown, names_the_member_and_the_nearest_one_at_every_depth) {
    EXPECT_EQ(strict(R"({"text":"a","limit":1})"), "accepted");
    EXPECT_EQ(strict(R"({"text":"a","lmit":1})"),
              R"x(unknown property "lmit" (did you mean "limit"?))x");
    EXPECT_EQ(strict(R"({"text":"a","toolCallId":1})"), R"(unknown property "toolCallId")");
    EXPECT_EQ(strict(R"({"text":"a","near":{"city":"Oslo","contry":"NO"}})"),
              R"x(/near: unknown property "contry" (did you mean "country"?))x");
    EXPECT_EQ(strict(R"({"text":"a","places":[{"city":"a"},{"city":"b","x":1}]})"),
              R"(/places/1: unknown property "x")");
    EXPECT_TRUE(decode_with<Search>(R"({"text":"a","lmit":1})", false, false));
}

TEST(RefuseUnknown, accepts_unknown_members_of_structs_that_keep_them) {
    auto const open = decode_with<Open>(R"({"other":1})", true, false);
    ASSERT_TRUE(open);
    EXPECT_EQ(open->rest, (JsonObject{{"other", 1}}));
}

TEST(NullIsAbsent, applies_to_members_that_may_be_absent) {
    auto const result = decode_with<Search>(
        R"({"text":"a","limit":null,"near":null,"places":null,"depth":null,"custom":null})", true,
        true);
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->limit, 10);
    EXPECT_FALSE(result->near);
    EXPECT_TRUE(result->places.empty());
    EXPECT_FALSE(result->depth);
    EXPECT_FALSE(result->custom);
    auto const nested =
        decode_with<Search>(R"({"text":"a","near":{"city":"b","country":null}})", true, true);
    ASSERT_TRUE(nested) << nested.error().to_string();
    EXPECT_FALSE(nested->near->country);
}

TEST(NullIsAbsent, does_not_apply_to_types_that_have_a_null) {
    auto const result = decode_with<Search>(
        R"({"text":"a","extra":null,"either":null,"custom_or_null":null,"declared":null})", true,
        true);
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_TRUE(result->extra.is_null());
    ASSERT_TRUE(result->either);
    EXPECT_EQ(result->either->index(), 1U);
    ASSERT_TRUE(result->custom_or_null);
    EXPECT_EQ(result->custom_or_null->value, 0);
    EXPECT_FALSE(result->declared);
}

TEST(NullIsAbsent, does_not_apply_to_required_members_or_by_default) {
    EXPECT_EQ(decode_with<Search>(R"({"text":null})", true, true).error().to_string(),
              "/text: must be a string, got null");
    EXPECT_EQ(decode_with<Search>(R"({"text":"a","limit":null})", true, false).error().to_string(),
              "/limit: must be an integer, got null");
    EXPECT_EQ(decode_with<Search>(R"({"text":"a","near":null})", true, false).error().to_string(),
              "/near: must be an object, got null");
}

TEST(AbsentMembers, are_never_written_as_null) {
    Search search;
    search.text = "a";
    EXPECT_EQ(to_json_text(search), R"({"text":"a","limit":10,"extra":null})");
}

}  // namespace
}  // namespace lanyard
