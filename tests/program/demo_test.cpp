// Every feature of the demo server, over every transport and in both eras.
#include <algorithm>
#include <map>
#include <set>
#include <stop_token>
#include <variant>

#include <gmock/gmock.h>

#include "demo/demo.hpp"
#include "demo/picture.hpp"
#include "lanyard/base64.hpp"
#include "support/answers.hpp"
#include "support/over_carriers.hpp"

namespace lanyard::app {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

class Demo : public test::OverCarriers {
public:
    ClientOptions options() {
        ClientOptions options;
        options.on_elicitation([](ElicitFormParams const& form) {
            JsonObject const known{
                {"name", "Ada"}, {"guests", 4}, {"place", "Oslo"}, {"day", "2026-07-28"}};
            return test::accept_form(form, known);
        });
        options.on_url_elicitation([](ElicitUrlParams const&) {
            ElicitResult result;
            result.action = ElicitAction::accept;
            return result;
        });
        test::answer_sampling_and_roots(options);
        options.on_log(
            [this](LoggingMessageParams const& message) { logged_.push_back(message.level); });
        options.on_list_changed([this](ListKind kind) { changed_.insert(kind); });
        options.on_resource_updated([this](std::string const& uri) { updated_.insert(uri); });
        return options;
    }

    using Talk = Task<> (Demo::*)(Client const&);
    void talk(Talk body) {
        auto const whole = [&]() -> Task<> {
            auto wanted = options();
            auto const client = co_await carrier_->connect(era(), std::move(wanted));
            co_await (this->*body)(client);
            co_await client.stop();
        };
        test::run_task(context_, whole());
    }

    static Task<std::string> call(Client const& client, std::string tool, JsonObject arguments) {
        auto const result = co_await client.call_tool(std::move(tool), arguments);
        EXPECT_FALSE(result.is_error);
        co_return text_of(result);
    }
    static Task<std::string> call(Client const& client, std::string tool) {
        return call(client, std::move(tool), JsonObject());
    }

    Task<> tools(Client const& client) {
        auto const tools = co_await client.list_tools();
        std::vector<std::string> names;
        for (auto const& tool : tools) names.push_back(tool.name);
        EXPECT_THAT(names, IsSupersetOf({"echo", "add", "weather", "largest", "count_down", "wait",
                                         "picture", "mix", "book_table", "plan_trip", "ask_both",
                                         "set_extras", "increment", "fail", "too_slow"}));
        JsonObject const hello{{"text", "hello"}};
        auto const said = co_await call(client, "echo", hello);
        EXPECT_EQ(said, "hello");
        JsonObject const numbers{{"a", 40}, {"b", 2}};
        auto const sum = co_await client.call_tool("add", numbers);
        EXPECT_EQ(sum.structured_content.text(), R"({"sum":42})");
        JsonObject const some{{"numbers", {3, 7, 5}}};
        auto const largest = co_await client.call_tool("largest", some);
        EXPECT_THAT(largest.structured_content.text(), HasSubstr("7"));
        JsonObject const wrong{{"a", "forty"}};
        auto const refused = co_await client.call_tool("add", wrong);
        EXPECT_TRUE(refused.is_error);
    }

    Task<> failures(Client const& client) {
        for (auto const* const way : {"tool_error", "exception", "not_an_exception"}) {
            JsonObject const arguments{{"way", way}};
            auto const result = co_await client.call_tool("fail", arguments);
            EXPECT_TRUE(result.is_error) << way;
            EXPECT_EQ(text_of(result).find("secret"), std::string::npos);
        }
        JsonObject const arguments{{"way", "refusal"}};
        std::optional<std::int64_t> code;
        try {
            co_await client.call_tool("fail", arguments);
        } catch (Error const& error) {
            code = error.peer_code();
        }
        EXPECT_EQ(code, 1001);
        for (auto const* const tool : {"too_slow", "too_much"}) {
            auto const result = co_await client.call_tool(tool);
            EXPECT_TRUE(result.is_error) << tool;
        }
        auto const printed = co_await call(client, "print");
        EXPECT_EQ(printed, "printed");
    }

    Task<> progress(Client const& client) {
        std::vector<double> steps;
        CallOptions options;
        options.on_progress(
            [&steps](ProgressParams const& params) { steps.push_back(params.progress); });
        JsonObject const arguments{{"from", 3}, {"delay_ms", 0}};
        auto const result = co_await client.call_tool("count_down", arguments, options);
        EXPECT_EQ(text_of(result), "counted down from 3");
        EXPECT_FALSE(steps.empty());
        EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
    }

    Task<> cancellation(Client const& client) {
        auto const before = co_await call(client, "count_interrupted");
        std::stop_source stop;
        CallOptions options;
        options.stop_token(stop.get_token());
        // The first call may be cancelled before it has begun; the second one has begun when it
        // times out.
        CallOptions patient;
        patient.timeout(20ms);
        JsonObject const arguments{{"seconds", 3600}};
        stop.request_stop();
        for (auto const& each : {options, patient}) {
            bool ended = false;
            try {
                co_await client.call_tool("wait", arguments, each);
            } catch (Error const& error) {
                ended = error.is(Errc::cancelled) || error.is(Errc::timeout);
            }
            EXPECT_TRUE(ended);
        }
        for (auto now = before; now == before;) now = co_await call(client, "count_interrupted");
    }

    Task<> logs(Client const& client) {
        co_await client.set_log_level(LoggingLevel::error);
        while (logged_.empty()) co_await call(client, "log_everything");
        for (auto const level : logged_) EXPECT_GE(level, LoggingLevel::error);
    }

    Task<> questions(Client const& client) {
        std::map<std::string, std::string> const expected{
            {"book_table", "a table for 4 in the name of Ada, inside"},
            {"open_page", "the user agreed"},
            {"list_folders", "1 open folders\nfile:///work"},
            {"plan_trip", "ticket 1: Oslo on 2026-07-28"},
            {"ask_both", "the user says Oslo, the model says Paris"}};
        for (auto const& [tool, answer] : expected) {
            auto const text = co_await call(client, tool);
            EXPECT_EQ(text, answer) << tool;
        }
        JsonObject const question{{"question", "Where to?"}};
        auto const text = co_await call(client, "ask_model", question);
        EXPECT_EQ(text, "parrot says: Paris");
    }

    Task<> media(Client const& client) {
        auto const mix = co_await client.call_tool("mix");
        std::vector<std::size_t> kinds;
        for (auto const& block : mix.content) kinds.push_back(block.index());
        EXPECT_EQ(std::set(kinds.begin(), kinds.end()).size(), 5U);
        auto const picture = co_await client.call_tool("picture");
        auto const* const image = std::get_if<ImageContent>(&picture.content.at(0));
        EXPECT_TRUE(image != nullptr && image->data == base64::encode(demo::picture_png()));
    }

    static Task<std::string> read(Client const& client, std::string uri) {
        auto const result = co_await client.read_resource(std::move(uri));
        auto const* const text = std::get_if<TextResourceContents>(&result.contents.at(0));
        co_return text == nullptr ? std::string() : text->text;
    }

    Task<> resources(Client const& client) {
        auto const resources = co_await client.list_resources();
        EXPECT_GE(resources.size(), 4U);
        auto const templates = co_await client.list_resource_templates();
        EXPECT_EQ(templates.size(), 2U);
        auto const readme = co_await read(client, "demo://readme");
        EXPECT_THAT(readme, HasSubstr("demonstration server"));
        auto const greeting = co_await read(client, "demo://greeting/Ada");
        EXPECT_EQ(greeting, "Hello, Ada!");
        auto const picture = co_await client.read_resource("demo://picture");
        EXPECT_TRUE(std::holds_alternative<BlobResourceContents>(picture.contents.at(0)));
        auto const rows =
            co_await client.complete_resource("demo://table/{table}/{row}", "row", "9");
        EXPECT_EQ(rows.values.size(), 11U);
        bool missing = false;
        try {
            co_await client.read_resource("demo://nothing");
        } catch (Error const& error) {
            missing = error.peer_code().has_value();
        }
        EXPECT_TRUE(missing);
    }

    Task<> prompts(Client const& client) {
        auto const prompts = co_await client.list_prompts();
        EXPECT_GE(prompts.size(), 4U);
        std::map<std::string, std::string> const arguments{{"language", "cpp"}, {"code", "x"}};
        auto const review = co_await client.get_prompt("review", arguments);
        auto const* const text = std::get_if<TextContent>(&review.messages.at(0).content);
        EXPECT_TRUE(text != nullptr && text->text.starts_with("Review this C++ code"));
        auto const picture = co_await client.get_prompt("describe_picture");
        EXPECT_EQ(picture.messages.size(), 4U);
        std::map<std::string, std::string> const norway{{"country", "norway"}};
        auto const cities = co_await client.complete_prompt("visit", "city", "", norway);
        EXPECT_THAT(cities.values, ElementsAre("Bergen", "Oslo", "Tromsø"));
    }

    Task<> changes(Client const& client) {
        co_await client.subscribe("demo://counter");
        while (updated_.empty()) co_await call(client, "increment");
        EXPECT_THAT(updated_, ElementsAre("demo://counter"));
        co_await client.unsubscribe("demo://counter");
        bool on = true;
        while (changed_.size() < 3) {
            JsonObject const arguments{{"on", on}};
            co_await call(client, "set_extras", arguments);
            on = !on;
        }
    }

    std::unique_ptr<Server> server_ = demo::make_server();
    std::vector<LoggingLevel> logged_;
    std::set<ListKind> changed_;
    std::set<std::string> updated_;
    std::unique_ptr<test::Carrier> carrier_ = make(*server_, LANYARD_PROGRAM, "serve", "--demo");
};

TEST_P(Demo, tools_return_their_documented_results) {
    talk(&Demo::tools);
}
TEST_P(Demo, tools_fail_in_every_way) {
    talk(&Demo::failures);
}
TEST_P(Demo, progress_is_reported) {
    talk(&Demo::progress);
}
TEST_P(Demo, calls_are_cancelled) {
    talk(&Demo::cancellation);
}
TEST_P(Demo, log_messages_are_sent_from_the_level_on) {
    talk(&Demo::logs);
}
TEST_P(Demo, questions_for_user_model_and_roots_are_sent) {
    talk(&Demo::questions);
}
TEST_P(Demo, content_of_every_kind_is_returned) {
    talk(&Demo::media);
}
TEST_P(Demo, resources_are_listed_read_and_completed) {
    talk(&Demo::resources);
}
TEST_P(Demo, prompts_are_listed_filled_in_and_completed) {
    talk(&Demo::prompts);
}
TEST_P(Demo, changes_are_announced) {
    talk(&Demo::changes);
}

INSTANTIATE_TEST_SUITE_P(Carriers, Demo, test::all_carriers(), test::carrier_and_era);

}  // namespace
}  // namespace lanyard::app
