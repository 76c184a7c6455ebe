#include "server/call/feature_operations.hpp"

#include "base/deadline.hpp"
#include "json/empty_object.hpp"
#include "server/call/tool_operation.hpp"

namespace lanyard::server {

namespace {

/// The operation for resources/read of a registered resource.
class ReadOperation final : public ValueOperation<ReadResourceResult> {
public:
    ReadOperation(Readable readable, std::string uri, ServerCore& core);

    RunOptions run_options() const noexcept override;
    bool is_task() const noexcept override { return static_cast<bool>(readable_.function->start); }
    void call(Context& context) override;
    Task<> start(json::View params, Context& context) override;

private:
    Task<> finish(Task<ReadReply> task);
    void take(ReadReply reply);

    Readable readable_;
    std::string uri_;
    ServerCore& core_;
    ReadCache::Mark mark_;
};

/// The operation for resources/read if the result is cached.
class KeptReadOperation final : public ValueOperation<ReadResourceResult> {
public:
    explicit KeptReadOperation(ReadResourceResult const& kept) { result_ = kept; }

    RunOptions run_options() const noexcept override { return {}; }
    bool is_task() const noexcept override { return false; }
    void call(Context&) override {}
    Task<> start(json::View, Context&) override { co_return; }
};

/// The operation for prompts/get of a registered prompt.
class PromptOperation final : public ValueOperation<GetPromptResult> {
public:
    PromptOperation(PromptEntry const& entry, PromptArguments arguments)
        : entry_(entry.shared_from_this()), arguments_(std::move(arguments)) {}

    RunOptions run_options() const noexcept override;
    bool is_task() const noexcept override { return static_cast<bool>(entry_->function.start); }
    void call(Context& context) override;
    Task<> start(json::View params, Context& context) override;

private:
    Task<> finish(Task<GetPromptResult> task);

    std::shared_ptr<PromptEntry const> entry_;
    PromptArguments arguments_;
};

/// The operation for completion/complete of a registered prompt or template.
class CompleteOperation final : public ValueOperation<CompleteResult> {
public:
    CompleteOperation(Completer completer, CompleteParams params)
        : completer_(std::move(completer)), params_(std::move(params)) {}

    RunOptions run_options() const noexcept override;
    bool is_task() const noexcept override {
        return completer_.function != nullptr && completer_.function->start;
    }
    void call(Context& context) override;
    Task<> start(json::View params, Context& context) override;

private:
    Task<> finish(Task<Completion> task);

    Completer completer_;
    CompleteParams params_;
};

template <class Options>
RunOptions options_of(Options const& options, DispatchStats* stats) noexcept {
    return {options.dispatch(), stats, options.timeout(), options.max_concurrent()};
}

Unserved unknown_tool(std::string name) {
    return {wire::Condition::unknown_tool, std::move(name), "there is no such tool"};
}
Unserved unknown_prompt(std::string name) {
    return {wire::Condition::unknown_prompt, std::move(name), "there is no such prompt"};
}
Unserved no_resource(std::string uri) {
    return {wire::Condition::resource_not_found, std::move(uri), "there is no such resource"};
}

}  // namespace

ReadOperation::ReadOperation(Readable readable, std::string uri, ServerCore& core)
    : readable_(std::move(readable)),
      uri_(std::move(uri)),
      core_(core),
      mark_(core.read_cache().mark()) {}

RunOptions ReadOperation::run_options() const noexcept {
    return options_of(*readable_.options, readable_.stats);
}

void ReadOperation::call(Context& context) {
    take(readable_.function->call(readable_.variables, context));
}

Task<> ReadOperation::start(json::View, Context& context) {
    return finish(readable_.function->start(readable_.variables, context));
}

Task<> ReadOperation::finish(Task<ReadReply> task) {
    auto reply = co_await std::move(task);
    take(std::move(reply));
}

void ReadOperation::take(ReadReply reply) {
    if (!reply) throw no_resource(uri_);
    auto const& options = *readable_.options;
    result_ = completed(std::move(*reply), uri_, readable_.mime_type, options.cache());
    if (options.keep_reads() > Duration(0)) {
        core_.read_cache().put(uri_, std::make_shared<ReadResourceResult>(result_),
                               after(core_.time().now(), options.keep_reads()), mark_);
    }
}

RunOptions PromptOperation::run_options() const noexcept {
    return options_of(entry_->options, &entry_->stats);
}

void PromptOperation::call(Context& context) {
    check_arguments(*entry_, arguments_);
    result_ = entry_->function.call(arguments_, context);
}

Task<> PromptOperation::start(json::View, Context& context) {
    check_arguments(*entry_, arguments_);
    return finish(entry_->function.start(arguments_, context));
}

Task<> PromptOperation::finish(Task<GetPromptResult> task) {
    result_ = co_await std::move(task);
}

RunOptions CompleteOperation::run_options() const noexcept {
    RunOptions options;
    if (completer_.function != nullptr) {
        options.dispatch = Dispatch::adaptive;
        options.stats = completer_.stats;
    }
    return options;
}

void CompleteOperation::call(Context& context) {
    if (completer_.function != nullptr) {
        result_.completion = completer_.function->call(
            params_.argument.value, params_.context.value_or(CompletionContext()), context);
    } else if (completer_.choices != nullptr) {
        result_.completion = lanyard::detail::matching(*completer_.choices, params_.argument.value);
    }
}

Task<> CompleteOperation::start(json::View, Context& context) {
    return finish(completer_.function->start(
        params_.argument.value, params_.context.value_or(CompletionContext()), context));
}

Task<> CompleteOperation::finish(Task<Completion> task) {
    result_.completion = co_await std::move(task);
}

void ListOperation::call(Context&) {
    take(resolver_->list(kind_, request_));
}

Task<> ListOperation::start(json::View, Context&) {
    take(co_await resolver_->list_all(kind_, request_));
}

// Reserves room for the list and the rest of the message. Otherwise appending the last bytes could
// double the buffer, which may then be too large to be kept for the next answer.
void ListOperation::write(std::string& out, wire::ResultStamp const& /*stamp*/) const {
    constexpr std::size_t room_for_end = 64;
    out.reserve(out.size() + body_->size() + room_for_end);
    out.append(*body_);
}

void ListOperation::take(ListAnswer const& answer) {
    if (!answer) {
        throw Unserved(wire::Condition::invalid_cursor, {}, answer.error().message);
    }
    body_ = *answer;
}

namespace {

// An operation on a feature of a provider. The derived class calls the provider in start().
template <class Params, class T>
class ProvidedOperation : public ValueOperation<T> {
public:
    ProvidedOperation(std::shared_ptr<Resolver> resolver, Params params)
        : resolver_(std::move(resolver)), params_(std::move(params)) {}

    RunOptions run_options() const noexcept override { return {}; }
    bool is_task() const noexcept override { return true; }
    void call(Context&) override {}

protected:
    std::shared_ptr<Resolver> resolver_;
    Params params_;
};

class ProvidedTool final : public ProvidedOperation<CallToolParams, CallToolResult> {
public:
    ProvidedTool(std::shared_ptr<Resolver> resolver, CallToolParams params, bool mirrored)
        : ProvidedOperation(std::move(resolver), std::move(params)), mirrored_(mirrored) {}
    Task<> start(json::View, Context&) override {
        auto result = co_await resolver_->call_provided(params_, mirrored_);
        if (!result) throw unknown_tool(params_.name);
        result_ = std::move(*result);
    }
    Failure translate(std::exception_ptr const& exception, Version version,
                      Random& random) const override {
        if (auto unserved = translate_unserved(exception, version)) return std::move(*unserved);
        return wire::translate_tool(exception, version, random);
    }

private:
    bool mirrored_;
};

class ProvidedResource final : public ProvidedOperation<ReadResourceParams, ReadResourceResult> {
public:
    using ProvidedOperation::ProvidedOperation;
    Task<> start(json::View, Context&) override {
        auto reply = co_await resolver_->read_provided(params_);
        if (!reply) throw no_resource(params_.uri);
        auto const cache = reply->cache;
        result_ = completed(std::move(*reply), params_.uri, {}, cache);
    }
};

class ProvidedPrompt final : public ProvidedOperation<GetPromptParams, GetPromptResult> {
public:
    using ProvidedOperation::ProvidedOperation;
    Task<> start(json::View, Context&) override {
        auto result = co_await resolver_->get_provided(params_);
        if (!result) throw unknown_prompt(params_.name);
        result_ = std::move(*result);
    }
};

class ProvidedCompletion final : public ProvidedOperation<CompleteParams, CompleteResult> {
public:
    using ProvidedOperation::ProvidedOperation;
    Task<> start(json::View, Context&) override {
        auto completion = co_await resolver_->complete_provided(params_);
        if (completion) {
            result_.completion = lanyard::detail::bounded(std::move(*completion));
            co_return;
        }
        if (auto const* prompt = std::get_if<PromptReference>(&params_.ref)) {
            throw unknown_prompt(prompt->name);
        }
        throw no_resource(std::get<ResourceTemplateReference>(params_.ref).uri);
    }
};

}  // namespace

std::unique_ptr<Operation> tool_operation(ToolEntry const& entry) {
    auto operation = std::make_unique<ToolOperation>();
    operation->set(entry, json::empty_object());
    operation->hold();
    return operation;
}

std::unique_ptr<Operation> tool_of_provider(std::shared_ptr<Resolver> const& resolver,
                                            CallToolParams params, bool mirrored) {
    if (!resolver->has_providers()) throw unknown_tool(std::move(params.name));
    return std::make_unique<ProvidedTool>(resolver, std::move(params), mirrored);
}

std::unique_ptr<Operation> read_operation(std::shared_ptr<Resolver> const& resolver,
                                          ReadResourceParams params, ServerCore& core,
                                          TimePoint received) {
    auto readable = resolver->resource(params.uri);
    if (!readable) {
        if (!resolver->has_providers()) throw no_resource(std::move(params.uri));
        return std::make_unique<ProvidedResource>(resolver, std::move(params));
    }
    bool const keeps = readable->options->keep_reads() > Duration(0);
    auto const kept = keeps ? core.read_cache().find(params.uri, received) : nullptr;
    if (kept) return std::make_unique<KeptReadOperation>(*kept);
    return std::make_unique<ReadOperation>(std::move(*readable), std::move(params.uri), core);
}

std::unique_ptr<Operation> prompt_operation(std::shared_ptr<Resolver> const& resolver,
                                            GetPromptParams params) {
    if (auto const* const entry = resolver->prompt(params.name)) {
        return std::make_unique<PromptOperation>(*entry, std::move(params.arguments));
    }
    if (!resolver->has_providers()) throw unknown_prompt(std::move(params.name));
    return std::make_unique<ProvidedPrompt>(resolver, std::move(params));
}

std::unique_ptr<Operation> complete_operation(std::shared_ptr<Resolver> const& resolver,
                                              CompleteParams params) {
    auto completer = resolver->completion(params.ref, params.argument.name);
    if (!completer) throw Unserved(completer.error());
    if (*completer) {
        return std::make_unique<CompleteOperation>(std::move(**completer), std::move(params));
    }
    if (resolver->has_providers()) {
        return std::make_unique<ProvidedCompletion>(resolver, std::move(params));
    }
    if (std::holds_alternative<PromptReference>(params.ref)) {
        throw Unserved(DecodeError{"/ref/name", "there is no such prompt"});
    }
    throw Unserved(DecodeError{"/ref/uri", "there is no such resource template"});
}

}  // namespace lanyard::server
