// The implementation of proxy_provider(). "The other server" is the server whose features the proxy
// offers.
#include "lanyard/proxy.hpp"

#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <boost/asio/post.hpp>

#include "client/lease.hpp"
#include "crypto/random_id.hpp"
#include "lanyard/protocol/features.hpp"
#include "protocol/validation.hpp"
#include "proxy/parked_calls.hpp"
#include "proxy/upstream_call.hpp"
#include "runtime/await_on.hpp"
#include "server/call/mrtr.hpp"
#include "server/catalog/operation.hpp"

namespace lanyard::proxy {

namespace {

/// The names in one of the other server's lists (tools, prompts or templates), kept to check
/// whether that server has a feature. Thread-safe.
class KnownNames {
public:
    bool contains(std::string const& name) const {
        std::lock_guard const lock(mutex_);
        return names_.contains(name);
    }
    template <class T>
    void learn(std::vector<T> const& features, std::string T::* name) {
        std::set<std::string> names;
        for (auto const& feature : features) names.insert(feature.*name);
        std::lock_guard const lock(mutex_);
        names_ = std::move(names);
    }
    void clear() {
        std::lock_guard const lock(mutex_);
        names_.clear();
    }

private:
    mutable std::mutex mutex_;
    std::set<std::string> names_;
};

/// Connects a request of a client with the resulting call to the other server. The destructor
/// cancels the call unless it has ended or is parked.
class Attachment {
public:
    Attachment(std::shared_ptr<UpstreamCall> call, Context& context) : call_(std::move(call)) {
        call_->report_to(&context);
    }
    ~Attachment() {
        call_->report_to(nullptr);
        if (!released_) call_->abandon(Errc::cancelled, "the request of the client has ended");
    }
    Attachment(Attachment const&) = delete;
    Attachment& operator=(Attachment const&) = delete;

    void release() noexcept { released_ = true; }

private:
    std::shared_ptr<UpstreamCall> call_;
    bool released_ = false;
};

InputResponse read_answer(std::string_view, InputResponse response) {
    return response;
}

/// Whether this client gets questions in the result of its request. The client then answers them by
/// sending the request again.
bool asks_by_result(Context const& context) {
    auto const version = parse_version(context.version());
    return version && supports(Feature::input_required, *version);
}

/// Whether the other server has refused a request because it has no resource with this URI.
bool is_unknown_resource(Error const& error, std::string const& uri) {
    constexpr std::int64_t resource_not_found = -32002;
    if (error.peer_code() == resource_not_found) return true;
    if (error.peer_code() != rpc::code::invalid_params) return false;
    json::Document document;
    auto const data = document.parse(error.data());
    auto const named = data && data->is_object() ? data->find("uri") : std::nullopt;
    return named && named->as_string() == uri;
}

class ProxyProvider final : public Provider, public std::enable_shared_from_this<ProxyProvider> {
public:
    ProxyProvider(Client client, ProxyOptions options)
        : client_(std::move(client)),
          session_(client::SessionOf::get(client_)),
          options_(std::move(options)),
          parked_(
              std::make_shared<ParkedCalls>(options_.max_waiting(), options_.answer_timeout())) {
        if (options_.prefix().empty()) return;
        if (auto const valid = protocol::check_tool_name(options_.prefix()); !valid) {
            throw Error(Errc::invalid_argument,
                        "prefix \"" + options_.prefix() + "\": " + valid.error().message);
        }
    }

    /// From now on, reports changes of the other server's lists to the server that uses this
    /// provider.
    void watch() {
        auto watcher = [weak = weak_from_this()](ListKind kind) {
            auto const self = weak.lock();
            if (self) self->on_changed(kind);
            return self != nullptr;
        };
        boost::asio::post(session_->executor(), [session = session_, watcher = std::move(watcher)] {
            session->watch_lists(watcher);
        });
    }

    std::string name() const override { return "proxy of " + client_.server_info().name; }
    bool offers(FeatureKind kind) const override {
        auto const capabilities = server_capabilities();
        switch (kind) {
            case FeatureKind::tool:
                return capabilities.tools.has_value();
            case FeatureKind::prompt:
                return capabilities.prompts.has_value();
            default:
                return capabilities.resources.has_value();
        }
    }
    bool completes() const override {
        return has_capability(server_capabilities(), Capability::completions);
    }

    Task<std::vector<Tool>> list_tools(Context&) override {
        if (!offers(FeatureKind::tool)) co_return std::vector<Tool>();
        auto listing = client_.list_tools();
        auto tools = co_await std::move(listing);
        tools_.learn(tools, &Tool::name);
        for (auto& tool : tools) {
            tool.name.insert(0, options_.prefix());
            // The proxy cannot pass on tasks, so the tool must not announce support for them.
            tool.execution.reset();
        }
        co_return tools;
    }
    Task<std::vector<Prompt>> list_prompts(Context&) override {
        if (!offers(FeatureKind::prompt)) co_return std::vector<Prompt>();
        auto listing = client_.list_prompts();
        auto prompts = co_await std::move(listing);
        prompts_.learn(prompts, &Prompt::name);
        for (auto& prompt : prompts) prompt.name.insert(0, options_.prefix());
        co_return prompts;
    }
    Task<std::vector<Resource>> list_resources(Context&) override {
        if (!offers(FeatureKind::resource)) co_return std::vector<Resource>();
        auto listing = client_.list_resources();
        auto resources = co_await std::move(listing);
        co_return resources;
    }
    Task<std::vector<ResourceTemplate>> list_resource_templates(Context&) override {
        if (!offers(FeatureKind::resource_template)) co_return std::vector<ResourceTemplate>();
        auto listing = client_.list_resource_templates();
        auto templates = co_await std::move(listing);
        templates_.learn(templates, &ResourceTemplate::uri_template);
        co_return templates;
    }

    Task<std::optional<CallToolResult>> call_tool(CallToolParams const& params,
                                                  Context& context) override {
        auto own = params;
        if (!remove_prefix(own.name)) co_return std::nullopt;
        if (!tools_.contains(own.name)) {
            co_await list_tools(context);
            if (!tools_.contains(own.name)) co_return std::nullopt;
        }
        own.task.reset();
        auto result = co_await forward<methods::CallTool>(std::move(own), context);
        co_return result;
    }
    Task<std::optional<GetPromptResult>> get_prompt(GetPromptParams const& params,
                                                    Context& context) override {
        auto own = params;
        bool const known = co_await has_prompt(own.name, context);
        if (!known) co_return std::nullopt;
        auto result = co_await forward<methods::GetPrompt>(std::move(own), context);
        co_return result;
    }
    Task<std::optional<ReadResourceResult>> read_resource(ReadResourceParams const& params,
                                                          Context& context) override {
        if (!offers(FeatureKind::resource)) co_return std::nullopt;
        auto own = params;
        std::optional<ReadResourceResult> result;
        try {
            result = co_await forward<methods::ReadResource>(std::move(own), context);
        } catch (Error const& error) {
            // The other server does not have the resource, but another provider may.
            if (!is_unknown_resource(error, params.uri)) throw;
        }
        co_return result;
    }
    Task<std::optional<Completion>> complete(CompleteParams const& params,
                                             Context& context) override {
        if (!completes()) co_return std::nullopt;
        auto own = params;
        if (auto* const prompt = std::get_if<PromptReference>(&own.ref)) {
            bool const known = co_await has_prompt(prompt->name, context);
            if (!known) co_return std::nullopt;
        } else {
            auto const& uri = std::get<ResourceTemplateReference>(own.ref).uri;
            if (!templates_.contains(uri)) {
                co_await list_resource_templates(context);
                if (!templates_.contains(uri)) co_return std::nullopt;
            }
        }
        auto result = co_await forward<methods::Complete>(std::move(own), context);
        co_return std::move(result.completion);
    }

private:
    /// Returns the other server's capabilities; none if the client has never been ready.
    ServerCapabilities server_capabilities() const {
        bool const was_ready = client_.connect_count() > 0;
        return was_ready ? client_.server_capabilities() : ServerCapabilities();
    }
    bool remove_prefix(std::string& name) const {
        if (!name.starts_with(options_.prefix())) return false;
        name.erase(0, options_.prefix().size());
        return true;
    }
    /// Removes the prefix from `name`. Returns whether the other server has the prompt.
    Task<bool> has_prompt(std::string& name, Context& context) {
        if (!remove_prefix(name)) co_return false;
        if (!prompts_.contains(name)) co_await list_prompts(context);
        co_return prompts_.contains(name);
    }

    void on_changed(ListKind kind) {
        switch (kind) {
            case ListKind::tools:
                tools_.clear();
                changed(FeatureKind::tool);
                break;
            case ListKind::prompts:
                prompts_.clear();
                changed(FeatureKind::prompt);
                break;
            case ListKind::resources:
                templates_.clear();
                changed(FeatureKind::resource);
                break;
        }
    }

    /// Returns the call to the other server that belongs to a client's request. If the client has
    /// sent the request again with answers, returns the call that was parked to wait for the
    /// answers. Otherwise starts a new call. Sets `id` to the key with which forward() parks the
    /// call in parked_.
    template <class M>
    Task<std::shared_ptr<UpstreamCallOf<M>>> call_of(typename M::Params params, Context& context,
                                                     std::string& id) {
        bool first = false;
        auto const make_id = [this, &first] {
            first = true;
            return crypto::random_id(session_->options().random());
        };
        // once() stores the id in the request state. The client sends the request state back
        // together with its answers, so the repeated request gets the same id.
        auto remembering = context.once("lanyard.proxy", make_id);
        id = co_await std::move(remembering);
        if (!first) {
            auto parked = std::dynamic_pointer_cast<UpstreamCallOf<M>>(parked_->take(id));
            if (parked) co_return parked;
            // The parked call is gone. No new call is made, because that could repeat the effects
            // of the first call.
            throw server::Unserved(
                DecodeError{"/requestState",
                            "the call no longer waits for answers: it has expired, or another "
                            "request has answered"});
        }
        if constexpr (requires { params.retry; }) params.retry = {};
        auto call = std::make_shared<UpstreamCallOf<M>>(session_);
        call->start(std::move(params), options_.timeout());
        co_return call;
    }

    /// Calls the other server, passes the questions of that server to the client, and returns the
    /// result.
    template <class M>
    Task<typename M::Result> forward(typename M::Params params, Context& context) {
        std::string id;
        auto finding = call_of<M>(std::move(params), context, id);
        auto const call = co_await std::move(finding);
        Attachment attachment(call, context);
        for (;;) {
            auto waiting = runtime::await_on(call->executor(), call->next());
            auto const question = co_await std::move(waiting);
            if (!question) break;
            std::optional<InputResponse> answer;
            std::exception_ptr failure;
            try {
                if (asks_by_result(context)) parked_->check_room();
                Question<InputResponse> asked(question->key, question->request, &read_answer);
                asked.on_progress([](ProgressParams const& made) {
                    static_cast<void>(made);
                });
                auto asking = context.ask(std::move(asked));
                answer = co_await std::move(asking);
            } catch (server::InputRequired const&) {
                parked_->park(id, call);
                attachment.release();
                throw;
            } catch (...) {
                failure = std::current_exception();
            }
            auto settling = call->settle(question, std::move(answer), failure);
            auto running = runtime::await_on(call->executor(), std::move(settling));
            co_await std::move(running);
        }
        attachment.release();
        co_return call->take_result();
    }

    Client client_;
    std::shared_ptr<client::ClientSession> session_;
    ProxyOptions options_;
    std::shared_ptr<ParkedCalls> parked_;
    KnownNames tools_;
    KnownNames prompts_;
    KnownNames templates_;
};

}  // namespace
}  // namespace lanyard::proxy

namespace lanyard {

std::shared_ptr<Provider> proxy_provider(Client client, ProxyOptions options) {
    auto provider = std::make_shared<proxy::ProxyProvider>(std::move(client), std::move(options));
    provider->watch();
    return provider;
}

}  // namespace lanyard
