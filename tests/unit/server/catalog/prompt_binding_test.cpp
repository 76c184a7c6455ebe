// Functions as prompts and completions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lanyard/reflect.hpp"
#include "lanyard/server/completion.hpp"
#include "lanyard/server/prompt.hpp"
#include "opaque_context.hpp"
#include "run_task.hpp"
#include "server/catalog/entries.hpp"

namespace lanyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class Language { cpp, rust };
LANYARD_ENUM(Language, cpp, rust)

struct Review {
    std::string code;
    Language language = Language::cpp;
    std::optional<std::string> focus;
    int depth = 1;
};
LANYARD_STRUCT(Review, (code, "What to review", title{"Code"}), (language, "Its language"), focus,
               (depth, defaulted))

struct Nested {
    Review review;
};
LANYARD_STRUCT(Nested, review)

GetPromptResult get(PromptFunction const& function, PromptArguments const& arguments = {}) {
    auto& context = server::opaque_context();
    if (function.call) return function.call(arguments, context);
    return server::run_task(function.start(arguments, context));
}

std::string text_of(GetPromptResult const& result) {
    return std::get<TextContent>(result.messages.at(0).content).text;
}

TEST(BindPrompt, accepts_every_form_of_handler) {
    EXPECT_EQ(text_of(get(bind_prompt([] { return "a"; }))), "a");
    EXPECT_EQ(text_of(get(bind_prompt([](Context&) { return std::string("b"); }))), "b");
    EXPECT_EQ(text_of(get(bind_prompt([](PromptArguments const& in) { return in.at("x"); }),
                          {{"x", "c"}})),
              "c");
    EXPECT_EQ(text_of(get(bind_prompt([](PromptArguments in, Context&) -> Task<std::string> {
                              co_return in.at("x");
                          }),
                          {{"x", "d"}})),
              "d");
}

TEST(BindPrompt, accepts_every_kind_of_result) {
    EXPECT_EQ(get(bind_prompt([] { return "a"; })).messages.at(0).role, Role::user);
    auto const one = get(bind_prompt([] {
        auto message = lanyard::detail::user_message("b");
        message.role = Role::assistant;
        return message;
    }));
    EXPECT_EQ(one.messages.at(0).role, Role::assistant);
    auto const two = get(bind_prompt(
        [] { return std::vector<PromptMessage>(2, lanyard::detail::user_message("c")); }));
    EXPECT_EQ(two.messages.size(), 2U);
    auto const whole = get(bind_prompt([] {
        GetPromptResult result;
        result.description = "d";
        return result;
    }));
    EXPECT_EQ(whole.description, "d");
}

TEST(BindPrompt, reads_the_arguments_into_a_struct) {
    auto const function = bind_prompt([](Review in) {
        EXPECT_EQ(in.language, Language::rust);
        EXPECT_EQ(in.depth, 3);
        EXPECT_FALSE(in.focus);
        return in.code;
    });
    EXPECT_EQ(
        text_of(get(function, {{"code", "7"}, {"language", "rust"}, {"depth", "3"}, {"zzz", ""}})),
        "7");
    EXPECT_THAT(function.choices.at("language"), ElementsAre("cpp", "rust"));
}

TEST(BindPrompt, names_the_bad_argument) {
    auto const function = bind_prompt([](Review in) { return in.code; });
    auto const error = [&](PromptArguments const& arguments) -> DecodeError {
        try {
            get(function, arguments);
        } catch (DecodeError const& thrown) {
            return thrown;
        }
        return {};
    };
    EXPECT_EQ(error({{"code", "x"}, {"language", "perl"}}).pointer, "/arguments/language");
    EXPECT_EQ(error({{"code", "x"}, {"language", "cpp"}, {"depth", "deep"}}).to_string(),
              "/arguments/depth: must be an integer, got a string");
    EXPECT_THAT(error({{"language", "cpp"}}).to_string(), HasSubstr("code"));
}

TEST(DescribePrompt, derives_the_arguments) {
    auto const handler = [](Review in) { return in.code; };
    auto const prompt = describe_prompt<decltype(handler)>("review", "Review code");
    EXPECT_EQ(prompt.name, "review");
    EXPECT_EQ(prompt.description, "Review code");
    ASSERT_EQ(prompt.arguments.size(), 4U);
    EXPECT_EQ(prompt.arguments[0], (PromptArgument{"code", "Code", "What to review", true}));
    EXPECT_EQ(prompt.arguments[1], (PromptArgument{"language", "", "Its language", true}));
    EXPECT_EQ(prompt.arguments[2], (PromptArgument{"focus", "", "", false}));
    EXPECT_EQ(prompt.arguments[3], (PromptArgument{"depth", "", "", false}));
    auto const plain = [] { return "a"; };
    EXPECT_TRUE(describe_prompt<decltype(plain)>("a", "").arguments.empty());
}

TEST(DescribePrompt, refuses_types_that_no_text_can_represent) {
    auto const handler = [](Nested) { return "a"; };
    try {
        describe_prompt<decltype(handler)>("a", "");
        FAIL();
    } catch (Error const& error) {
        EXPECT_THAT(error.message(), HasSubstr("\"review\" of Nested cannot be an argument"));
    }
}

void expect_refused(Prompt prompt, std::string_view part) {
    try {
        server::make_prompt_entry(std::move(prompt), bind_prompt([] { return "a"; }), {});
        FAIL() << "accepted";
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        EXPECT_THAT(error.message(), HasSubstr(std::string(part)));
    }
}

TEST(APrompt, is_refused_without_a_name_or_with_bad_arguments) {
    Prompt prompt;
    expect_refused(prompt, "must have a name");
    prompt.name = "p";
    prompt.arguments.emplace_back();
    expect_refused(prompt, "an argument has no name");
    prompt.arguments.assign(2, PromptArgument{"a", "", "", true});
    expect_refused(prompt, "prompt \"p\": argument \"a\" is there twice");
}

TEST(Rule, PR06_a_required_argument_must_be_present) {
    Prompt prompt;
    prompt.name = "p";
    prompt.arguments = {{"a", "", "", true}, {"b", "", "", false}};
    auto const entry = server::make_prompt_entry(prompt, bind_prompt([] { return "a"; }),
                                                 PromptOptions().title("P"));
    EXPECT_EQ(entry->prompt.title, "P");
    server::check_arguments(*entry, {{"a", ""}});
    try {
        server::check_arguments(*entry, {{"b", ""}});
        FAIL();
    } catch (DecodeError const& error) {
        EXPECT_EQ(error.to_string(), "/arguments: \"a\" is missing");
    }
}

Completion complete(CompletionFunction const& function, std::string_view typed,
                    CompletionContext const& decided = {}) {
    auto& context = server::opaque_context();
    if (function.call) return function.call(typed, decided, context);
    return server::run_task(function.start(typed, decided, context));
}

using Values = std::vector<std::string>;

TEST(BindCompletion, accepts_every_form_of_handler) {
    CompletionContext decided;
    decided.arguments["table"] = "users";
    EXPECT_THAT(complete(bind_completion([](std::string_view typed) {
                             return Values{std::string(typed) + "!"};
                         }),
                         "a")
                    .values,
                ElementsAre("a!"));
    EXPECT_THAT(complete(bind_completion([](std::string_view, CompletionContext const& known) {
                             return Values{known.arguments.at("table")};
                         }),
                         "a", decided)
                    .values,
                ElementsAre("users"));
    EXPECT_THAT(
        complete(bind_completion([](std::string_view, Context&) { return Values{"c"}; }), "")
            .values,
        ElementsAre("c"));
    EXPECT_THAT(complete(bind_completion([](std::string_view typed, CompletionContext const&,
                                            Context&) -> Task<Completion> {
                             Completion completion;
                             completion.values.emplace_back(typed);
                             co_return completion;
                         }),
                         "d")
                    .values,
                ElementsAre("d"));
}

TEST(Rule, CO14_a_completion_is_cut_to_100_values) {
    auto const many =
        complete(bind_completion([](std::string_view) { return Values(150, "x"); }), "");
    EXPECT_EQ(many.values.size(), 100U);
    EXPECT_EQ(many.total, 150);
    EXPECT_EQ(many.has_more, true);
    auto const counted = complete(bind_completion([](std::string_view) {
                                      Completion completion;
                                      completion.values = Values(101, "x");
                                      completion.total = 5000;
                                      return completion;
                                  }),
                                  "");
    EXPECT_EQ(counted.total, 5000);
    auto const few =
        complete(bind_completion([](std::string_view) { return Values(100, "x"); }), "");
    EXPECT_FALSE(few.has_more);
}

TEST(Choices, are_the_values_that_begin_with_the_typed_text) {
    EXPECT_THAT(lanyard::detail::matching({"cpp", "c", "rust"}, "c").values,
                ElementsAre("cpp", "c"));
    EXPECT_TRUE(lanyard::detail::matching({"cpp"}, "x").values.empty());
}

}  // namespace
}  // namespace lanyard
