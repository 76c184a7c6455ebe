// Any JSON value as a schema: it compiles or is refused, and a compiled schema can be run.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lanyard/json.hpp"
#include "lanyard/schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace lanyard;
    auto const schema = json::parse({reinterpret_cast<char const*>(data), size});
    if (!schema) return 0;
    auto options = schema::Options().max_steps(20'000).assert_formats();
    // The schema may also refer to itself from outside, and be its own meta-schema.
    options.document("http://x/self", *schema);
    for (auto const draft : {schema::Draft::draft_2020_12, schema::Draft::draft_07}) {
        auto const validator = schema::Validator::compile(*schema, options.default_draft(draft));
        if (validator) {
            static_cast<void>(validator->validate(*schema));
        } else if (validator.error().message.empty()) {
            __builtin_trap();
        }
    }
    return 0;
}
