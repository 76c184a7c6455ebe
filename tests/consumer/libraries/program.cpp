// A program that uses Lanyard, and in other files the libraries that Lanyard uses inside. Prints
// the parts that work, before and after Lanyard has used its own.
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/client.hpp>
#include <lanyard/connect.hpp>
#include <lanyard/json.hpp>
#include <lanyard/schema.hpp>

#include "own_libraries.hpp"

#if defined(SIMDJSON_VERSION) || defined(RE2_RE2_H_) || defined(OPENSSL_VERSION_NUMBER)
#error "a public header of Lanyard includes a private dependency"
#endif

// simdjson reads the text, Boost.JSON holds the value.
bool use_lanyard_json() {
    auto const value = lanyard::json::parse(R"({"a":[1,2.5,"c"]})");
    return value && own::reads(*value) && !lanyard::json::parse("[1,");
}

// RE2 matches the pattern.
bool use_lanyard_schema() {
    auto const schema = lanyard::json::parse(R"({"pattern":"^[a-z]+$"})");
    auto const validator = lanyard::schema::Validator::compile(*schema);
    auto const wrong = lanyard::json::parse(R"({"pattern":"("})");
    return validator && validator->is_valid(lanyard::Json("abc")) &&
           !validator->is_valid(lanyard::Json("ABC")) &&
           !lanyard::schema::Validator::compile(*wrong);
}

// OpenSSL reads a file that is not a certificate, which fails.
bool use_lanyard_tls(std::string const& file) {
    auto const http = lanyard::HttpClientOptions().ca_file(file);
    try {
        lanyard::blocking::connect("https://127.0.0.1:1/mcp", {}, http);
    } catch (lanyard::Error const& error) {
        return error.is(lanyard::Errc::invalid_argument);
    }
    return false;
}

int main(int, char** arguments) {
    std::vector<std::pair<std::string, std::function<bool()>>> const own = {
        {"simdjson", own::use_simdjson},
        {"re2", own::use_re2},
        {"openssl", own::use_openssl},
        {"json", own::use_json}};
    auto parts = own;
    parts.emplace_back("lanyard::json", use_lanyard_json);
    parts.emplace_back("lanyard::schema", use_lanyard_schema);
    parts.emplace_back("lanyard::tls", [&] { return use_lanyard_tls(arguments[0]); });
    parts.insert(parts.end(), own.begin(), own.end());
    bool all = true;
    for (auto const& [name, use] : parts) {
        bool const works = use();
        std::cout << name << (works ? "\n" : " fails\n");
        all = all && works;
    }
    return all ? 0 : 1;
}
