// Resolver: the features that one request may see and use, both registered ones and those of
// providers. All lists and calls use a Resolver, so that a feature that is not listed cannot be
// used.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lanyard/server/middleware.hpp"
#include "server/catalog/catalog.hpp"
#include "server/catalog/lists.hpp"

namespace lanyard::server {

/// A registered resource, or a template that the URI matches, with the data needed to read the
/// resource.
struct Readable {
    ResourceFunction const* function = nullptr;
    ResourceOptions const* options = nullptr;
    DispatchStats* stats = nullptr;
    std::string mime_type{};
    UriVariables variables{};
    std::shared_ptr<void const> owner{};  ///< owns the objects that the pointers refer to
};

/// How an argument is completed: by a handler, or from the choices of an enumeration. Neither is
/// set if there is nothing to suggest.
struct Completer {
    CompletionFunction const* function = nullptr;
    DispatchStats* stats = nullptr;
    std::vector<std::string> const* choices = nullptr;
    std::shared_ptr<void const> owner{};
};

/// Throws Unserved if the headers of the request differ from the arguments that they must repeat
/// (`wanted`).
void check_mirrored(std::vector<wire::ParamHeader> const& wanted, RawJson const& arguments,
                    Context const& context);

/// The context and the filters must outlive the resolver.
class Resolver {
public:
    /// Called if a provider fails, with the provider's name and the exception it threw.
    using OnFailure = std::function<void(std::string const& provider, std::exception_ptr failure)>;

    Resolver(std::shared_ptr<Catalog const> catalog, std::span<Filter const> filters,
             Context& context, OnFailure on_failure = {})
        : catalog_(std::move(catalog)),
          filters_(filters),
          context_(context),
          on_failure_(std::move(on_failure)) {}

    bool has_providers() const noexcept { return !catalog_->providers().empty(); }
    bool allows(FeatureKind kind, std::string_view name) const;

    // These functions find registered features. They return null or nullopt if there is no such
    // feature, or if this request may not use it.

    ToolEntry const* tool(std::string_view name) const;
    std::optional<Readable> resource(std::string_view uri) const;
    PromptEntry const* prompt(std::string_view name) const;
    /// Returns how the argument is completed; nullopt if there is no such prompt or template. Fails
    /// if the prompt or template has no such argument.
    Result<std::optional<Completer>, DecodeError> completion(CompletionReference const& reference,
                                                             std::string_view argument) const;

    // These functions use features of providers. They complete with the answer of the first
    // provider that has the feature; nullopt if no provider has it. They rethrow the exceptions of
    // a provider. The parameters must stay valid until the task has completed.

    /// If `mirrored`, the headers of the request must agree with the arguments that the tool's
    /// schema marks with `x-mcp-header`.
    Task<std::optional<CallToolResult>> call_provided(CallToolParams const& params,
                                                      bool mirrored = false) const;
    Task<ReadReply> read_provided(ReadResourceParams const& params) const;
    Task<std::optional<GetPromptResult>> get_provided(GetPromptParams const& params) const;
    Task<std::optional<Completion>> complete_provided(CompleteParams const& params) const;

    /// Returns the list of the registered features of this kind.
    ListAnswer list(FeatureKind kind, ListRequest const& request) const;
    /// Same as list(), but includes the features of providers. A provider that fails is left out.
    Task<ListAnswer> list_all(FeatureKind kind, ListRequest const& request) const;

private:
    template <class Value>
    Visible<Value> visible() const;
    template <class Value>
    std::optional<Value> seen(Value value) const;
    template <class Entry, class Ask>
    Task<ListAnswer> gather(FeatureIndex<Entry> const& index, Ask ask,
                            ListRequest const& request) const;
    Task<bool> provides_resource(Provider& provider, std::string const& inner,
                                 std::string const& uri) const;
    bool plain() const noexcept { return filters_.empty() && catalog_->transforms().empty(); }

    std::shared_ptr<Catalog const> catalog_;
    std::span<Filter const> filters_;
    Context& context_;
    OnFailure on_failure_;
};

/// Adds the members that the handler left out: the URI and the MIME type of each content, and the
/// cache hint.
ReadResourceResult completed(ReadResourceResult result, std::string_view uri,
                             std::string_view mime_type, CacheHint cache);

}  // namespace lanyard::server
