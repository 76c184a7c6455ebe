#include "lanyard/server/provider.hpp"

#include <algorithm>

namespace lanyard {

namespace {

template <class Value>
std::optional<Value> find(std::vector<Value> list, std::string const& name) {
    auto const found = std::ranges::find(list, name, &Value::name);
    if (found == list.end()) return std::nullopt;
    return std::move(*found);
}

}  // namespace

Task<std::vector<Tool>> Provider::list_tools(Context&) {
    co_return std::vector<Tool>();
}

Task<std::vector<Resource>> Provider::list_resources(Context&) {
    co_return std::vector<Resource>();
}

Task<std::vector<ResourceTemplate>> Provider::list_resource_templates(Context&) {
    co_return std::vector<ResourceTemplate>();
}

Task<std::vector<Prompt>> Provider::list_prompts(Context&) {
    co_return std::vector<Prompt>();
}

Task<std::optional<CallToolResult>> Provider::call_tool(CallToolParams const&, Context&) {
    co_return std::nullopt;
}

Task<std::optional<ReadResourceResult>> Provider::read_resource(ReadResourceParams const&,
                                                                Context&) {
    co_return std::nullopt;
}

Task<std::optional<GetPromptResult>> Provider::get_prompt(GetPromptParams const&, Context&) {
    co_return std::nullopt;
}

Task<std::optional<Completion>> Provider::complete(CompleteParams const&, Context&) {
    co_return std::nullopt;
}

Task<std::optional<Tool>> Provider::find_tool(std::string const& name, Context& context) {
    auto tools = co_await list_tools(context);
    co_return find(std::move(tools), name);
}

Task<std::optional<Prompt>> Provider::find_prompt(std::string const& name, Context& context) {
    auto prompts = co_await list_prompts(context);
    co_return find(std::move(prompts), name);
}

void Provider::on_change(Observer observer) {
    std::lock_guard const lock(mutex_);
    observers_.push_back(std::move(observer));
}

void Provider::on_update(UpdateObserver observer) {
    std::lock_guard const lock(mutex_);
    update_observers_.push_back(std::move(observer));
}

void Provider::updated(std::string_view uri) const {
    std::vector<UpdateObserver> observers;
    {
        std::lock_guard const lock(mutex_);
        observers = update_observers_;
    }
    for (auto const& observer : observers) observer(uri);
}

void Provider::changed(FeatureKind kind) const {
    std::vector<Observer> observers;
    {
        std::lock_guard const lock(mutex_);
        observers = observers_;
    }
    for (auto const& observer : observers) observer(kind);
}

}  // namespace lanyard
