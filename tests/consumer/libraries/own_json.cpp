// Boost.JSON, header-only and without Lanyard. The compiled part is in this file.
#include "own_libraries.hpp"

#include <boost/json/src.hpp>

namespace json = boost::json;

namespace own {

bool use_json() {
    json::monotonic_resource memory;
    auto const value = json::parse(R"({"a":[1,2.5,"c"],"b":null})", &memory);
    json::error_code error;
    json::parse("[1,", error);
    return json::serialize(value) == R"({"a":[1,2.5E0,"c"],"b":null})" &&
           error == json::error::incomplete;
}

bool reads(json::value const& value) {
    auto const& items = value.at("a").as_array();
    json::value copy = value;
    copy.as_object()["b"] = nullptr;
    return items.size() == 3 && items[1].as_double() == 2.5 && items[2] == "c" && copy != value;
}

}  // namespace own
