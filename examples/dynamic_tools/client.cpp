// Creates tools on the server, uses them, and gets notified when the list has changed.
#include <future>
#include <iostream>

#include "support/example.hpp"

struct Define {
    std::string name;
    std::vector<std::string> numbers;
};
LANYARD_STRUCT(Define, name, numbers)

struct Named {
    std::string name;
};
LANYARD_STRUCT(Named, name)

bool has(lanyard::blocking::Client const& client, std::string_view name) {
    for (auto const& tool : client.list_tools()) {
        if (tool.name == name) return true;
    }
    return false;
}

void tell(int argc, char** argv) {
    std::promise<void> changed;
    bool told = false;
    auto options = example::options(argc, argv);
    options.on_list_changed([&](lanyard::ListKind kind) {
        if (kind == lanyard::ListKind::tools && !std::exchange(told, true)) changed.set_value();
    });
    auto const client =
        lanyard::blocking::connect(lanyard::child_process(example::server(argc, argv)), options);
    example::expect(!has(client, "add"), "there is no such tool yet");

    std::cout << client.call<std::string>("define", Define{"add", {"x", "y"}}) << '\n';
    auto const notified = changed.get_future().wait_for(std::chrono::seconds(10));
    example::expect(notified == std::future_status::ready, "a notification about the list");
    example::expect(has(client, "add"), "the new tool is listed");

    auto const sum = client.call_tool("add", lanyard::JsonObject{{"x", 1}, {"y", 2.5}});
    std::cout << sum.structured_content.text() << '\n';
    example::expect(sum.structured_content.to_json().at("sum").to_number<double>() == 3.5, "sum");

    auto const refused = client.call_tool("add", lanyard::JsonObject{{"x", "one"}, {"y", 2}});
    example::expect(refused.is_error, "arguments are checked against the schema");

    client.call<std::string>("forget", Named{"add"});
    example::expect(!has(client, "add"), "the tool is gone");
}

int main(int argc, char** argv) {
    return example::run([&] { tell(argc, argv); });
}
