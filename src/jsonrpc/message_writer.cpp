#include "jsonrpc/message_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "lanyard/json/writer.hpp"

namespace lanyard::rpc {

namespace {

constexpr std::string_view head = R"({"jsonrpc":"2.0",)";

void append_number(std::string& out, std::int64_t value) {
    char digits[24];
    auto const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(std::string_view(digits, end));
}

void append_string(std::string& out, std::string_view characters) {
    out.push_back('"');
    json::append_escaped(out, characters);
    out.push_back('"');
}

// Appends the beginning of a message, its id, and the text `next`. If the id is a number or a short
// string, as most are, assembles all this in a small buffer and appends it with one call.
template <std::size_t size>
void append_head(std::string& out, IdRef const& id, char const (&next)[size]) {
    constexpr std::string_view before = R"({"jsonrpc":"2.0","id":)";
    constexpr std::string_view::size_type longest = 20;
    std::string_view const after(next, size - 1);
    auto const* const number = id.number();
    auto const json = id.json();
    if (number == nullptr && (json.empty() || json.size() > longest)) {
        out.append(before);
        id.append_to(out);
        out.append(after);
        return;
    }
    std::array<char, before.size() + longest + size> text;
    auto* at = std::copy(before.begin(), before.end(), text.data());
    at = number != nullptr ? std::to_chars(at, at + longest, *number).ptr
                           : std::copy(json.begin(), json.end(), at);
    at = std::copy(after.begin(), after.end(), at);
    out.append(std::string_view(text.data(), at));
}

void append_error_members(std::string& out, ErrorText const& error) {
    out.append(R"("error":{"code":)");
    append_number(out, error.code);
    out.append(R"(,"message":)");
    append_string(out, error.message);
    if (!error.data.empty()) {
        out.append(R"(,"data":)");
        json::append_raw(out, error.data);
    }
    out.append("}}");
}

}  // namespace

void IdRef::append_to(std::string& out) const {
    if (id_ == nullptr) {
        out.append(text_);
    } else if (auto const* number = id_->integer()) {
        append_number(out, *number);
    } else {
        append_string(out, *id_->string());
    }
}

void begin_notification(std::string& out, std::string_view method) {
    out.append(head).append(R"("method":)");
    append_string(out, method);
    out.append(R"(,"params":)");
}

void begin_result(std::string& out, IdRef const& id) {
    append_head(out, id, R"(,"result":)");
}

void append_request(std::string& out, IdRef const& id, std::string_view method,
                    std::string_view params) {
    append_head(out, id, R"(,"method":)");
    append_string(out, method);
    if (!params.empty()) {
        out.append(R"(,"params":)");
        json::append_raw(out, params);
    }
    end_message(out);
}

void append_notification(std::string& out, std::string_view method, std::string_view params) {
    out.append(head).append(R"("method":)");
    append_string(out, method);
    if (!params.empty()) {
        out.append(R"(,"params":)");
        json::append_raw(out, params);
    }
    end_message(out);
}

void append_result(std::string& out, IdRef const& id, std::string_view result) {
    begin_result(out, id);
    json::append_raw(out, result.empty() ? "{}" : result);
    end_message(out);
}

void append_error(std::string& out, IdRef const& id, ErrorText const& error) {
    append_head(out, id, ",");
    append_error_members(out, error);
}

void append_error(std::string& out, MissingId missing_id, ErrorText const& error) {
    out.append(head);
    if (missing_id == MissingId::null) out.append(R"("id":null,)");
    append_error_members(out, error);
}

void append_message(std::string& out, Message const& message, MissingId missing_id) {
    if (auto const* request = std::get_if<Request>(&message)) {
        append_request(out, request->id, request->method, request->params.text());
    } else if (auto const* notification = std::get_if<Notification>(&message)) {
        append_notification(out, notification->method, notification->params.text());
    } else if (auto const* response = std::get_if<Response>(&message)) {
        append_result(out, response->id, response->result.text());
    } else {
        auto const& failure = std::get<ErrorResponse>(message);
        ErrorText const error{failure.code, failure.message, failure.data.text()};
        if (failure.id) {
            append_error(out, *failure.id, error);
        } else {
            append_error(out, missing_id, error);
        }
    }
}

}  // namespace lanyard::rpc
