#include "load/call.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "samples.hpp"

namespace lanyard::bench {
namespace {

constexpr std::array<std::pair<std::string_view, Work>, 4> names = {
    {{"echo", Work::echo}, {"add", Work::add}, {"list", Work::list}, {"text", Work::text}}};

constexpr std::string_view some_text = "the quick brown fox jumps over the lazy dog";
// Ids, and one of the numbers to add, have the same number of digits in every call.
constexpr std::size_t first_id = 1'000'000;
constexpr std::size_t ids = 9'000'000;
constexpr std::string_view id_mark = R"("id":1000000)";
constexpr std::string_view number_mark = R"("a":100)";

std::size_t first_number(std::size_t call) {
    return 100 + call % 900;
}

std::string parameters(Work work) {
    switch (work) {
        case Work::echo:
            return R"("name":"echo","arguments":{"text":")" + std::string(some_text) + "\"}";
        case Work::add:
            return R"("name":"add","arguments":{"a":100,"b":2})";
        case Work::text:
            return R"("name":"text","arguments":{})";
        case Work::list:
            break;
    }
    return {};
}

std::string_view method_of(Work work) {
    return work == Work::list ? "tools/list" : "tools/call";
}

std::string shortened(std::string_view text) {
    return std::string(text.substr(0, 300));
}

}  // namespace

std::string_view name_of(Work work) {
    return names[static_cast<std::size_t>(work)].first;
}

Work work_of(std::string_view name) {
    for (auto const& [known, work] : names) {
        if (known == name) return work;
    }
    throw std::runtime_error("there is no call '" + std::string(name) + "'");
}

std::string post(std::uint16_t port, std::string_view headers, std::string_view message) {
    return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
           "\r\nUser-Agent: bench-load/1.0\r\nAccept: application/json, text/event-stream\r\n"
           "Content-Type: application/json\r\n" +
           std::string(headers) + "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n" +
           std::string(message);
}

std::string session_headers(std::string_view session) {
    std::string headers = "MCP-Protocol-Version: 2025-11-25\r\n";
    if (!session.empty()) headers += "Mcp-Session-Id: " + std::string(session) + "\r\n";
    return headers;
}

Call::Call(Work work, Era era) : work_(work), era_(era) {
    if (work == Work::text) prose_ = prose(text_bytes);
    auto inside = parameters(work);
    if (era == Era::modern) {
        if (!inside.empty()) inside += ',';
        inside += R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                  R"("io.modelcontextprotocol/clientInfo":{"name":"bench-load","version":"1"},)"
                  R"("io.modelcontextprotocol/clientCapabilities":{}})";
    }
    message_ = R"({"jsonrpc":"2.0",)" + std::string(id_mark) + R"(,"method":")" +
               std::string(method_of(work)) + R"(","params":{)" + inside + "}}";
}

std::string Call::request(std::uint16_t port, std::string_view session) const {
    if (era_ == Era::legacy) return post(port, session_headers(session), message_);
    auto headers =
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + std::string(method_of(work_)) + "\r\n";
    if (work_ != Work::list) headers += "Mcp-Name: " + std::string(name_of(work_)) + "\r\n";
    return post(port, headers, message_);
}

void Call::patch(std::string& text, std::size_t number) const {
    // The marks occur in every line and request, and keep their size.
    auto const put = [&text](std::string_view mark, std::size_t value) {
        auto const digits = std::to_string(value);
        auto const key = mark.substr(0, mark.size() - digits.size());
        std::memcpy(text.data() + text.find(key) + key.size(), digits.data(), digits.size());
    };
    put(id_mark, first_id + number % ids);
    if (work_ == Work::add) put(number_mark, first_number(number));
}

std::optional<std::size_t> Call::check(std::string_view text) {
    auto const message = document_.parse(text);
    if (!message) throw std::runtime_error("not JSON: " + shortened(text));
    if (message->find("method")) return std::nullopt;
    auto const id = message->find("id");
    auto const known = id ? id->as_uint64().value_or(0) : 0;
    auto const result = message->find("result");
    if (known < first_id || !result) {
        throw std::runtime_error("not the answer to a call: " + shortened(text));
    }
    auto const number = static_cast<std::size_t>(known) - first_id;
    try {
        check_result(*result, number);
    } catch (std::runtime_error const& error) {
        throw std::runtime_error(error.what() + (": " + shortened(text)));
    }
    return number;
}

void Call::check_result(json::View result, std::size_t number) const {
    if (auto const failed = result.find("isError"); failed && failed->as_bool() == true) {
        throw std::runtime_error("the tool has failed");
    }
    if (work_ == Work::list) {
        auto const tools = result.find("tools");
        if (!tools || tools->size() != std::size_t{listed_tools})
            throw std::runtime_error("not 80 tools");
        return;
    }
    if (work_ == Work::add) {
        auto const content = result.find("structuredContent");
        auto const sum = content ? content->find("sum") : std::nullopt;
        // Ids repeat after 9,000,000 calls, a multiple of the 900 different numbers to add.
        if (!sum || sum->as_double() != static_cast<double>(first_number(number) + 2)) {
            throw std::runtime_error("not the sum");
        }
        return;
    }
    auto const content = result.find("content");
    if (!content || content->size() != 1) throw std::runtime_error("not one piece of content");
    auto const text = (*content->elements().begin()).find("text");
    if (!text || !text->equals(work_ == Work::text ? std::string_view(prose_) : some_text)) {
        throw std::runtime_error("not the text");
    }
}

}  // namespace lanyard::bench
