// Values that are expensive to decode.
#include <map>
#include <variant>

#include "growth_cases.hpp"
#include "lanyard/codec.hpp"
#include "lanyard/reflect.hpp"

namespace lanyard::growth {

namespace {

struct Left;
struct Right;
using Tree = std::variant<std::shared_ptr<Left>, std::shared_ptr<Right>>;

struct Left {
    std::optional<Tree> next;
    int left = 0;
};
LANYARD_STRUCT(Left, next, left)

struct Right {
    std::optional<Tree> next;
    int right = 0;
};
LANYARD_STRUCT(Right, next, right)

struct Unique {
    std::vector<Json> items;
};
LANYARD_STRUCT(Unique, (items, unique_items))

struct Open {
    int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
};
LANYARD_STRUCT(Open, a, b, c, d, e, f, g, h)

// Returns open, piece(0),piece(1),... up to the size, and close.
std::string series(std::string_view open, std::size_t size, std::string (*piece)(std::size_t),
                   std::string_view close) {
    std::string out(open);
    for (std::size_t i = 0; out.size() < size; ++i) {
        if (i > 0) out += ',';
        out += piece(i);
    }
    return out.append(close);
}

std::string member(std::size_t i) {
    return "\"k" + std::to_string(i) + "\":0";
}

// At each level both alternatives are possible, and the innermost value fits neither.
std::string tree(std::size_t) {
    std::string text = "{}";
    for (int level = 0; level < 30; ++level) text = R"({"next":)" + text + "}";
    return text;
}

template <class T>
std::function<void()> decoding(std::string text) {
    return [text = std::move(text)] { static_cast<void>(decode_text<T>(text)); };
}

}  // namespace

std::vector<Case> codec_cases() {
    return {
        {"codec unknown members",
         [](std::size_t n) { return decoding<Open>(series("{", n, member, "}")); }},
        {"codec a map",
         [](std::size_t n) {
             return decoding<std::map<std::string, int>>(series("{", n, member, "}"));
         }},
        {"codec unique items",
         [](std::size_t n) {
             return decoding<Unique>(
                 series(R"({"items":[)", n, [](std::size_t i) { return std::to_string(i); }, "]}"));
         }},
        {"codec nested alternatives",
         [](std::size_t n) {
             return decoding<std::map<std::string, std::variant<Tree, Json>>>(series(
                 "{", n, [](std::size_t i) { return "\"" + std::to_string(i) + "\":" + tree(i); },
                 "}"));
         },
         10'000},
        {"codec a deep value among alternatives",
         [](std::size_t n) {
             return decoding<Tree>(R"({"left":1,"x":")" + std::string(n, 'x') + R"(","next":)" +
                                   tree(0) + "}");
         }},
        {"codec an unknown name in a message",
         [](std::size_t n) { return decoding<int>("\"" + std::string(n, 'x') + "\""); }},
    };
}

}  // namespace lanyard::growth
