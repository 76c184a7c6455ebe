#include "form.hpp"

#include <gtest/gtest.h>

#include "lanyard/json/writer.hpp"

namespace lanyard::app {
namespace {

FormField field(std::string name, PrimitiveSchemaDefinition schema, bool required = true) {
    FormField made;
    made.name = std::move(name);
    made.schema = std::move(schema);
    made.required = required;
    return made;
}

std::vector<EnumOption> colours() {
    EnumOption red;
    red.value = "red";
    red.title = "Red";
    EnumOption green;
    green.value = "green";
    return {red, green};
}

FormField number(bool integer, std::optional<double> low = {}, std::optional<double> high = {}) {
    NumberSchema schema;
    schema.integer = integer;
    schema.minimum = low;
    schema.maximum = high;
    return field("n", schema);
}

FormField choice() {
    SingleSelectEnumSchema schema;
    schema.options = colours();
    return field("c", schema);
}

FormField choices(std::optional<std::int64_t> least = {}, std::optional<std::int64_t> most = {}) {
    MultiSelectEnumSchema schema;
    schema.options = colours();
    schema.min_items = least;
    schema.max_items = most;
    return field("m", schema);
}

std::string value(FormField const& of, std::string_view typed) {
    auto const result = field_value(of, typed);
    return result ? json::serialize(*result) : "refused: " + result.error();
}

TEST(Form, text_is_not_changed) {
    EXPECT_EQ(value(field("t", StringSchema()), " 5 "), R"(" 5 ")");
    StringSchema bounded;
    bounded.min_length = 2;
    bounded.max_length = 3;
    EXPECT_EQ(wanted(field("t", bounded)), "text, 2 to 3 characters");
    EXPECT_EQ(value(field("t", bounded), "ab"), R"("ab")");
    EXPECT_TRUE(value(field("t", bounded), "a").starts_with("refused: t: "));
    StringSchema date;
    date.format = StringFormat::date;
    EXPECT_EQ(wanted(field("t", date)), "text (date)");
    EXPECT_EQ(value(field("t", date), "2026-07-28"), R"("2026-07-28")");
    EXPECT_TRUE(value(field("t", date), "tomorrow").starts_with("refused: t: "));
    StringSchema pattern;
    pattern.pattern = "^a+$";
    EXPECT_EQ(value(field("t", pattern), "aa"), R"("aa")");
    EXPECT_TRUE(value(field("t", pattern), "b").starts_with("refused"));
    pattern.pattern = "(?=a)";
    EXPECT_EQ(value(field("t", pattern), "b"), R"("b")") << "not judged by what is not understood";
}

TEST(Form, numbers_are_read_and_bounded) {
    EXPECT_EQ(value(number(true), " 5 "), "5");
    EXPECT_EQ(value(number(true), "5.5"), "refused: n must be a whole number, got '5.5'");
    EXPECT_EQ(value(number(false), "5.5"), "5.5");
    EXPECT_EQ(value(number(false), "x"), "refused: n must be a number, got 'x'");
    EXPECT_EQ(wanted(number(true, 1, 8)), "a whole number, 1 to 8");
    EXPECT_EQ(wanted(number(false, 0.5)), "a number, at least 0.5");
    EXPECT_EQ(wanted(number(false, {}, 2)), "a number, at most 2");
    EXPECT_TRUE(value(number(true, 1, 8), "9").starts_with("refused: n: "));
}

TEST(Form, booleans_are_words) {
    auto const flag = field("f", BooleanSchema());
    for (auto const* word : {"yes", "y", "true", " yes "}) EXPECT_EQ(value(flag, word), "true");
    for (auto const* word : {"no", "n", "false"}) EXPECT_EQ(value(flag, word), "false");
    EXPECT_EQ(value(flag, "perhaps"), "refused: f must be yes or no, got 'perhaps'");
}

TEST(Form, choices_are_values_or_titles) {
    EXPECT_EQ(value(choice(), "red"), R"("red")");
    EXPECT_EQ(value(choice(), "Red"), R"("red")");
    EXPECT_EQ(value(choice(), "blue"), "refused: c must be one of: red (Red), green, got 'blue'");
    EXPECT_EQ(value(choices(), "green, Red"), R"(["green","red"])");
    EXPECT_EQ(value(choices(), ""), "[]");
    EXPECT_EQ(value(choices(), " , red,"), R"(["red"])");
    EXPECT_EQ(value(choices(), "blue"), "refused: m must be any of: red (Red), green, got 'blue'");
    EXPECT_TRUE(value(choices(1), "").starts_with("refused: m: "));
    EXPECT_EQ(wanted(choices(1, 2)), "any of: red (Red), green; 1 to 2 of them");
}

TEST(Form, defaults_are_written_as_a_user_would) {
    StringSchema text;
    text.default_value = "x";
    NumberSchema whole;
    whole.default_value = 3;
    NumberSchema real;
    real.default_value = 2.5;
    BooleanSchema yes;
    yes.default_value = true;
    BooleanSchema no;
    no.default_value = false;
    MultiSelectEnumSchema several;
    several.options = colours();
    several.default_value = std::vector<std::string>{"red", "green"};
    EXPECT_EQ(default_text(field("a", text)), "x");
    EXPECT_EQ(default_text(field("a", whole)), "3");
    EXPECT_EQ(default_text(field("a", real)), "2.5");
    EXPECT_EQ(default_text(field("a", yes)), "yes");
    EXPECT_EQ(default_text(field("a", no)), "no");
    EXPECT_EQ(default_text(field("a", several)), "red,green");
    EXPECT_EQ(default_text(choice()), "");
}

TEST(Form, fields_are_explained_by_title_and_description) {
    BooleanSchema schema;
    EXPECT_EQ(explanation(field("really", schema)), "");
    schema.title = "Delete";
    EXPECT_EQ(explanation(field("really", schema)), "Delete");
    schema.description = "Removes the table";
    EXPECT_EQ(explanation(field("really", schema)), "Delete: Removes the table");
    EXPECT_EQ(explanation(field("Delete", schema)), "Removes the table");
}

TEST(Form, is_filled_with_values_and_defaults) {
    NumberSchema preset;
    preset.integer = true;
    preset.default_value = 2;
    FormSchema form;
    form.fields = {field("name", StringSchema()), field("guests", preset),
                   field("note", StringSchema(), false)};
    auto const filled = fill_form(form, {{"name", "Ada"}});
    ASSERT_TRUE(filled) << filled.error();
    EXPECT_EQ(json::serialize(Json(*filled)), R"({"name":"Ada","guests":2})");

    EXPECT_EQ(fill_form(form, {}).error(),
              "the form needs the field 'name' (text): answer it with --answer name=...");
    EXPECT_TRUE(fill_form(form, {{"name", "Ada"}, {"other", "3"}})) << "for another form";
    EXPECT_EQ(fill_form(form, {{"name", "Ada"}, {"guests", "x"}}).error(),
              "guests must be a whole number, got 'x'");
}

}  // namespace
}  // namespace lanyard::app
