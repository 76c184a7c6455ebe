// Operations of resources, prompts, completion, lists and providers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lanyard/json/writer.hpp"
#include "server/catalog/operation.hpp"
#include "server/catalog/read_cache.hpp"
#include "server/catalog/resolver.hpp"
#include "server/core/server_core.hpp"

namespace lanyard::server {

/// An operation whose result is a value of the protocol type T.
template <class T>
class ValueOperation : public Operation {
public:
    void prepare(wire::ResultStamp const& stamp) override {
        json::Writer writer(encoded_);
        wire::encode_result(writer, result_, stamp).value();
    }
    void write(std::string& out, wire::ResultStamp const&) const override { out.append(encoded_); }

protected:
    T result_;

private:
    std::string encoded_;
};

/// An operation that lists features of one kind, both registered ones and those of providers.
class ListOperation final : public Operation {
public:
    /// `filtered`: whether user filters decide which features are on the list.
    ListOperation(std::shared_ptr<Resolver> resolver, FeatureKind kind, ListRequest request,
                  bool filtered)
        : resolver_(std::move(resolver)),
          kind_(kind),
          request_(std::move(request)),
          filtered_(filtered) {}

    RunOptions run_options() const noexcept override { return {}; }
    bool is_task() const noexcept override { return filtered_ || resolver_->has_providers(); }
    void call(Context& context) override;
    Task<> start(json::View params, Context& context) override;
    void prepare(wire::ResultStamp const&) override {}
    void write(std::string& out, wire::ResultStamp const& stamp) const override;

private:
    void take(ListAnswer const& answer);

    std::shared_ptr<Resolver> resolver_;
    FeatureKind kind_;
    ListRequest request_;
    bool filtered_;
    std::shared_ptr<std::string const> body_;
};

// These functions return operations on registered features or on features of providers. They throw
// Unserved if the feature does not exist.

std::unique_ptr<Operation> tool_operation(ToolEntry const& entry);
/// `mirrored`: whether the request has HTTP headers that repeat arguments.
std::unique_ptr<Operation> tool_of_provider(std::shared_ptr<Resolver> const& resolver,
                                            CallToolParams params, bool mirrored);
std::unique_ptr<Operation> read_operation(std::shared_ptr<Resolver> const& resolver,
                                          ReadResourceParams params, ServerCore& core,
                                          TimePoint received);
std::unique_ptr<Operation> prompt_operation(std::shared_ptr<Resolver> const& resolver,
                                            GetPromptParams params);
std::unique_ptr<Operation> complete_operation(std::shared_ptr<Resolver> const& resolver,
                                              CompleteParams params);

}  // namespace lanyard::server
