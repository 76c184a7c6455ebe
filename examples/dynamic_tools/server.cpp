// Tools that are defined at run time: their names and schemas are not known to the compiler.
#include <lanyard/server.hpp>

struct Define {
    std::string name;
    std::vector<std::string> numbers;
};
LANYARD_STRUCT(Define, (name, "What the new tool is called"),
               (numbers, "The names of its arguments", min_items{1}))

struct Named {
    std::string name;
};
LANYARD_STRUCT(Named, name)

// Describes a tool that adds up its arguments, whatever their names.
lanyard::Tool adder(Define const& definition) {
    lanyard::JsonObject properties;
    lanyard::JsonArray required;
    for (auto const& number : definition.numbers) {
        properties[number] = lanyard::Json{{"type", "number"}};
        required.emplace_back(number);
    }
    lanyard::Tool tool;
    tool.name = definition.name;
    tool.description = "Adds its arguments";
    tool.input_schema = lanyard::Json{{"type", "object"},
                                      {"properties", std::move(properties)},
                                      {"required", std::move(required)},
                                      {"additionalProperties", false}};
    tool.output_schema = lanyard::Json{
        {"type", "object"},
        {"properties", {{"sum", {{"type", "number"}}}}},
        {"required", lanyard::JsonArray{"sum"}},
    };
    return tool;
}

int main() {
    lanyard::Server server{"workshop", "1.0.0"};

    server.tool("define", "Make a new tool", [&](Define in) {
        // The arguments have already been checked against the schema.
        server.add_tool(adder(in), [](lanyard::JsonObject const& arguments) {
            double sum = 0;
            for (auto const& [name, value] : arguments) sum += value.to_number<double>();
            return lanyard::JsonObject{{"sum", sum}};
        });
        return "\"" + in.name + "\" is ready";
    });
    server.tool("forget", "Remove a tool", [&](Named in) {
        if (!server.remove_tool(in.name)) throw lanyard::ToolError("there is no such tool");
        return "gone";
    });
    return server.run(lanyard::stdio());
}
