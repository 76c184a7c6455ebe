// A schema and an instance on the first two lines: a tree and a view of the instance give the same
// result, and every invalid instance comes with a reason.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lanyard/json.hpp"
#include "lanyard/schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace lanyard;
    std::string_view const input(reinterpret_cast<char const*>(data), size);
    auto const line = input.find('\n');
    if (line == input.npos) return 0;
    json::ParseOptions parse;
    parse.big_integers = true;
    auto const schema = json::parse(input.substr(0, line), parse);
    auto const text = input.substr(line + 1);
    json::Document document;
    auto const view = document.parse(text, parse);
    if (!schema || !view) return 0;
    auto const options = schema::Options().max_steps(20'000).assert_formats();
    auto const validator = schema::Validator::compile(*schema, options);
    if (!validator) return 0;
    auto const tree = view->to_json();
    auto const by_view = validator->validate(*view);
    auto const by_tree = validator->validate(tree);
    if (by_view.has_value() != by_tree.has_value()) __builtin_trap();
    if (by_view.has_value() != validator->is_valid(*view)) __builtin_trap();
    if (by_view) return 0;
    if (by_view.error().reason() != by_tree.error().reason()) __builtin_trap();
    if (by_view.error().errors().empty() || by_view.error().to_string().empty()) __builtin_trap();
    return 0;
}
