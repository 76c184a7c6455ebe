#include "lanyard/testing/scripted_peer.hpp"

#include <algorithm>

#include "lanyard/error.hpp"
#include "lanyard/json/writer.hpp"
#include "testing/read_within.hpp"

namespace lanyard::testing {

namespace {

constexpr std::size_t shown_characters = 2000;
constexpr std::size_t shown_messages = 10;

std::string cut(std::string const& text) {
    if (text.size() <= shown_characters) return text;
    return text.substr(0, shown_characters) + "... (" + std::to_string(text.size()) + " bytes)";
}

std::string escape_pointer(std::string_view key) {
    std::string escaped;
    for (char const character : key) {
        if (character == '~') {
            escaped += "~0";
        } else if (character == '/') {
            escaped += "~1";
        } else {
            escaped += character;
        }
    }
    return escaped;
}

std::string at(std::string const& pointer, std::string const& what) {
    return (pointer.empty() ? "the message" : pointer) + ": " + what;
}

std::string expected_but(std::string const& pointer, Json const& expected, Json const& came) {
    return at(pointer, "expected " + cut(json::serialize(expected)) + ", came " +
                           cut(json::serialize(came)));
}

std::optional<std::string> compare(std::string const& pointer, Json const& expected,
                                   Json const& came, bool allow_more);

std::optional<std::string> compare_members(std::string const& pointer, JsonObject const& expected,
                                           JsonObject const& came, bool allow_more) {
    for (auto const& [key, value] : expected) {
        auto const below = pointer + "/" + escape_pointer(key);
        auto const* const other = came.if_contains(key);
        if (other == nullptr) {
            return at(below, "expected " + cut(json::serialize(value)) + ", but it is absent");
        }
        if (auto difference = compare(below, value, *other, allow_more)) return difference;
    }
    if (allow_more) return std::nullopt;
    for (auto const& [key, value] : came) {
        if (!expected.contains(key)) {
            return at(pointer + "/" + escape_pointer(key),
                      "not expected, came " + cut(json::serialize(value)));
        }
    }
    return std::nullopt;
}

std::optional<std::string> compare(std::string const& pointer, Json const& expected,
                                   Json const& came, bool allow_more) {
    if (expected.is_object() && came.is_object()) {
        return compare_members(pointer, expected.get_object(), came.get_object(), allow_more);
    }
    if (expected.is_array() && came.is_array() &&
        expected.get_array().size() == came.get_array().size()) {
        for (std::size_t i = 0; i < expected.get_array().size(); ++i) {
            auto difference = compare(pointer + "/" + std::to_string(i), expected.get_array()[i],
                                      came.get_array()[i], allow_more);
            if (difference) return difference;
        }
        return std::nullopt;
    }
    if (expected == came) return std::nullopt;
    return expected_but(pointer, expected, came);
}

Json parse_expected(std::string const& text) {
    auto parsed = json::parse(text);
    if (!parsed) {
        throw ScriptError("the script expects something that is not JSON: " +
                          parsed.error().to_string() + "\n  " + cut(text));
    }
    return std::move(*parsed);
}

}  // namespace

std::optional<std::string> first_difference(Json const& expected, Json const& came) {
    return compare("", expected, came, false);
}

std::optional<std::string> first_missing(Json const& expected, Json const& came) {
    return compare("", expected, came, true);
}

ScriptedPeer::ScriptedPeer(std::unique_ptr<Transport> transport, Duration timeout)
    : transport_(std::move(transport)), timeout_(timeout) {}

Task<> ScriptedPeer::send(std::string text) {
    rpc::Outbox outbox;
    outbox.begin().append(text);
    outbox.end();
    std::string failure;
    try {
        co_await write_within(*transport_, outbox, timeout_);
    } catch (std::exception const& error) {
        failure = error.what();
    }
    if (!failure.empty()) fail("to send " + cut(text), "a failure: " + failure);
    exchanged_.push_back("sent " + cut(text));
}

Task<> ScriptedPeer::send_message(rpc::Message message) {
    return send(rpc::serialize(message));
}

// Reads messages into received_. Returns false if the connection has ended.
Task<bool> ScriptedPeer::fill(std::string const& wanted) {
    std::string failure;
    try {
        auto const frames = co_await read_within(*transport_, timeout_);
        if (!frames) co_return false;
        for (auto const& frame : *frames) {
            if (frame.kind == rpc::Frame::Kind::message) {
                received_.emplace_back(frame.text);
            } else {
                failure = "a message that cannot be read: " + std::string(frame.text);
            }
        }
    } catch (Error const& error) {
        failure = error.is(Errc::timeout) ? "nothing " + error.message()
                                          : "a failure: " + std::string(error.what());
    }
    if (!failure.empty()) fail(wanted, failure);
    co_return true;
}

Task<std::string> ScriptedPeer::take(std::string const& wanted) {
    while (received_.empty()) {
        bool const open = co_await fill(wanted);
        if (open) continue;
        auto const reason = transport_->end_reason();
        fail(wanted, "the end of the connection" + (reason.empty() ? "" : " (" + reason + ")"));
    }
    auto text = std::move(received_.front());
    received_.pop_front();
    exchanged_.push_back("received " + cut(text));
    co_return text;
}

Task<Json> ScriptedPeer::take_json(std::string const& wanted) {
    auto const text = co_await take(wanted);
    auto parsed = json::parse(text);
    if (!parsed) fail(wanted, "no JSON (" + parsed.error().to_string() + "): " + cut(text));
    co_return std::move(*parsed);
}

Task<rpc::Message> ScriptedPeer::take_message(std::string const& wanted) {
    auto const text = co_await take(wanted);
    auto parsed = rpc::parse_message(text);
    if (!parsed) fail(wanted, "no message (" + parsed.error().message + "): " + cut(text));
    co_return std::move(*parsed);
}

Task<Json> ScriptedPeer::receive() {
    std::string const wanted = "a message";
    co_return co_await take_json(wanted);
}

Task<Json> ScriptedPeer::expect(std::string json) {
    auto const expected = parse_expected(json);
    auto came = co_await take_json(json);
    if (auto const difference = first_difference(expected, came)) {
        fail(json, json::serialize(came) + "\n" + *difference);
    }
    co_return came;
}

Task<Json> ScriptedPeer::expect_like(std::string json) {
    auto const expected = parse_expected(json);
    auto const wanted = "at least " + json;
    auto came = co_await take_json(wanted);
    if (auto const difference = first_missing(expected, came)) {
        fail(wanted, json::serialize(came) + "\n" + *difference);
    }
    co_return came;
}

Task<Json> ScriptedPeer::expect_that(Matcher matcher) {
    std::string const wanted = "a message that the matcher accepts";
    auto came = co_await take_json(wanted);
    if (auto const wrong = matcher(came)) fail(wanted, json::serialize(came) + "\n" + *wrong);
    co_return came;
}

Task<rpc::Request> ScriptedPeer::expect_request(std::string method) {
    auto const wanted = "a request for " + method;
    auto message = co_await take_message(wanted);
    auto* const request = std::get_if<rpc::Request>(&message);
    if (request == nullptr || request->method != method) fail(wanted, rpc::serialize(message));
    co_return std::move(*request);
}

Task<rpc::Notification> ScriptedPeer::expect_notification(std::string method) {
    auto const wanted = "the notification " + method;
    auto message = co_await take_message(wanted);
    auto* const notification = std::get_if<rpc::Notification>(&message);
    if (notification == nullptr || notification->method != method) {
        fail(wanted, rpc::serialize(message));
    }
    co_return std::move(*notification);
}

Task<> ScriptedPeer::expect_end() {
    std::string const wanted = "the end of the connection";
    for (;;) {
        if (!received_.empty()) fail(wanted, received_.front());
        bool const open = co_await fill(wanted);
        if (!open) co_return;
    }
}

void ScriptedPeer::fail(std::string const& expected, std::string const& came) const {
    std::string text = "expected " + cut(expected) + "\nbut came " + came;
    auto const shown = std::min(exchanged_.size(), shown_messages);
    if (shown > 0) text += "\nthe last messages:";
    for (auto at = exchanged_.end() - static_cast<std::ptrdiff_t>(shown); at != exchanged_.end();
         ++at) {
        text += "\n  " + *at;
    }
    throw ScriptError(text);
}

}  // namespace lanyard::testing
