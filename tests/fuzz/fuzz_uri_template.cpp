// URI templates from arbitrary text: a line with a template, then a URI to match. An expansion must
// match, a match must expand to the same URI again, and the cost is bounded by the size.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "uri_template/characters.hpp"
#include "uri_template/expand.hpp"
#include "uri_template/matcher.hpp"
#include "uri_template/program.hpp"
#include "uri_template/syntax.hpp"

namespace {

using namespace lanyard;
using namespace lanyard::uri_template;

void require(bool condition) {
    if (!condition) std::abort();
}

// A different value for every variable, of all kinds.
UriVariables variables_for(Syntax const& syntax) {
    std::array<UriValue, 9> const values{
        UriValue("value"),
        UriValue(""),
        UriValue("a.b,c/d%20%e\xc3\xa9"),
        UriValue(UriList{"red", "", "blue,green"}),
        UriValue(UriPairs{{"semi", ";"}, {"dot", ""}}),
        UriValue(UriList{}),
        UriValue("\xff%25"),
        UriValue(UriList{"="}),
        UriValue("x"),
    };
    UriVariables variables;
    for (std::size_t i = 0; i < syntax.names.size(); ++i) {
        variables.set(syntax.names[i], values[(i + syntax.names[i].size()) % values.size()]);
    }
    return variables;
}

struct Attempt {
    std::optional<UriVariables> variables;
    bool exhausted;
};

Attempt try_match(Syntax const& syntax, TemplateProgram const& program, std::string_view uri) {
    std::size_t steps = 0;
    auto variables = match(syntax, program, uri, steps);
    auto const budget = 8 * program.nodes.size() * (uri.size() + 1);
    require(steps <= budget + 2 * uri.size() + program.nodes.size());
    if (variables) require(equivalent(expand(syntax, *variables).value(), uri));
    return {std::move(variables), steps >= budget};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const input(reinterpret_cast<char const*>(data), size);
    auto const line_end = input.find('\n');
    auto const syntax = parse(input.substr(0, line_end));
    if (!syntax) {
        require(!syntax.error().message.empty());
        return 0;
    }
    auto const program = compile(*syntax);
    if (line_end != std::string_view::npos) {
        (void)try_match(*syntax, program, input.substr(line_end + 1));
    }
    if (auto const uri = expand(*syntax, variables_for(*syntax))) {
        auto const attempt = try_match(*syntax, program, *uri);
        require(attempt.variables || attempt.exhausted || syntax->repeats);
    }
    return 0;
}
