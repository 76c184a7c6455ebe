// Snippets of docs/uri_templates.md.
#include <lanyard/uri_template.hpp>

#include <iostream>

namespace {

bool expands() {
    // [expand]
    auto const rows = lanyard::UriTemplate::parse("db://{table}/{id}{?columns*}");
    if (!rows) {
        std::cerr << rows.error().to_string() << '\n';  // what is wrong, and at which byte
        return false;
    }
    lanyard::UriVariables variables;
    variables.set("table", "users").set("id", "7");
    variables.set("columns", lanyard::UriList{"name", "mail"});
    auto const uri = rows->expand(variables);  // db://users/7?columns=name&columns=mail
    // [/expand]
    return uri && *uri == "db://users/7?columns=name&columns=mail";
}

bool matches() {
    auto const rows = lanyard::UriTemplate::parse("db://{table}/{id}");
    // [match]
    if (auto const found = rows->match("db://users/7")) {
        std::cout << *found->string("table") << ' ' << *found->string("id") << '\n';
    }
    // [/match]
    return rows->match("db://users/7") && !rows->match("db://users/7/8");
}

}  // namespace

int main() {
    return expands() && matches() ? 0 : 1;
}
