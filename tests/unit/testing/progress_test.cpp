// Progress in both directions: of a call to the client, and of a question to the server.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lanyard/client.hpp"
#include "lanyard/server.hpp"
#include "lanyard/testing/connect.hpp"
#include "runtime/event.hpp"
#include "support/run_task.hpp"

namespace lanyard::testing {
namespace {

ElicitFormParams form() {
    ElicitFormParams params;
    params.message = "?";
    return params;
}

ElicitResult accepted() {
    ElicitResult result;
    result.action = ElicitAction::accept;
    result.content = JsonObject();
    return result;
}

CreateMessageParams prompt() {
    CreateMessageParams params;
    params.messages.push_back(user_message("hi"));
    params.max_tokens = 9;
    return params;
}

ClientOptions reporting_client() {
    ClientOptions options;
    options.on_sampling([](CreateMessageParams const&, ProgressReporter const& progress) {
        progress.report_progress(1, 2, "sampling");
        CreateMessageResult answer;
        answer.content.emplace_back(TextContent{.text = "hello"});
        answer.model = "m";
        return answer;
    });
    options.on_elicitation(
        [](ElicitFormParams const&, ProgressReporter progress) -> Task<ElicitResult> {
            progress.report_progress(3, 4, "eliciting");
            co_return accepted();
        });
    options.on_url_elicitation([](ElicitUrlParams const&, ProgressReporter const& progress) {
        progress.report_progress(5);
        return accepted();
    });
    options.on_roots([](ProgressReporter const& progress) {
        progress.report_progress(7, 8, "listing");
        return std::vector<Root>();
    });
    return options;
}

class ProgressOfQuestions : public ::testing::TestWithParam<Version> {
protected:
    ProgressOfQuestions() {
        server_.tool("ask", "Asks everything", [this](Context& context) -> Task<std::string> {
            context.report_progress(1, 10, "asking");
            co_await ask(context, ask_model("model", prompt()));
            co_await ask(context, ask_form("form", form()));
            if (supports_urls()) {
                co_await ask(context, ask_url("url", "?", "https://example.org/", "1"));
            }
            co_await ask(context, ask_roots());
            co_return "done";
        });
    }

    bool supports_urls() const { return GetParam() >= Version::v2025_11_25; }

    template <class A>
    Task<> ask(Context& context, Question<A> question) {
        question.on_progress([this](ProgressParams const& progress) {
            of_questions_.push_back(progress.message +
                                    std::to_string(static_cast<int>(progress.progress)) + "/" +
                                    std::to_string(static_cast<int>(progress.total.value_or(0))));
        });
        co_await context.ask(question);
    }

    Task<> talk(bool wants_progress) {
        auto const client = co_await connect(server_, GetParam(), reporting_client());
        CallOptions options;
        if (wants_progress) {
            options.on_progress(
                [this](ProgressParams const& progress) { of_call_.push_back(progress.message); });
        }
        auto const text = co_await client.call<std::string>("ask", options);
        EXPECT_EQ(text, "done");
    }

    boost::asio::io_context context_;
    Server server_{"asker", "1"};
    std::vector<std::string> of_call_;
    std::vector<std::string> of_questions_;
};

TEST_P(ProgressOfQuestions, and_of_the_call_is_reported_in_the_legacy_era) {
    test::run_task(context_, talk(true));
    // In the modern era, the handler runs again after each question.
    bool const is_modern = era_of(GetParam()) == Era::modern;
    EXPECT_EQ(of_call_, std::vector<std::string>(is_modern ? 5 : 1, "asking"));
    std::vector<std::string> expected{"sampling1/2", "eliciting3/4", "listing7/8"};
    if (supports_urls()) expected.insert(expected.begin() + 2, "5/0");
    if (is_modern) expected.clear();
    EXPECT_EQ(of_questions_, expected);
}

INSTANTIATE_TEST_SUITE_P(Versions, ProgressOfQuestions,
                         ::testing::Values(Version::v2025_06_18, Version::v2025_11_25,
                                           Version::v2026_07_28),
                         [](auto const& info) {
                             auto name = std::string(to_string(info.param));
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

class Reports : public ::testing::Test {
protected:
    boost::asio::io_context context;
};

TEST_F(Reports, are_ignored_if_the_server_asked_for_none_or_the_handler_has_returned) {
    Server server("asker", "1");
    server.tool("plain", "Asks without progress", [](Context& asking) -> Task<std::string> {
        auto const answer = co_await asking.sample("m", prompt());
        co_return text_of(answer);
    });
    int reported = 0;
    server.tool("asks", "Asks for progress", [&](Context& asking) -> Task<std::string> {
        auto question = ask_model("m", prompt());
        question.on_progress([&reported](ProgressParams const&) { ++reported; });
        auto const answer = co_await asking.ask(question);
        co_return text_of(answer);
    });
    ProgressReporter kept;
    ClientOptions options;
    options.on_sampling([&kept](CreateMessageParams const&, ProgressReporter progress) {
        progress.report_progress(1);
        kept = std::move(progress);
        CreateMessageResult answer;
        answer.content.emplace_back(TextContent{.text = "hello"});
        answer.model = "m";
        return answer;
    });
    auto const talk = [&]() -> Task<> {
        auto const client = co_await connect(server, Era::legacy, options);
        for (std::string const tool : {"plain", "asks"}) {
            auto const text = co_await client.call<std::string>(tool);
            EXPECT_EQ(text, "hello");
            kept.report_progress(2);
            co_await client.ping();
            EXPECT_EQ(reported, tool == "asks" ? 1 : 0);
        }
    };
    test::run_task(context, talk());
    kept.report_progress(3);
    EXPECT_EQ(reported, 1);
    ProgressReporter().report_progress(1);
}

TEST_F(Reports, the_latest_of_many_reports_is_sent_while_the_handler_runs) {
    Server server("asker", "1");
    runtime::Event seen(context.get_executor());
    std::vector<int> reported;
    server.tool("asks", "Asks for progress", [&](Context& asking) -> Task<std::string> {
        auto question = ask_model("m", prompt());
        question.on_progress([&](ProgressParams const& progress) {
            reported.push_back(static_cast<int>(progress.progress));
            seen.notify();
        });
        auto const answer = co_await asking.ask(question);
        co_return text_of(answer);
    });
    ClientOptions options;
    options.on_sampling(
        [&](CreateMessageParams, ProgressReporter progress) -> Task<CreateMessageResult> {
            for (int i = 1; i <= 100; ++i) progress.report_progress(i);
            while (reported.empty()) co_await seen.wait();
            CreateMessageResult answer;
            answer.model = "m";
            co_return answer;
        });
    auto const talk = [&]() -> Task<> {
        auto const client = co_await connect(server, Era::legacy, options);
        co_await client.call<std::string>("asks");
    };
    test::run_task(context, talk());
    EXPECT_EQ(reported, std::vector<int>{100});
}

}  // namespace
}  // namespace lanyard::testing
