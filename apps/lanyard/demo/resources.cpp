// Resources: static, generated on read, binary, and templates with completion.
#include "lanyard/reflect.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "demo/demo.hpp"
#include "demo/picture.hpp"

namespace lanyard::app::demo {

struct Greeting {
    std::string name;
};
LANYARD_STRUCT(Greeting, name)

enum class TableName { orders, offers, customers };
LANYARD_ENUM(TableName, orders, offers, customers)

struct RowKey {
    TableName table = TableName::orders;
    int row = 1;
};
LANYARD_STRUCT(RowKey, table, row)

struct Row {
    TableName table = TableName::orders;
    int row = 0;
    std::string text;
};
LANYARD_STRUCT(Row, table, row, text)

namespace {

constexpr std::string_view readme =
    "# Lanyard's demonstration server\n\nEach tool, resource and prompt shows one feature of the "
    "Model Context Protocol.\n";
constexpr int rows = 100;

std::vector<std::byte> bytes_of(std::string const& text) {
    std::vector<std::byte> bytes;
    bytes.reserve(text.size());
    for (char const byte : text) bytes.push_back(static_cast<std::byte>(byte));
    return bytes;
}

std::string seconds_now() {
    auto const now = std::chrono::system_clock::now().time_since_epoch();
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now).count()) +
           " seconds since 1970\n";
}

std::optional<Row> find_row(RowKey const& key) {
    if (key.row < 1 || key.row > rows) return std::nullopt;
    Row row;
    row.table = key.table;
    row.row = key.row;
    row.text = "this is row " + std::to_string(key.row);
    return row;
}

/// Returns the row numbers that start with these digits.
std::vector<std::string> complete_row(std::string_view typed) {
    std::vector<std::string> matching;
    for (int row = 1; row <= rows; ++row) {
        auto number = std::to_string(row);
        if (number.starts_with(typed)) matching.push_back(std::move(number));
    }
    return matching;
}

}  // namespace

void add_resources(Server& server) {
    server.resource("demo://readme", "readme",
                    ResourceOptions().mime_type("text/markdown").description("What this is"),
                    std::string(readme));
    server.resource("demo://picture", "picture",
                    ResourceOptions().mime_type("image/png").description("A small square"),
                    [] { return bytes_of(picture_png()); });
    server.resource("demo://time", "time",
                    ResourceOptions().mime_type("text/plain").description("Different every time"),
                    [] { return seconds_now(); });
    server.resource_template(
        "demo://greeting/{name}", "greeting",
        ResourceOptions().mime_type("text/plain").description("A greeting for everyone"),
        [](Greeting in) { return "Hello, " + in.name + "!"; });
    server.resource_template("demo://table/{table}/{row}", "table row",
                             ResourceOptions().description("A row of a table"), find_row);
    server.complete_template("demo://table/{table}/{row}", "row", complete_row);
}

}  // namespace lanyard::app::demo
