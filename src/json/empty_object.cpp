#include "json/empty_object.hpp"

namespace lanyard::json {

View empty_object() {
    struct Empty {
        Document document;
        View view = *document.parse("{}");
    };
    static Empty const empty;
    return empty.view;
}

}  // namespace lanyard::json
