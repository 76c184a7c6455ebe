#include "lanyard/json/raw_json.hpp"

#include "lanyard/json/writer.hpp"

namespace lanyard {

RawJson::RawJson(Json const& json) : text_(json::serialize(json)) {}

Result<RawJson, json::ParseError> RawJson::parse(std::string_view text,
                                                 json::ParseOptions const& options) {
    json::Document document;
    return document.parse(text, options).transform([](json::View view) {
        return trusted(std::string(view.raw()));
    });
}

Json RawJson::to_json() const {
    if (empty()) return nullptr;
    // The text is known to be valid JSON, so the parser's limits are not needed.
    json::ParseOptions options;
    options.max_bytes = text_.size();
    options.max_depth = UINT32_MAX;
    options.max_nodes = UINT32_MAX;
    options.unique_keys = false;
    options.big_integers = true;
    auto parsed = json::parse(text_, options);
    return parsed ? *std::move(parsed) : Json();
}

}  // namespace lanyard
