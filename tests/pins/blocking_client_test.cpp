// Checks that blocking::Client has every public operation of Client, with the same parameters: both
// classes are read from their headers.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lanyard/client/blocking.hpp"

namespace lanyard {
namespace {

std::string read(std::string const& path) {
    std::ifstream in(LANYARD_SOURCE_DIR "/" + path);
    EXPECT_TRUE(in) << path << " is missing";
    // Comments and preprocessor lines declare nothing.
    std::string text;
    for (std::string line; std::getline(in, line);) {
        auto const begin = line.find_first_not_of(' ');
        if (begin != std::string::npos && line[begin] == '#') continue;
        text += line.substr(0, line.find("//")) + '\n';
    }
    return text;
}

/// Returns the public part of the class "Client".
std::string public_part(std::string const& text) {
    auto const begin = text.find("class Client {");
    auto const end = text.find("private:", begin);
    EXPECT_NE(begin, std::string::npos);
    EXPECT_NE(end, std::string::npos);
    return text.substr(begin, end - begin);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
        text.replace(at, from.size(), to);
    }
}

/// Returns "name(parameters)" without spaces for every const member function that is not deleted.
std::set<std::string> operations(std::string const& path) {
    auto const text = public_part(read(path));
    std::set<std::string> found;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '(') continue;
        auto end = at;
        for (int depth = 0; end < text.size(); ++end) {
            if (text[end] == '(') ++depth;
            if (text[end] == ')' && --depth == 0) break;
        }
        auto name = at;
        while (std::isalnum(static_cast<unsigned char>(text[name - 1])) || text[name - 1] == '_') {
            --name;
        }
        auto rest = text.substr(end + 1, 32);
        if (rest.starts_with(" const") && !rest.starts_with(" const = delete") && name < at) {
            auto operation = text.substr(name, end + 1 - name);
            std::erase_if(operation, [](unsigned char c) { return std::isspace(c); });
            // A list in braces is needed only inside a co_await expression.
            replace_all(operation, "detail::ArgumentList<", "std::vector<");
            found.insert(operation);
        }
        // Parameters contain no declarations, but the body of a function may contain calls.
        at = end;
    }
    return found;
}

TEST(BlockingClient, has_every_operation_of_the_client) {
    auto client = operations("include/lanyard/client/client.hpp");
    auto blocking = operations("include/lanyard/client/blocking.hpp");
    EXPECT_GT(client.size(), 40U);
    EXPECT_TRUE(client.contains("closed()"));
    // How a blocking client runs tasks. Overloads for what g++ cannot compile in a co_await
    // expression exist only in the other class.
    for (auto const* own : {"async()", "wait(Task<T>task)", "wait(Task<>task)"}) {
        EXPECT_EQ(blocking.erase(own), 1U) << own;
    }
    std::erase_if(client, [](std::string const& operation) {
        return operation.starts_with("call_tool(std::stringname,Object&&");
    });
    // A channel is read in a coroutine; a blocking client has handlers.
    EXPECT_EQ(client.erase("notification_channel(std::stringmethod,std::size_tcapacity=100)"), 1U);
    EXPECT_EQ(client, blocking);
}

// The forms in which a tool is called without arguments, for both classes.
template <class C>
concept CallsWithoutArguments = requires(C const& client, CallOptions const& options) {
    client.template call<std::string>("status");
    client.template call<std::string>("status", options);
    client.template call<std::string>("status", CallOptions());
    client.template call<std::string>("status", {}, options);
    client.template call<void>("status", options);
    client.call_tool("status");
    client.call_tool("status", options);
    client.call_tool("status", CallOptions());
    client.call_tool("status", {}, options);
    client.call_tool("status", {}, {});
};

static_assert(CallsWithoutArguments<Client>);
static_assert(CallsWithoutArguments<blocking::Client>);

}  // namespace
}  // namespace lanyard
