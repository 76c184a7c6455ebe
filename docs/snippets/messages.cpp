// Snippets of docs/messages.md.
#include <lanyard/rpc/message.hpp>

#include <iostream>
#include <string>
#include <variant>

namespace {

bool reads() {
    // [read]
    auto const message = lanyard::rpc::parse_message(
        R"({"jsonrpc":"2.0","id":"a1","method":"tools/call","params":{"name":"greet"}})");
    if (!message) {
        std::cerr << message.error().message << '\n';
        return false;
    }
    if (auto const* request = std::get_if<lanyard::rpc::Request>(&*message)) {
        std::cout << request->method << ' ' << request->params.text() << '\n';
    }
    // [/read]
    return std::holds_alternative<lanyard::rpc::Request>(*message);
}

bool answers() {
    // [answer]
    lanyard::rpc::Response response;
    response.id = lanyard::RequestId("a1");
    response.result = lanyard::Json{{"content", lanyard::JsonArray{}}};
    std::string const line = lanyard::rpc::serialize(response);
    // [/answer]
    return line == R"({"jsonrpc":"2.0","id":"a1","result":{"content":[]}})";
}

bool refuses() {
    // [refuse]
    auto const bad = lanyard::rpc::parse_message(R"({"jsonrpc":"2.0","id":7,"method":true})");
    if (!bad && bad.error().owes_answer()) {
        lanyard::rpc::ErrorResponse error;
        error.id = bad.error().id;
        error.code = lanyard::rpc::code::invalid_request;
        error.message = bad.error().message;
        std::cout << lanyard::rpc::serialize(error) << '\n';
    }
    // [/refuse]
    return !bad;
}

}  // namespace

int main() {
    return reads() && answers() && refuses() ? 0 : 1;
}
