#include "server/feature_operations.hpp"

#include "rpc/deadline.hpp"

namespace lanyard::server {

namespace {

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

void ReadOperation::call(json::View, Context& context) {
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
                               rpc::after(core_.time().now(), options.keep_reads()), mark_);
    }
}

RunOptions PromptOperation::run_options() const noexcept {
    return options_of(entry_->options, &entry_->stats);
}

void PromptOperation::call(json::View, Context& context) {
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

void CompleteOperation::call(json::View, Context& context) {
    if (completer_.function != nullptr) {
        result_.completion = completer_.function->call(
            params_.argument.value, params_.context.value_or(CompletionContext()), context);
    } else if (completer_.choices != nullptr) {
        result_.completion = matching(*completer_.choices, params_.argument.value);
    }
}

Task<> CompleteOperation::start(json::View, Context& context) {
    return finish(completer_.function->start(
        params_.argument.value, params_.context.value_or(CompletionContext()), context));
}

Task<> CompleteOperation::finish(Task<Completion> task) {
    result_.completion = co_await std::move(task);
}

void ListOperation::call(json::View, Context&) {
    take(resolver_->list(kind_, request_));
}

Task<> ListOperation::start(json::View, Context&) {
    take(co_await resolver_->list_all(kind_, request_));
}

// A list may be long. If the end of the message did not fit behind it, the text would be copied to
// a buffer of twice the size, which may be too large to be kept for the next answer.
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

// What a provider has; Derived says how it is asked.
template <class Params, class T>
class ProvidedOperation : public ValueOperation<T> {
public:
    ProvidedOperation(std::shared_ptr<Resolver> resolver, Params params)
        : resolver_(std::move(resolver)), params_(std::move(params)) {}

    RunOptions run_options() const noexcept override { return {}; }
    bool is_task() const noexcept override { return true; }
    void call(json::View, Context&) override {}

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
            result_.completion = bounded(std::move(*completion));
            co_return;
        }
        if (auto const* prompt = std::get_if<PromptReference>(&params_.ref)) {
            throw unknown_prompt(prompt->name);
        }
        throw no_resource(std::get<ResourceTemplateReference>(params_.ref).uri);
    }
};

}  // namespace

std::unique_ptr<Operation> provided_tool(std::shared_ptr<Resolver> resolver, CallToolParams params,
                                         bool mirrored) {
    return std::make_unique<ProvidedTool>(std::move(resolver), std::move(params), mirrored);
}
std::unique_ptr<Operation> provided_resource(std::shared_ptr<Resolver> resolver,
                                             ReadResourceParams params) {
    return std::make_unique<ProvidedResource>(std::move(resolver), std::move(params));
}
std::unique_ptr<Operation> provided_prompt(std::shared_ptr<Resolver> resolver,
                                           GetPromptParams params) {
    return std::make_unique<ProvidedPrompt>(std::move(resolver), std::move(params));
}
std::unique_ptr<Operation> provided_completion(std::shared_ptr<Resolver> resolver,
                                               CompleteParams params) {
    return std::make_unique<ProvidedCompletion>(std::move(resolver), std::move(params));
}

}  // namespace lanyard::server
