// simdjson, RE2 and OpenSSL, used without Lanyard.
#include "own_libraries.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <re2/re2.h>
#include <simdjson.h>

#include <string>

namespace own {

bool use_simdjson() {
    simdjson::ondemand::parser parser;
    auto const text = R"({"numbers":[1,2,39]})"_padded;
    simdjson::ondemand::document document;
    if (parser.iterate(text).get(document) != simdjson::SUCCESS) return false;
    std::int64_t sum = 0;
    for (auto number : document["numbers"]) sum += std::int64_t(number);
    return sum == 42 && document["other"].error() == simdjson::NO_SUCH_FIELD;
}

bool use_re2() {
    // Options that differ from those of Lanyard.
    RE2::Options options;
    options.set_case_sensitive(false);
    options.set_log_errors(false);
    RE2 const pattern("(\\w+)@example\\.com", options);
    RE2 const wrong("(", options);
    std::string name;
    return RE2::FullMatch("Ada@EXAMPLE.com", pattern, &name) && name == "Ada" &&
           wrong.error_code() == RE2::ErrorMissingParen;
}

bool use_openssl() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    bool const made = EVP_Digest("abc", 3, digest, &size, EVP_sha256(), nullptr) == 1;
    return made && size == 32 && digest[0] == 0xba && digest[31] == 0xad && ERR_peek_error() == 0;
}

}  // namespace own
