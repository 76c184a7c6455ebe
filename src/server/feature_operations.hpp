// Operations of resources, prompts, completion, lists and what providers offer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lanyard/json/writer.hpp"
#include "server/core.hpp"
#include "server/operation.hpp"
#include "server/read_cache.hpp"
#include "server/resolver.hpp"

namespace lanyard::server {

/// An operation that yields a value of the protocol.
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

/// resources/read of what is registered.
class ReadOperation final : public ValueOperation<ReadResourceResult> {
public:
    ReadOperation(Readable readable, std::string uri, ServerCore& core);

    RunOptions run_options() const noexcept override;
    bool is_task() const noexcept override { return static_cast<bool>(readable_.function->start); }
    void call(json::View params, Context& context) override;
    Task<> start(json::View params, Context& context) override;

private:
    Task<> finish(Task<ReadReply> task);
    void take(ReadReply reply);

    Readable readable_;
    std::string uri_;
    ServerCore& core_;
    ReadCache::Mark mark_;
};

/// resources/read of what was read before.
class KeptReadOperation final : public ValueOperation<ReadResourceResult> {
public:
    explicit KeptReadOperation(ReadResourceResult const& kept) { result_ = kept; }

    RunOptions run_options() const noexcept override { return {}; }
    bool is_task() const noexcept override { return false; }
    void call(json::View, Context&) override {}
    Task<> start(json::View, Context&) override { co_return; }
};

/// prompts/get of what is registered.
class PromptOperation final : public ValueOperation<GetPromptResult> {
public:
    PromptOperation(PromptEntry const& entry, PromptArguments arguments)
        : entry_(entry.shared_from_this()), arguments_(std::move(arguments)) {}

    RunOptions run_options() const noexcept override;
    bool is_task() const noexcept override { return static_cast<bool>(entry_->function.start); }
    void call(json::View params, Context& context) override;
    Task<> start(json::View params, Context& context) override;

private:
    Task<> finish(Task<GetPromptResult> task);

    std::shared_ptr<PromptEntry const> entry_;
    PromptArguments arguments_;
};

/// completion/complete of what is registered.
class CompleteOperation final : public ValueOperation<CompleteResult> {
public:
    CompleteOperation(Completer completer, CompleteParams params)
        : completer_(std::move(completer)), params_(std::move(params)) {}

    RunOptions run_options() const noexcept override;
    bool is_task() const noexcept override {
        return completer_.function != nullptr && completer_.function->start;
    }
    void call(json::View params, Context& context) override;
    Task<> start(json::View params, Context& context) override;

private:
    Task<> finish(Task<Completion> task);

    Completer completer_;
    CompleteParams params_;
};

/// A list, with what providers have.
class ListOperation final : public Operation {
public:
    ListOperation(std::shared_ptr<Resolver> resolver, FeatureKind kind, ListRequest request)
        : resolver_(std::move(resolver)), kind_(kind), request_(std::move(request)) {}

    RunOptions run_options() const noexcept override { return {}; }
    bool is_task() const noexcept override { return resolver_->has_providers(); }
    void call(json::View params, Context& context) override;
    Task<> start(json::View params, Context& context) override;
    void prepare(wire::ResultStamp const&) override {}
    void write(std::string& out, wire::ResultStamp const& stamp) const override;

private:
    void take(ListAnswer const& answer);

    std::shared_ptr<Resolver> resolver_;
    FeatureKind kind_;
    ListRequest request_;
    std::shared_ptr<std::string const> body_;
};

// What providers have; each throws Unserved where none has it.

/// Mirrored: the request has headers that repeat arguments.
std::unique_ptr<Operation> provided_tool(std::shared_ptr<Resolver> resolver, CallToolParams params,
                                         bool mirrored);
std::unique_ptr<Operation> provided_resource(std::shared_ptr<Resolver> resolver,
                                             ReadResourceParams params);
std::unique_ptr<Operation> provided_prompt(std::shared_ptr<Resolver> resolver,
                                           GetPromptParams params);
std::unique_ptr<Operation> provided_completion(std::shared_ptr<Resolver> resolver,
                                               CompleteParams params);

}  // namespace lanyard::server
