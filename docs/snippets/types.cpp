// Snippets of README.md and docs/types.md.
// [greet]
#include <lanyard/codec.hpp>
#include <lanyard/reflect.hpp>
#include <lanyard/schema_of.hpp>

#include <iostream>
#include <string>

struct Greet {
    std::string name;
    int times = 1;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"), (times, "How often", min{1}, max{5}, defaulted))

int main() {
    // The JSON Schema that a peer or a model reads.
    std::cout << lanyard::to_json_text(lanyard::schema_of<Greet>()) << '\n';

    auto const ada = lanyard::decode_text<Greet>(R"({"name":"Ada"})");
    std::cout << lanyard::to_json_text(*ada) << '\n';  // {"name":"Ada","times":1}

    auto const loud = lanyard::decode_text<Greet>(R"({"name":"Ada","times":9})");
    if (!loud) std::cout << loud.error().to_string() << '\n';  // /times: must be at most 5, got 9

    return ada && !loud ? 0 : 1;
}
// [/greet]
