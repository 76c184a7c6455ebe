// Servers with wrong answers: endless lists, foreign ids, answers that arrive twice or too early,
// texts with control sequences for terminals.
#include "hostile/hostile_case.hpp"

namespace lanyard::hostile {
namespace {

std::string tool(std::string_view name, std::string_view description = "d") {
    return R"({"name":")" + std::string(name) + R"(","description":")" + std::string(description) +
           R"(","inputSchema":{"type":"object"}})";
}

class Answers : public EachCarrier {
protected:
    using OnMessage = std::function<void(Heard const&, Out const&)>;
    /// Connects to a server that behaves like this after the opening.
    void open(OnMessage const& on_message, ClientOptions const& options = {}) {
        Behaviour behaviour;
        behaviour.keeps_connections = true;
        behaviour.on_message = [on_message](Heard const& heard, Out const& out) {
            if (!answer_opening(heard, out)) on_message(heard, out);
        };
        server.emplace(GetParam(), behaviour);
        connect(*server, options);
    }
    std::optional<HostileServer> server;
};

TEST_P(Answers, a_list_without_an_end_ends_with_an_error) {
    open([](Heard const& heard, Out const& out) {
        static std::atomic<int> page = 0;
        out.send(result_of(heard.id, R"({"tools":[)" + tool("t") + R"(],"nextCursor":")" +
                                         std::to_string(++page) + R"("})"));
    });
    auto const listed = attempt(client.list_tools());
    ASSERT_FALSE(listed);
    EXPECT_TRUE(listed.error().is(Errc::protocol_violation)) << listed.error().what();
}

TEST_P(Answers, a_list_of_large_pages_ends_with_an_error_at_the_limit_of_bytes) {
    open([](Heard const& heard, Out const& out) {
        static std::atomic<int> page = 0;
        static std::string const description(8 * mebibyte, 'x');
        out.send(result_of(heard.id, R"({"tools":[)" + tool("t", description) +
                                         R"(],"nextCursor":")" + std::to_string(++page) + R"("})"));
    });
    MemoryWatch const memory;
    auto const listed = attempt(client.list_tools(CallOptions().timeout(50s)));
    ASSERT_FALSE(listed);
    EXPECT_TRUE(listed.error().is(Errc::too_large)) << listed.error().what();
    // The entries collected so far, and the memory to receive a message of that length.
    memory.expect_below(256 * mebibyte);
}

TEST_P(Answers, a_list_of_many_entries_ends_with_an_error_at_the_limit_of_entries) {
    open([](Heard const& heard, Out const& out) {
        static std::atomic<int> page = 0;
        static std::string const tools = [] {
            std::string many = tool("t");
            for (int i = 1; i < 2'000; ++i) many += "," + tool("t");
            return many;
        }();
        out.send(result_of(heard.id, R"({"tools":[)" + tools + R"(],"nextCursor":")" +
                                         std::to_string(++page) + R"("})"));
    });
    MemoryWatch const memory;
    auto const listed = attempt(client.list_tools(CallOptions().timeout(50s)));
    ASSERT_FALSE(listed);
    EXPECT_TRUE(listed.error().is(Errc::too_large)) << listed.error().what();
    memory.expect_below(256 * mebibyte);
}

TEST_P(Answers, an_iterator_over_large_pages_holds_one_at_a_time) {
    open([](Heard const& heard, Out const& out) {
        static std::atomic<int> page = 0;
        static std::string const description(4 * mebibyte, 'x');
        out.send(result_of(heard.id, R"({"tools":[)" + tool("t", description) +
                                         R"(],"nextCursor":")" + std::to_string(++page) + R"("})"));
    });
    MemoryWatch const memory;
    auto tools = client.tools(CallOptions().timeout(50s));
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(attempt(tools.next()));
    memory.expect_below(96 * mebibyte);
}

// Every call gets its own answer, whatever else the server sends.
TEST_P(Answers, foreign_ids_early_answers_and_second_answers_are_ignored) {
    open([](Heard const& heard, Out const& out) {
        auto const number = std::stoll(heard.id);
        auto const text = [&](std::string_view what) {
            return R"({"content":[{"type":"text","text":")" + std::string(what) + R"("}]})";
        };
        // The ids of calls that will be made, were made, and are never made.
        constexpr long long largest = 9'007'199'254'740'991;
        for (auto const other : {number + 1, number + 2, number - 1, -1LL, largest}) {
            out.send(result_of(std::to_string(other), text("foreign")));
        }
        for (std::string const strange : {R"("x")", "null", "1.5", "[1]", "{}", "true"}) {
            out.send(result_of(strange, text("strange")));
        }
        out.send(result_of(heard.id, text(heard.id)));
        out.send(result_of(heard.id, text("second")));
        out.send(R"({"jsonrpc":"2.0","id":)" + heard.id +
                 R"(,"error":{"code":-1,"message":"third"}})");
    });
    std::string before;
    for (int i = 0; i < 20; ++i) {
        auto const called = attempt(client.call<std::string>("t"));
        ASSERT_TRUE(called) << called.error().what();
        EXPECT_TRUE(called->find_first_not_of("0123456789") == std::string::npos) << *called;
        EXPECT_NE(*called, before);
        before = *called;
    }
}

// The library passes texts on unchanged; programs must make them safe for terminals.
TEST_P(Answers, control_characters_arrive_as_data) {
    // ESC ] 0 ; x BEL, CSI of C1, CR, a bidirectional override, NUL and DEL.
    std::string const escaped = R"(\u001b]0;x\u0007 \u009b2J \r \u202e \u0000 \u007f)";
    open([escaped](Heard const& heard, Out const& out) {
        if (heard.method == "tools/list") {
            out.send(result_of(heard.id, R"({"tools":[)" + tool(escaped, escaped) + "]}"));
        } else if (heard.method == "resources/list") {
            out.send(result_of(heard.id,
                               R"({"resources":[{"uri":"a:b","name":")" + escaped + R"("}]})"));
        } else if (heard.method == "prompts/list") {
            out.send(result_of(heard.id, R"({"prompts":[{"name":")" + escaped + R"("}]})"));
        } else {
            out.send(R"({"jsonrpc":"2.0","id":)" + heard.id +
                     R"(,"error":{"code":-32000,"message":")" + escaped + R"("}})");
        }
    });
    std::string const text(
        "\x1b]0;x\x07 \xc2\x9b"
        "2J \r \xe2\x80\xae \0 \x7f",
        21);
    auto const tools = attempt(client.list_tools());
    ASSERT_TRUE(tools) << tools.error().what();
    EXPECT_EQ(tools->at(0).name, text);
    EXPECT_EQ(tools->at(0).description, text);
    auto const resources = attempt(client.list_resources());
    ASSERT_TRUE(resources) << resources.error().what();
    EXPECT_EQ(resources->at(0).name, text);
    auto const prompts = attempt(client.list_prompts());
    ASSERT_TRUE(prompts) << prompts.error().what();
    EXPECT_EQ(prompts->at(0).name, text);
    auto const called = attempt(client.call_tool("t"));
    ASSERT_FALSE(called);
    EXPECT_EQ(called.error().message(), text);
}

TEST_P(Answers, results_of_the_wrong_shape_fail_only_their_call) {
    open([](Heard const& heard, Out const& out) {
        static std::atomic<int> next = 0;
        constexpr std::string_view shapes[] = {"null",
                                               "[]",
                                               "7",
                                               "\"\"",
                                               R"({"tools":7})",
                                               R"({"tools":{}})",
                                               R"({"tools":[7]})",
                                               R"({"tools":[{}]})",
                                               R"({"tools":[{"name":7}]})",
                                               R"({"tools":[],"nextCursor":7})"};
        auto const at = static_cast<std::size_t>(next++);
        if (at < std::size(shapes)) {
            out.send(result_of(heard.id, shapes[at]));
        } else {
            out.send(result_of(heard.id, R"({"tools":[]})"));
        }
    });
    int failed = 0;
    for (int i = 0; i < 11; ++i) {
        auto const listed = attempt(client.list_tools(CallOptions().timeout(300ms)));
        if (!listed) ++failed;
        EXPECT_TRUE(listed || i < 10) << listed.error().what();
    }
    EXPECT_GE(failed, 5);
    EXPECT_TRUE(client.is_open());
}

LANYARD_EACH_CARRIER(Answers);

}  // namespace
}  // namespace lanyard::hostile
