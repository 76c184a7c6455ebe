// Snippets of docs/json.md.
#include <lanyard/json.hpp>

#include <iostream>
#include <string>

namespace {

bool reads() {
    // [read]
    std::string const text = R"({"tool":"add","numbers":[1,2,39]})";

    lanyard::json::Document document;  // keeps its memory for the next text
    auto const root = document.parse(text);
    if (!root) {
        std::cerr << root.error().to_string() << '\n';
        return false;
    }
    std::int64_t total = 0;
    if (auto const numbers = root->find("numbers")) {
        for (auto const number : numbers->elements()) total += number.as_int64().value_or(0);
    }
    // [/read]
    return total == 42;
}

bool refuses() {
    // [refuse]
    auto const twice = lanyard::json::parse(R"({"id":1,"id":2})");
    if (!twice) std::cout << twice.error().to_string() << '\n';  // names the key and the byte
    // [/refuse]
    return !twice;
}

bool limits() {
    std::string const text = "[[[[1]]]]";
    // [limits]
    lanyard::json::ParseOptions options;
    options.max_bytes = 64 * 1024;
    options.max_depth = 3;
    auto const tree = lanyard::json::parse(text, options);
    // [/limits]
    return !tree && tree.error().code == lanyard::json::ParseErrc::too_deep;
}

bool writes() {
    // [write]
    std::string out;
    lanyard::json::Writer writer(out);
    writer.begin_object();
    writer.key("sum").integer(42);
    writer.key("words").begin_array().string("a \"quote\"").null().end_array();
    writer.end_object();
    // [/write]
    return out == R"({"sum":42,"words":["a \"quote\"",null]})";
}

}  // namespace

int main() {
    return reads() && refuses() && limits() && writes() ? 0 : 1;
}
