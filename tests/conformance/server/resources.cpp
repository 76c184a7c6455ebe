// Resources that the suite reads and subscribes to (server/resources).
#include <cstddef>
#include <string>
#include <vector>

#include "lanyard/base64.hpp"
#include "lanyard/reflect.hpp"
#include "server/content.hpp"
#include "server/fixtures.hpp"

namespace lanyard::conformance {

struct Item {
    std::string id;
};
LANYARD_STRUCT(Item, id)

struct ItemData {
    std::string id;
    std::string data;
    bool template_test = true;
};
LANYARD_STRUCT(ItemData, id, data, (template_test, name{"templateTest"}))

namespace {

BlobResourceContents red_dot_resource() {
    BlobResourceContents contents;
    contents.blob = red_dot;
    return contents;
}

ItemData data_of(Item item) {
    ItemData data;
    data.data = "Data for ID: " + item.id;
    data.id = std::move(item.id);
    return data;
}

}  // namespace

void add_resources(Server& server) {
    server.resource("test://static-text", "static-text",
                    "This is the content of the static text resource.",
                    ResourceOptions().mime_type("text/plain").description("A text"));
    server.resource("test://static-binary", "static-binary", red_dot_resource,
                    ResourceOptions().mime_type("image/png").description("An image"));
    server.resource("test://watched-resource", "watched-resource", "Watched resource content",
                    ResourceOptions().mime_type("text/plain").description("To be subscribed to"));
    server.resource_template(
        "test://template/{id}/data", "template", data_of,
        ResourceOptions().mime_type("application/json").description("Data of any id"));
}

}  // namespace lanyard::conformance
