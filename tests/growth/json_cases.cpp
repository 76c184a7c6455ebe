// JSON texts that are expensive to parse: much repetition, or an error at the very end.
#include "growth_cases.hpp"
#include "lanyard/json.hpp"

namespace lanyard::growth {

namespace {

std::string repeat(std::string_view piece, std::size_t size) {
    std::string out;
    out.reserve(size + piece.size());
    while (out.size() < size) out += piece;
    return out;
}

// Returns object members "prefix0":0,"prefix1":0,... up to the size; ends with a comma.
std::string members(std::string_view prefix, std::size_t size) {
    std::string out;
    for (std::size_t i = 0; out.size() < size; ++i) {
        out.append("\"").append(prefix).append(std::to_string(i)).append("\":0,");
    }
    return out;
}

Case reading(std::string name, std::function<std::string(std::size_t)> make) {
    return {"json " + std::move(name), [make](std::size_t size) {
                return [text = make(size)] {
                    json::ParseOptions options;
                    options.max_nodes = 1U << 27;
                    json::Document document;
                    static_cast<void>(document.parse(text, options));
                };
            }};
}

}  // namespace

std::vector<Case> json_cases() {
    return {
        reading("numbers", [](std::size_t n) { return "[" + repeat("1,", n) + "1]"; }),
        reading("white space", [](std::size_t n) { return "[" + std::string(n, ' ') + "]"; }),
        reading("small objects",
                [](std::size_t n) { return "[" + repeat(R"({"a":1,"b":2,"c":3},)", n) + "1]"; }),
        reading("one long string", [](std::size_t n) { return "\"" + std::string(n, 'x') + "\""; }),
        reading("escapes", [](std::size_t n) { return "\"" + repeat("\\ud83d\\ude00", n) + "\""; }),
        reading("one long number", [](std::size_t n) { return "0." + std::string(n, '1'); }),
        reading("many keys", [](std::size_t n) { return "{" + members("k", n) + "\"z\":0}"; }),
        reading("many keys with a common beginning",
                [](std::size_t n) { return "{" + members(std::string(200, 'k'), n) + "\"z\":0}"; }),
        reading("many escaped keys",
                [](std::size_t n) { return "{" + members("\\u006b", n) + "\"z\":0}"; }),
        reading("a duplicate key at the end",
                [](std::size_t n) { return "{" + members("k", n) + "\"k0\":0}"; }),
        reading("bad UTF-8 at the end",
                [](std::size_t n) { return "\"" + std::string(n, 'x') + "\xFF\""; }),
        reading("a string that is not closed",
                [](std::size_t n) { return "[" + repeat("\"a\\\"b\",", n) + "\""; }),
        reading("deep nesting", [](std::size_t n) { return std::string(n, '['); }),
        {"json writing escapes",
         [](std::size_t n) {
             return [text = repeat("\"\n", n)] {
                 std::string out;
                 json::Writer(out).string(text);
             };
         }},
        {"json repairing UTF-8",
         [](std::size_t n) {
             return [text = repeat("a\xFF", n)] {
                 std::string out;
                 json::Writer(out).string(text);
             };
         }},
        {"json to a tree",
         [](std::size_t n) {
             return [text = "{" + members("k", n) + "\"z\":0}"] {
                 static_cast<void>(json::parse(text));
             };
         }},
    };
}

}  // namespace lanyard::growth
