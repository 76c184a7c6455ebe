#include "testing/talk.hpp"

namespace lanyard::testing::checks {

std::string shown(Json const& json) {
    return json::serialize(json).substr(0, 200);
}

std::string request_text(std::string_view id, std::string_view method, std::string_view params) {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) +
           R"(","params":)" + std::string(params) + "}";
}

Task<Json> Talk::response(std::string_view to_what) {
    for (;;) {
        auto const text = co_await receiver_.next("a response to " + std::string(to_what));
        auto const message = json::parse(text);
        require(message.has_value(), "the message is not JSON: " + text.substr(0, 200));
        auto const* const object = message->if_object();
        require(object != nullptr, "the message is not an object: " + text.substr(0, 200));
        if (!object->contains("method")) co_return *message;
    }
}

Task<Json> Talk::ask(std::string_view method, std::string_view params) {
    auto const id = ++last_id_;
    co_await say(request_text(std::to_string(id), method, params));
    auto answer = co_await response(method);
    auto const& object = answer.as_object();
    auto const* const found = object.if_contains("id");
    require(found != nullptr && found->is_int64() && found->as_int64() == id,
            "the response to " + std::string(method) + " has another id: " + shown(answer));
    co_return answer;
}

Task<> Talk::expect_result(std::string_view method, std::string_view params) {
    auto const answer = co_await ask(method, params);
    require(answer.as_object().contains("result"),
            std::string(method) + " was refused: " + shown(answer));
}

Task<> Talk::expect_error(std::string_view method, std::string_view params,
                          std::optional<std::int64_t> code) {
    auto const answer = co_await ask(method, params);
    check_error(answer, std::string(method), code);
}

void Talk::check_error(Json const& answer, std::string const& what,
                       std::optional<std::int64_t> code) {
    auto const& object = answer.as_object();
    auto const* const error = object.if_contains("error");
    require(error != nullptr && error->is_object() && !object.contains("result"),
            what + " was not refused: " + shown(answer));
    auto const* const found = error->as_object().if_contains("code");
    auto const* const message = error->as_object().if_contains("message");
    require(found != nullptr && found->is_int64(), "an error has no code: " + shown(answer));
    require(message != nullptr && message->is_string() && !message->as_string().empty(),
            "an error has no message: " + shown(answer));
    require(!code || found->as_int64() == *code, what + " was refused with another code than " +
                                                     std::to_string(code.value_or(0)) + ": " +
                                                     shown(answer));
}

Task<> Talk::initialize() {
    co_await expect_result("initialize", initialize_params);
}

Task<> Talk::open_session() {
    co_await initialize();
    co_await say(std::string(initialized));
}

}  // namespace lanyard::testing::checks
