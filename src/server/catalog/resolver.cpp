#include "server/catalog/resolver.hpp"

#include <algorithm>

#include "server/catalog/mirrored_headers.hpp"
#include "server/catalog/operation.hpp"

namespace lanyard::server {

namespace {

template <class Value>
constexpr FeatureKind kind_of = FeatureKind::tool;
template <>
constexpr FeatureKind kind_of<Resource> = FeatureKind::resource;
template <>
constexpr FeatureKind kind_of<ResourceTemplate> = FeatureKind::resource_template;
template <>
constexpr FeatureKind kind_of<Prompt> = FeatureKind::prompt;

// Returns the list of one provider. If the provider fails, returns an empty list and sets
// `failure`.
template <class Value>
Task<std::vector<Value>> list_of(Provider& provider, Task<std::vector<Value>> task,
                                 Resolver::OnFailure const& on_failure,
                                 std::exception_ptr& failure) {
    try {
        co_return co_await std::move(task);
    } catch (std::exception const&) {
        failure = std::current_exception();
    }
    if (on_failure) on_failure(provider.name(), failure);
    co_return std::vector<Value>();
}

}  // namespace

void check_mirrored(std::vector<wire::ParamHeader> const& wanted, RawJson const& arguments,
                    Context const& context) {
    json::Document document;
    std::optional<json::View> given;
    json::ParseOptions options;
    options.max_bytes = arguments.text().size();
    if (!arguments.empty()) given = document.parse(arguments.text(), options).value();
    auto const mismatch = mirrored_mismatch(wanted, given, context.headers());
    if (mismatch) throw Unserved(wire::Condition::header_mismatch, {}, *mismatch);
}

namespace {

// Throws Unserved if the headers of the request differ from the arguments that the tool's schema
// marks with `x-mcp-header`.
void check_mirrored_in(Tool const& tool, RawJson const& arguments, Context const& context) {
    if (tool.input_schema.text().find("\"x-mcp-header\"") == std::string::npos) return;
    json::Document schema;
    auto const wanted = wire::param_headers(schema.parse(tool.input_schema.text()).value());
    // Clients must ignore a tool whose `x-mcp-header` marks are invalid, so it cannot be called.
    if (!wanted) throw Unserved(wire::Condition::unknown_tool, tool.name, "cannot be called");
    check_mirrored(*wanted, arguments, context);
}

}  // namespace

bool Resolver::allows(FeatureKind kind, std::string_view name) const {
    return std::ranges::all_of(filters_,
                               [&](Filter const& filter) { return filter(kind, name, context_); });
}

ToolEntry const* Resolver::tool(std::string_view name) const {
    auto const* entry = catalog_->find_tool(name);
    return entry != nullptr && allows(FeatureKind::tool, name) ? entry : nullptr;
}

std::optional<Readable> Resolver::resource(std::string_view uri) const {
    auto const readable = [&](auto const& entry, UriVariables variables) {
        return Readable{&entry.function,         &entry.options,       &entry.stats,
                        entry.value().mime_type, std::move(variables), entry.shared_from_this()};
    };
    if (auto const* entry = catalog_->find_resource(uri)) {
        if (!allows(FeatureKind::resource, uri)) return std::nullopt;
        return readable(*entry, {});
    }
    auto match = catalog_->match_template(uri);
    if (!match || !allows(FeatureKind::resource_template, match->item.value->uri_template) ||
        !allows(FeatureKind::resource, uri)) {
        return std::nullopt;
    }
    return readable(*match->item.entry, std::move(match->variables));
}

PromptEntry const* Resolver::prompt(std::string_view name) const {
    auto const* entry = catalog_->find_prompt(name);
    return entry != nullptr && allows(FeatureKind::prompt, name) ? entry : nullptr;
}

Result<std::optional<Completer>, DecodeError> Resolver::completion(
    CompletionReference const& reference, std::string_view argument) const {
    auto const completer = [&](FeatureKind kind, auto const& entry,
                               bool known) -> Result<std::optional<Completer>, DecodeError> {
        if (!known) {
            return Unexpected(DecodeError{
                "/argument/name", "\"" + std::string(argument) + "\" is not an argument of \"" +
                                      std::string(key_of(entry.value())) + "\""});
        }
        Completer found;
        found.owner = catalog_;
        auto const own = catalog_->find_completion(kind, key_of(entry.value()), argument);
        if (own != nullptr) {
            found.function = &own->function;
            found.stats = &own->stats;
        } else if (auto const at = entry.function.choices.find(std::string(argument));
                   at != entry.function.choices.end()) {
            found.choices = &at->second;
        }
        return std::optional(std::move(found));
    };
    if (auto const* named = std::get_if<PromptReference>(&reference)) {
        auto const* entry = prompt(named->name);
        if (entry == nullptr) return std::optional<Completer>();
        auto const& arguments = entry->prompt.arguments;
        bool const known =
            std::ranges::find(arguments, argument, &PromptArgument::name) != arguments.end();
        return completer(FeatureKind::prompt, *entry, known);
    }
    auto const& uri = std::get<ResourceTemplateReference>(reference).uri;
    auto const* entry = catalog_->find_template(uri);
    std::string_view text = uri;
    if (entry == nullptr) {
        auto const match = catalog_->match_template(uri);
        if (!match) return std::optional<Completer>();
        entry = match->item.entry;
        text = match->item.value->uri_template;
    }
    if (!allows(FeatureKind::resource_template, text)) return std::optional<Completer>();
    auto const& variables = entry->uri_template.variables();
    bool const known = std::ranges::find(variables, argument) != variables.end();
    return completer(FeatureKind::resource_template, *entry, known);
}

template <class Value>
std::optional<Value> Resolver::seen(Value value) const {
    auto shown = exposed(catalog_->transforms(), std::move(value));
    if (!shown || !allows(kind_of<Value>, key_of(*shown))) return std::nullopt;
    return shown;
}

Task<std::optional<CallToolResult>> Resolver::call_provided(CallToolParams const& params,
                                                            bool mirrored) const {
    auto inner = params;
    inner.name = original(catalog_->transforms(), &Transform::original_tool, params.name);
    for (auto const& provider : catalog_->providers()) {
        if (!plain() || mirrored) {
            auto tool = co_await provider->find_tool(inner.name, context_);
            if (!tool && !plain()) continue;
            if (tool) {
                auto const shown = seen(*std::move(tool));
                if (!shown || shown->name != params.name) continue;
                if (mirrored) check_mirrored_in(*shown, params.arguments, context_);
            }
        }
        auto result = co_await provider->call_tool(inner, context_);
        if (result) co_return result;
    }
    co_return std::nullopt;
}

Task<std::optional<GetPromptResult>> Resolver::get_provided(GetPromptParams const& params) const {
    auto inner = params;
    inner.name = original(catalog_->transforms(), &Transform::original_prompt, params.name);
    for (auto const& provider : catalog_->providers()) {
        if (!plain()) {
            auto prompt = co_await provider->find_prompt(inner.name, context_);
            if (!prompt) continue;
            auto const shown = seen(*std::move(prompt));
            if (!shown || shown->name != params.name) continue;
        }
        auto result = co_await provider->get_prompt(inner, context_);
        if (result) co_return result;
    }
    co_return std::nullopt;
}

// Whether the request may see a resource of this provider: the provider lists the resource, or a
// template that matches its URI. `uri` is the URI that the peer uses; `inner` is the URI before
// transforms.
Task<bool> Resolver::provides_resource(Provider& provider, std::string const& inner,
                                       std::string const& uri) const {
    auto resources = co_await provider.list_resources(context_);
    auto const listed = std::ranges::find(resources, inner, &Resource::uri);
    if (listed != resources.end()) {
        auto const shown = seen(std::move(*listed));
        co_return shown && shown->uri == uri;
    }
    auto templates = co_await provider.list_resource_templates(context_);
    for (auto& each : templates) {
        auto const parsed = UriTemplate::parse(each.uri_template);
        if (!parsed || !parsed->match(inner)) continue;
        if (seen(std::move(each)) && allows(FeatureKind::resource, uri)) co_return true;
    }
    co_return false;
}

Task<ReadReply> Resolver::read_provided(ReadResourceParams const& params) const {
    auto inner = params;
    inner.uri = original(catalog_->transforms(), &Transform::original_uri, params.uri);
    for (auto const& provider : catalog_->providers()) {
        if (!plain()) {
            bool const provided = co_await provides_resource(*provider, inner.uri, params.uri);
            if (!provided) continue;
        }
        auto result = co_await provider->read_resource(inner, context_);
        if (!result) continue;
        for (auto& contents : result->contents) {
            std::visit(
                [&](auto& held) {
                    if (held.uri == inner.uri) held.uri = params.uri;
                },
                contents);
        }
        co_return result;
    }
    co_return std::nullopt;
}

Task<std::optional<Completion>> Resolver::complete_provided(CompleteParams const& params) const {
    auto inner = params;
    auto const& transforms = catalog_->transforms();
    auto* const named = std::get_if<PromptReference>(&inner.ref);
    std::string const name = named != nullptr ? named->name : std::string();
    if (named != nullptr) {
        named->name = original(transforms, &Transform::original_prompt, name);
    } else {
        auto& uri = std::get<ResourceTemplateReference>(inner.ref).uri;
        if (!allows(FeatureKind::resource_template, uri)) co_return std::nullopt;
        uri = original(transforms, &Transform::original_uri, std::move(uri));
    }
    for (auto const& provider : catalog_->providers()) {
        if (named != nullptr && !plain()) {
            auto prompt = co_await provider->find_prompt(named->name, context_);
            if (!prompt) continue;
            auto const shown = seen(*std::move(prompt));
            if (!shown || shown->name != name) continue;
        }
        auto completion = co_await provider->complete(inner, context_);
        if (completion) co_return lanyard::detail::bounded(*std::move(completion));
    }
    co_return std::nullopt;
}

template <class Value>
Visible<Value> Resolver::visible() const {
    if (filters_.empty()) return {};
    return [this](Value const& value) { return allows(kind_of<Value>, key_of(value)); };
}

ListAnswer Resolver::list(FeatureKind kind, ListRequest const& request) const {
    switch (kind) {
        case FeatureKind::tool:
            return list_tools(*catalog_, request, visible<Tool>());
        case FeatureKind::resource:
            return list_resources(*catalog_, request, visible<Resource>());
        case FeatureKind::resource_template:
            return list_resource_templates(*catalog_, request, visible<ResourceTemplate>());
        default:
            return list_prompts(*catalog_, request, visible<Prompt>());
    }
}

template <class Entry, class Ask>
Task<ListAnswer> Resolver::gather(FeatureIndex<Entry> const& index, Ask ask,
                                  ListRequest const& request) const {
    using Value = typename Entry::Value;
    std::vector<Value> values;
    for (auto const& item : index.items()) {
        if (allows(kind_of<Value>, key_of(*item.value))) values.push_back(*item.value);
    }
    std::exception_ptr failure;
    for (auto const& provider : catalog_->providers()) {
        auto provided = co_await list_of<Value>(*provider, ask(*provider), on_failure_, failure);
        for (auto& value : provided) {
            if (auto shown = seen(std::move(value))) values.push_back(*std::move(shown));
        }
    }
    // An empty list would claim that there are no features.
    if (values.empty() && failure) std::rethrow_exception(failure);
    co_return list_values(std::move(values), request);
}

Task<ListAnswer> Resolver::list_all(FeatureKind kind, ListRequest const& request) const {
    auto& context = context_;
    auto const tools = [&](Provider& provider) { return provider.list_tools(context); };
    auto const resources = [&](Provider& provider) { return provider.list_resources(context); };
    auto const templates = [&](Provider& provider) {
        return provider.list_resource_templates(context);
    };
    auto const prompts = [&](Provider& provider) { return provider.list_prompts(context); };
    switch (kind) {
        case FeatureKind::tool:
            co_return co_await gather(catalog_->tools(), tools, request);
        case FeatureKind::resource:
            co_return co_await gather(catalog_->resources(), resources, request);
        case FeatureKind::resource_template:
            co_return co_await gather(catalog_->templates(), templates, request);
        default:
            co_return co_await gather(catalog_->prompts(), prompts, request);
    }
}

ReadResourceResult completed(ReadResourceResult result, std::string_view uri,
                             std::string_view mime_type, CacheHint cache) {
    for (auto& contents : result.contents) {
        std::visit(
            [&](auto& held) {
                if (held.uri.empty()) held.uri = uri;
                if (held.mime_type.empty()) held.mime_type = mime_type;
            },
            contents);
    }
    if (result.cache == CacheHint{}) result.cache = cache;
    return result;
}

}  // namespace lanyard::server
