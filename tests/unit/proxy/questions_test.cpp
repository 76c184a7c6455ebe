// Questions that the upstream server of a proxy asks.
#include "proxy_fixture.hpp"

namespace lanyard {
namespace {

class ProxyQuestions : public ProxyTest {
protected:
    ProxyQuestions() {
        upstream.tool("purge", "Asks twice", [this](Context& asked) -> Task<std::string> {
            ++runs;
            // Counts calls, not the times that this server runs the function.
            auto const count = [this] { return ++calls; };
            co_await asked.once("count", count);
            auto const first = co_await asked.elicit<Sure>("first", "Really?");
            if (!first) co_return "declined";
            auto const second = co_await asked.elicit<Sure>("second", "Really, really?");
            co_return second && second->sure ? "purged" : "kept";
        });
        upstream.tool("compose", "Asks the model", [](Context& asked) -> Task<std::string> {
            CreateMessageParams params;
            params.max_tokens = 7;
            auto const message = co_await asked.sample("poem", params);
            co_return std::get<TextContent>(message.content.at(0)).text;
        });
        upstream.tool("where", "Asks for roots", [](Context& asked) -> Task<std::string> {
            auto const roots = co_await asked.list_roots();
            co_return roots.at(0).uri;
        });
    }

    ClientOptions answering() {
        ClientOptions client_options;
        client_options.on_elicitation([this](ElicitFormParams const& form) {
            forms.push_back(form.message);
            ElicitResult result;
            result.action = action;
            if (action == ElicitAction::accept) result.content = JsonObject{{"sure", true}};
            return result;
        });
        client_options.on_sampling([](CreateMessageParams const& params) {
            EXPECT_EQ(params.max_tokens, 7);
            CreateMessageResult result;
            result.model = "m";
            result.content.emplace_back(TextContent{"roses are red"});
            return result;
        });
        client_options.roots({Root{"file:///home", ""}});
        return client_options;
    }

    int runs = 0;
    int calls = 0;
    ElicitAction action = ElicitAction::accept;
    std::vector<std::string> forms;
};

TEST_P(ProxyQuestions, reach_the_client_during_a_single_call) {
    open(answering());
    EXPECT_EQ(start(client.call<std::string>("purge")).value(), "purged");
    EXPECT_EQ(forms, (std::vector<std::string>{"Really?", "Really, really?"}));
    EXPECT_EQ(calls, 1);
    // A server of an older revision suspends its handler, so the handler runs once.
    EXPECT_EQ(runs, GetParam().upstream == Version::v2026_07_28 ? 3 : 1);
}

TEST_P(ProxyQuestions, may_be_declined) {
    open(answering());
    action = ElicitAction::decline;
    EXPECT_EQ(start(client.call<std::string>("purge")).value(), "declined");
    EXPECT_EQ(calls, 1);
}

TEST_P(ProxyQuestions, for_models_and_roots_are_passed_on) {
    open(answering());
    EXPECT_EQ(start(client.call<std::string>("compose")).value(), "roses are red");
    EXPECT_EQ(start(client.call<std::string>("where")).value(), "file:///home");
}

TEST_P(ProxyQuestions, pass_the_progress_of_the_answer_to_the_server_that_asked) {
    // In 2026-07-28, clients send no progress.
    bool const passed =
        GetParam().client < Version::v2026_07_28 && GetParam().upstream < Version::v2026_07_28;
    std::vector<std::string> seen;
    auto const note = [&](ProgressParams const& progress) {
        seen.push_back(progress.message + " " +
                       std::to_string(static_cast<int>(progress.progress)) + "/" +
                       std::to_string(static_cast<int>(progress.total.value_or(0))));
    };
    upstream.tool("ponder", "Waits for the model", [&](Context& asked) -> Task<std::string> {
        CreateMessageParams params;
        params.max_tokens = 7;
        auto question = ask_model("poem", params);
        // Shorter than the answer takes, because each report restarts it.
        question.timeout(passed ? Duration(10s) : Duration(60s)).on_progress(note);
        auto const message = co_await asked.ask(question);
        auto form = ask_form<Sure>("sure", "Really?");
        form.on_progress(note);
        auto const sure = co_await asked.ask(form);
        co_return sure ? text_of(message) : "declined";
    });
    auto options = answering();
    options.on_sampling(
        [this](CreateMessageParams const&, ProgressReporter progress) -> Task<CreateMessageResult> {
            for (int word = 1; word <= 3; ++word) {
                progress.report_progress(word, 3, "word");
                co_await sleep_until(time, time.now() + 6s);
            }
            CreateMessageResult result;
            result.model = "m";
            result.content.emplace_back(TextContent{"roses are red"});
            co_return result;
        });
    options.on_elicitation([](ElicitFormParams const&, ProgressReporter const& progress) {
        progress.report_progress(1);
        ElicitResult result;
        result.action = ElicitAction::accept;
        result.content = JsonObject{{"sure", true}};
        return result;
    });
    open(options);
    auto pondering = start(client.call<std::string>("ponder"));
    for (int word = 1; word <= 3; ++word) advance(6s);
    EXPECT_EQ(pondering.value(), "roses are red");
    using Seen = std::vector<std::string>;
    EXPECT_EQ(seen, passed ? (Seen{"word 1/3", "word 2/3", "word 3/3", " 1/0"}) : Seen());
}

TEST_P(ProxyQuestions, go_to_the_client_whose_call_caused_them) {
    open(answering());
    std::vector<std::string> other_forms;
    ClientOptions other_options;
    other_options.on_elicitation([&](ElicitFormParams form) -> Task<ElicitResult> {
        other_forms.push_back(form.message);
        co_await sleep_until(time, time.now() + 10s);
        ElicitResult result;
        result.action = ElicitAction::decline;
        co_return result;
    });
    auto const other =
        start(testing::connect(server, GetParam().client, timed(other_options))).value();
    auto slow = start(other.call<std::string>("purge"));
    EXPECT_FALSE(slow.done());
    auto quick = start(client.call<std::string>("purge"));
    if (GetParam().upstream == Version::v2026_07_28) {
        EXPECT_EQ(quick.value(), "purged");
    } else {
        // In memory nothing shows to which of two calls a question belongs.
        EXPECT_TRUE(quick.done());
        EXPECT_TRUE(forms.empty());
    }
    EXPECT_EQ(other_forms, std::vector<std::string>{"Really?"});
    advance(10s);
    EXPECT_EQ(slow.value(), "declined");
}

TEST_P(ProxyQuestions, fail_if_the_client_cannot_answer) {
    open();
    auto calling = start(client.call_tool("purge"));
    EXPECT_TRUE(calling.done());
    EXPECT_EQ(calls, 1);
    // The proxy continues to serve.
    EXPECT_EQ(start(client.list_tools()).value().size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Eras, ProxyQuestions, all_eras(), name_of_eras);

// A client of 2026-07-28 that sends its requests itself, so that tests decide when it answers.
class ProxyRounds : public ProxyQuestions {
protected:
    Json call(std::string_view extra = {}) {
        auto calling = start(client.request(
            "tools/call", RawJson::trusted(R"({"name":"purge")" + std::string(extra) + "}")));
        return json_of(calling.value().text());
    }
    static std::string retry(Json const& asked, std::string_view key) {
        return R"(,"requestState":)" + boost::json::serialize(asked.at("requestState")) +
               R"(,"inputResponses":{")" + std::string(key) +
               R"(":{"action":"accept","content":{"sure":true}}})";
    }
    static std::string key_of(Json const& asked) {
        return std::string(asked.at("inputRequests").as_object().begin()->key());
    }
};

TEST_P(ProxyRounds, a_call_is_parked_between_two_requests) {
    open(answering());
    auto const first = call();
    ASSERT_EQ(first.at("resultType"), "input_required");
    EXPECT_EQ(calls, 1);
    advance(5min);
    auto const second = call(retry(first, key_of(first)));
    ASSERT_EQ(second.at("resultType"), "input_required");
    EXPECT_NE(key_of(first), key_of(second));
    // The same answers again, as if the client had not got the result: the same question again.
    auto const again = call(retry(first, key_of(first)));
    EXPECT_EQ(key_of(second), key_of(again));
    auto const last = call(retry(again, key_of(again)));
    EXPECT_EQ(last.at("content").at(0).at("text"), "purged");
    EXPECT_EQ(calls, 1);
}

TEST_P(ProxyRounds, a_finished_call_is_never_repeated) {
    open(answering());
    auto const first = call();
    auto const second = call(retry(first, key_of(first)));
    EXPECT_EQ(call(retry(second, key_of(second))).at("content").at(0).at("text"), "purged");
    auto repeated =
        start(client.request("tools/call", RawJson::trusted(R"({"name":"purge")" +
                                                            retry(second, key_of(second)) + "}")));
    EXPECT_EQ(repeated.error().peer_code(), -32602);
    EXPECT_EQ(calls, 1);
}

TEST_P(ProxyRounds, a_parked_call_expires) {
    open(answering(), ProxyOptions().answer_timeout(1min));
    auto const first = call();
    advance(2min);
    auto late = start(client.request(
        "tools/call", RawJson::trusted(R"({"name":"purge")" + retry(first, key_of(first)) + "}")));
    EXPECT_EQ(late.error().peer_code(), -32602);
    EXPECT_EQ(calls, 1);
    for (auto const& pending : start(proxied.pending()).value()) {
        EXPECT_NE(pending.method, "tools/call");
    }
}

TEST_P(ProxyRounds, the_number_of_parked_calls_is_limited) {
    open(answering(), ProxyOptions().max_waiting(1));
    auto const first = call();
    if (GetParam().upstream == Version::v2026_07_28) {
        auto refused = start(client.request("tools/call", RawJson::trusted(R"({"name":"purge"})")));
        EXPECT_TRUE(refused.error().peer_code().has_value());
    }
    auto const second = call(retry(first, key_of(first)));
    EXPECT_EQ(call(retry(second, key_of(second))).at("content").at(0).at("text"), "purged");
}

INSTANTIATE_TEST_SUITE_P(Eras, ProxyRounds,
                         ::testing::Values(Eras{Version::v2026_07_28, Version::v2025_11_25},
                                           Eras{Version::v2026_07_28, Version::v2026_07_28}),
                         name_of_eras);

}  // namespace
}  // namespace lanyard
