// The messages that performance figures refer to: the opening of a session, a 228-byte tools/call,
// a 30 KB tools/list, 1 MB of text, 10 MB of base64, the arguments of a tool.
#pragma once

#include <string>
#include <string_view>

namespace lanyard::bench {

constexpr std::string_view initialize_message =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
constexpr std::string_view initialized_message =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

constexpr std::string_view text_arguments =
    R"({"text":"the quick brown fox jumps over the lazy dog"})";
constexpr std::string_view two_numbers = R"({"a":1,"b":2})";

/// A tools/call. `more` follows the arguments and begins with a comma.
inline std::string call_of(std::string_view tool, std::string_view arguments,
                           std::string_view more = {}, int id = 1) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
           R"(","arguments":)" + std::string(arguments) + std::string(more) + "}}";
}

inline std::string call_message() {
    return R"({"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"echo","arguments":)"
           R"({"text":"the quick brown fox jumps over the lazy dog","times":3,"loud":false,)"
           R"("tags":["alpha","beta"]},"_meta":{"progressToken":7}}})";
}

/// A tools/list result; with 80 tools it has 30 KB.
inline std::string list_message(int tools = 60) {
    std::string out = R"({"jsonrpc":"2.0","id":1,"result":{"tools":[)";
    for (int i = 0; i < tools; ++i) {
        if (i > 0) out += ',';
        auto const number = std::to_string(i);
        out +=
            R"({"name":"tool_)" + number + R"(","title":"Tool number )" + number +
            R"(","description":"Does one of the many things that a tool can do, and says so in a )"
            R"(sentence of ordinary length.","inputSchema":{"type":"object","properties":)"
            R"({"path":{"type":"string","description":"Where to look"},"limit":{"type":"integer",)"
            R"("minimum":1,"maximum":100},"recursive":{"type":"boolean","default":false}},)"
            R"("required":["path"]}})";
    }
    return out + "]}}";
}

/// Prose with occasional line breaks and quoted words.
inline std::string prose(std::size_t bytes) {
    std::string out;
    while (out.size() < bytes) {
        out += "The quick brown fox \"jumps\" over the lazy dog, and nobody minds it at all.\n";
    }
    out.resize(bytes);
    return out;
}

inline std::string base64_text(std::size_t bytes) {
    static constexpr char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out(bytes, 'A');
    for (std::size_t i = 0; i < bytes; ++i) out[i] = alphabet[(i * 31 + i / 7) % 64];
    return out;
}

/// Six properties, as in the input schema of a tool, and arguments that match them.
inline constexpr std::string_view tool_schema = R"({
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "maxLength": 4096},
        "mode": {"type": "string", "enum": ["read", "write", "append"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
        "recursive": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 32}, "maxItems": 16},
        "options": {"type": "object", "properties": {"encoding": {"type": "string"},
                    "ratio": {"type": "number", "exclusiveMinimum": 0}}}
    },
    "required": ["path", "mode"],
    "additionalProperties": false
})";
inline constexpr std::string_view tool_arguments =
    R"({"path":"/home/ada/notes/engine.md","mode":"append","limit":250,"recursive":true,)"
    R"("tags":["draft","analysis","engine"],"options":{"encoding":"utf-8","ratio":0.75}})";

}  // namespace lanyard::bench
