#include "server/feature_operation.hpp"

#include <utility>

#include "lanyard/protocol/methods.hpp"
#include "protocol/validation.hpp"

namespace lanyard::server {

namespace {

using Made = Result<std::unique_ptr<Operation>, wire::WireError>;

// Thrown inside an operation to answer with exactly this.
struct Told {
    wire::WireError error;
};

wire::WireError unknown_tool(std::string_view name, Version version) {
    wire::Details details;
    details.tool = name;
    return wire::translate(wire::Condition::unknown_tool, version, details);
}

wire::WireError unknown_prompt(std::string_view name, Version version) {
    wire::Details details;
    details.prompt = name;
    return wire::translate(wire::Condition::unknown_prompt, version, details);
}

wire::WireError unknown_resource(std::string_view uri, Version version) {
    wire::Details details;
    details.uri = uri;
    return wire::translate(wire::Condition::resource_not_found, version, details);
}

wire::WireError bad_cursor(DecodeError const& error, Version version) {
    wire::Details details;
    details.message = error.message;
    details.pointer = error.pointer;
    return wire::translate(wire::Condition::invalid_cursor, version, details);
}

wire::WireError unknown_reference(CompletionReference const& reference, Version version) {
    if (auto const* prompt = std::get_if<PromptReference>(&reference)) {
        return unknown_prompt(prompt->name, version);
    }
    return wire::translate(DecodeError{"/ref/uri", "is not a resource template of this server"},
                           version);
}

class FeatureOperation : public Operation {
public:
    RunOptions run_options() const noexcept override { return {}; }
    bool is_task() const noexcept override { return false; }
    void call(json::View, Context&) override {}
    Task<> start(json::View, Context&) override { co_return; }

    Failure translate(std::exception_ptr const& exception, Version version,
                      Random& random) const override {
        try {
            std::rethrow_exception(exception);
        } catch (Told const& told) {
            return wire::Answer{told.error};
        } catch (...) {
            return translate_other(exception, version, random);
        }
    }

protected:
    virtual Failure translate_other(std::exception_ptr const& exception, Version version,
                                    Random& random) const {
        return wire::translate(exception, version, random);
    }
};

// A list that is encoded already.
class ListOperation final : public FeatureOperation {
public:
    explicit ListOperation(std::shared_ptr<std::string const> body) : body_(std::move(body)) {}

    void prepare(wire::ResultStamp const&) override {}
    void write(std::string& out, wire::ResultStamp const&) const override { out.append(*body_); }

private:
    std::shared_ptr<std::string const> body_;
};

// A list that providers take part in.
class ListAllOperation final : public FeatureOperation {
public:
    ListAllOperation(FeatureKind kind, ListRequest request, FeatureScope scope)
        : kind_(kind), request_(std::move(request)), scope_(std::move(scope)) {}

    bool is_task() const noexcept override { return true; }
    Task<> start(json::View, Context& context) override {
        auto const resolver = scope_.resolver(context);
        auto answer = co_await resolver.list_all(kind_, request_);
        if (!answer) throw Told(bad_cursor(answer.error(), request_.version));
        body_ = *std::move(answer);
    }
    void prepare(wire::ResultStamp const&) override {}
    void write(std::string& out, wire::ResultStamp const&) const override { out.append(*body_); }

private:
    FeatureKind kind_;
    ListRequest request_;
    FeatureScope scope_;
    std::shared_ptr<std::string const> body_;
};

// An operation whose result is encoded before it is written, so that what the revision cannot
// express is found while the request can still fail.
template <class Value>
class ResultOperation : public FeatureOperation {
public:
    void prepare(wire::ResultStamp const& stamp) override {
        encoded_.clear();
        json::Writer writer(encoded_);
        wire::encode_result(writer, result_, stamp).value();
    }
    void write(std::string& out, wire::ResultStamp const&) const override { out.append(encoded_); }

protected:
    Value result_;

private:
    std::string encoded_;
};

template <class Options>
RunOptions run_options_of(Options const& options, DispatchStats* stats) noexcept {
    return {options.dispatch(), stats, options.timeout(), options.max_concurrent()};
}

class ReadOperation final : public ResultOperation<ReadResourceResult> {
public:
    ReadOperation(Readable readable, std::string uri, ReadCache* reads, Version version)
        : readable_(std::move(readable)), uri_(std::move(uri)), reads_(reads), version_(version) {}

    RunOptions run_options() const noexcept override {
        return run_options_of(*readable_.options, readable_.stats);
    }
    bool is_task() const noexcept override { return static_cast<bool>(readable_.function->start); }
    void call(json::View, Context& context) override {
        mark();
        take(readable_.function->call(readable_.variables, context), context);
    }
    Task<> start(json::View, Context& context) override {
        mark();
        return finish(readable_.function->start(readable_.variables, context), context);
    }

private:
    Task<> finish(Task<ReadReply> reading, Context& context) {
        auto reply = co_await std::move(reading);
        take(std::move(reply), context);
    }
    void mark() {
        if (reads_ != nullptr) mark_ = reads_->mark();
    }
    void take(ReadReply reply, Context& context) {
        if (!reply) throw Told(unknown_resource(uri_, version_));
        auto const& options = *readable_.options;
        result_ = completed(*std::move(reply), uri_, readable_.mime_type, options.cache());
        if (reads_ == nullptr) return;
        reads_->put(uri_, std::make_shared<ReadResourceResult const>(result_),
                    context.received_at() + options.keep_reads(), mark_);
    }

    Readable readable_;
    std::string uri_;
    ReadCache* reads_;  // null where this resource's reads are not kept
    ReadCache::Mark mark_ = 0;
    Version version_;
};

// What was read before.
class KeptReadOperation final : public ResultOperation<ReadResourceResult> {
public:
    explicit KeptReadOperation(ReadResourceResult const& kept) { result_ = kept; }
};

class PromptOperation final : public ResultOperation<GetPromptResult> {
public:
    PromptOperation(std::shared_ptr<PromptEntry const> entry, PromptArguments arguments)
        : entry_(std::move(entry)), arguments_(std::move(arguments)) {}

    RunOptions run_options() const noexcept override {
        return run_options_of(entry_->options, &entry_->stats);
    }
    bool is_task() const noexcept override { return static_cast<bool>(entry_->function.start); }
    void call(json::View, Context& context) override {
        check_arguments(*entry_, arguments_);
        take(entry_->function.call(arguments_, context));
    }
    Task<> start(json::View, Context& context) override {
        check_arguments(*entry_, arguments_);
        return finish(entry_->function.start(arguments_, context));
    }

private:
    Task<> finish(Task<GetPromptResult> getting) {
        auto result = co_await std::move(getting);
        take(std::move(result));
    }
    void take(GetPromptResult result) {
        result_ = std::move(result);
        if (result_.description.empty()) result_.description = entry_->prompt.description;
    }

    std::shared_ptr<PromptEntry const> entry_;
    PromptArguments arguments_;
};

class CompletionOperation final : public ResultOperation<CompleteResult> {
public:
    CompletionOperation(Completer completer, CompleteParams params)
        : completer_(std::move(completer)), params_(std::move(params)) {}

    RunOptions run_options() const noexcept override {
        if (completer_.function == nullptr) return {};
        return {Dispatch::adaptive, completer_.stats, Duration{0}, 0};
    }
    bool is_task() const noexcept override {
        return completer_.function != nullptr && completer_.function->start;
    }
    void call(json::View, Context& context) override {
        if (completer_.function != nullptr) {
            result_.completion = completer_.function->call(typed(), decided(), context);
        } else if (completer_.choices != nullptr) {
            result_.completion = matching(*completer_.choices, typed());
        }
    }
    Task<> start(json::View, Context& context) override {
        return finish(completer_.function->start(typed(), decided(), context));
    }

private:
    Task<> finish(Task<Completion> completing) {
        result_.completion = co_await std::move(completing);
    }
    std::string const& typed() const noexcept { return params_.argument.value; }
    CompletionContext const& decided() {
        if (!params_.context) params_.context.emplace();
        return *params_.context;
    }

    Completer completer_;
    CompleteParams params_;
};

// Operations on what providers have.

template <class Params, class Value>
class ProvidedOperation : public ResultOperation<Value> {
public:
    ProvidedOperation(Params params, FeatureScope scope, Version version)
        : params_(std::move(params)), scope_(std::move(scope)), version_(version) {}

    bool is_task() const noexcept override { return true; }

protected:
    Params params_;
    FeatureScope scope_;
    Version version_;
};

class ProvidedToolOperation final : public ProvidedOperation<CallToolParams, CallToolResult> {
public:
    using ProvidedOperation::ProvidedOperation;

    Task<> start(json::View, Context& context) override {
        auto const resolver = scope_.resolver(context);
        auto result = co_await resolver.call_provided(params_);
        if (!result) throw Told(unknown_tool(params_.name, version_));
        result_ = *std::move(result);
    }

protected:
    Failure translate_other(std::exception_ptr const& exception, Version version,
                            Random& random) const override {
        return wire::translate_tool(exception, version, random);
    }
};

class ProvidedReadOperation final
    : public ProvidedOperation<ReadResourceParams, ReadResourceResult> {
public:
    using ProvidedOperation::ProvidedOperation;

    Task<> start(json::View, Context& context) override {
        auto const resolver = scope_.resolver(context);
        auto result = co_await resolver.read_provided(params_);
        if (!result) throw Told(unknown_resource(params_.uri, version_));
        result_ = *std::move(result);
    }
};

class ProvidedPromptOperation final : public ProvidedOperation<GetPromptParams, GetPromptResult> {
public:
    using ProvidedOperation::ProvidedOperation;

    Task<> start(json::View, Context& context) override {
        auto const resolver = scope_.resolver(context);
        auto result = co_await resolver.get_provided(params_);
        if (!result) throw Told(unknown_prompt(params_.name, version_));
        result_ = *std::move(result);
    }
};

class ProvidedCompletionOperation final : public ProvidedOperation<CompleteParams, CompleteResult> {
public:
    using ProvidedOperation::ProvidedOperation;

    Task<> start(json::View, Context& context) override {
        auto const resolver = scope_.resolver(context);
        auto completion = co_await resolver.complete_provided(params_);
        if (!completion) throw Told(unknown_reference(params_.ref, version_));
        result_.completion = *std::move(completion);
    }
};

template <class Params>
Params decoded(json::View params, Version version) {
    auto value = wire::decode_params<Params>(params, version);
    if (!value) throw Told(wire::translate(value.error(), version));
    return *std::move(value);
}

// Makes one operation; throws Told.
class Factory {
public:
    Factory(json::View params, wire::ResultStamp const& stamp, FeatureScope scope, Context& context)
        : params_(params),
          stamp_(stamp),
          scope_(std::move(scope)),
          context_(context),
          resolver_(scope_.resolver(context)) {}

    std::unique_ptr<Operation> list(FeatureKind kind) {
        ListRequest request;
        request.version = stamp_.version;
        request.cursor = decoded<PaginatedParams>(params_, stamp_.version).cursor;
        request.page_size = scope_.page_size;
        request.cache = scope_.list_cache;
        request.server_info = stamp_.server_info;
        if (resolver_.has_providers()) {
            return std::make_unique<ListAllOperation>(kind, std::move(request), std::move(scope_));
        }
        auto answer = resolver_.list(kind, request);
        if (!answer) throw Told(bad_cursor(answer.error(), stamp_.version));
        return std::make_unique<ListOperation>(*std::move(answer));
    }

    std::unique_ptr<Operation> call_tool() {
        auto params = decoded<CallToolParams>(params_, stamp_.version);
        if (!resolver_.has_providers()) throw Told(unknown_tool(params.name, stamp_.version));
        return provided<ProvidedToolOperation>(std::move(params));
    }

    std::unique_ptr<Operation> read_resource() {
        auto params = decoded<ReadResourceParams>(params_, stamp_.version);
        if (auto valid = protocol::check_uri(params.uri); !valid) {
            throw Told(wire::translate(DecodeError{"/uri", valid.error().message}, stamp_.version));
        }
        auto readable = resolver_.resource(params.uri);
        if (!readable) {
            if (resolver_.has_providers())
                return provided<ProvidedReadOperation>(std::move(params));
            throw Told(unknown_resource(params.uri, stamp_.version));
        }
        bool const keeps = readable->options->keep_reads() > Duration{0};
        auto* const reads = keeps ? scope_.reads : nullptr;
        if (reads != nullptr) {
            if (auto const kept = reads->find(params.uri, context_.received_at())) {
                return std::make_unique<KeptReadOperation>(*kept);
            }
        }
        return std::make_unique<ReadOperation>(*std::move(readable), std::move(params.uri), reads,
                                               stamp_.version);
    }

    std::unique_ptr<Operation> get_prompt() {
        auto params = decoded<GetPromptParams>(params_, stamp_.version);
        auto const* entry = resolver_.prompt(params.name);
        if (entry != nullptr) {
            return std::make_unique<PromptOperation>(entry->shared_from_this(),
                                                     std::move(params.arguments));
        }
        if (resolver_.has_providers()) return provided<ProvidedPromptOperation>(std::move(params));
        throw Told(unknown_prompt(params.name, stamp_.version));
    }

    std::unique_ptr<Operation> complete() {
        auto params = decoded<CompleteParams>(params_, stamp_.version);
        auto found = resolver_.completion(params.ref, params.argument.name);
        if (!found) throw Told(wire::translate(found.error(), stamp_.version));
        if (*found) {
            return std::make_unique<CompletionOperation>(**std::move(found), std::move(params));
        }
        if (resolver_.has_providers()) {
            return provided<ProvidedCompletionOperation>(std::move(params));
        }
        throw Told(unknown_reference(params.ref, stamp_.version));
    }

private:
    template <class Provided, class Params>
    std::unique_ptr<Operation> provided(Params params) {
        return std::make_unique<Provided>(std::move(params), std::move(scope_), stamp_.version);
    }

    json::View params_;
    wire::ResultStamp const& stamp_;
    FeatureScope scope_;
    Context& context_;
    Resolver resolver_;
};

}  // namespace

Resolver FeatureScope::resolver(Context& context) const {
    auto const report = [log = log](std::string const& provider, std::exception_ptr failure) {
        if (!log) return;
        try {
            std::rethrow_exception(failure);
        } catch (std::exception const& error) {
            log("the provider \"" + provider + "\" is left out of a list: " + error.what());
        }
    };
    std::span<Filter const> const active =
        filters ? std::span<Filter const>(*filters) : std::span<Filter const>();
    return Resolver(catalog, active, context, report);
}

Made make_feature_operation(std::string_view method, json::View params,
                            wire::ResultStamp const& stamp, FeatureScope scope, Context& context) {
    Factory factory(params, stamp, std::move(scope), context);
    try {
        if (method == methods::ListTools::info.name) return factory.list(FeatureKind::tool);
        if (method == methods::CallTool::info.name) return factory.call_tool();
        if (method == methods::ListResources::info.name) return factory.list(FeatureKind::resource);
        if (method == methods::ListResourceTemplates::info.name) {
            return factory.list(FeatureKind::resource_template);
        }
        if (method == methods::ReadResource::info.name) return factory.read_resource();
        if (method == methods::ListPrompts::info.name) return factory.list(FeatureKind::prompt);
        if (method == methods::GetPrompt::info.name) return factory.get_prompt();
        if (method == methods::Complete::info.name) return factory.complete();
    } catch (Told const& told) {
        return Unexpected(told.error);
    }
    wire::Details details;
    details.method = method;
    return Unexpected(wire::translate(wire::Condition::method_not_found, stamp.version, details));
}

}  // namespace lanyard::server
