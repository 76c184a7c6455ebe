#include "lanyard/client/client.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/this_coro.hpp>

#include "client/calls.hpp"
#include "client/client_session.hpp"
#include "client/client_subscriptions.hpp"
#include "client/lease.hpp"
#include "client/on_executor.hpp"
#include "client/open_session.hpp"
#include "client/paging.hpp"
#include "lanyard/protocol/methods.hpp"

namespace lanyard {

using client::ClientSession;

namespace {

template <class M>
Task<typename M::Result> list_page(std::shared_ptr<ClientSession> session,
                                   std::optional<Cursor> cursor, CallOptions const& options) {
    PaginatedParams params;
    params.cursor = std::move(cursor);
    return client::start<M>(std::move(session), std::move(params), options);
}

template <class T>
Task<std::vector<T>> all_of(Pages<T> pages) {
    auto listing = pages.rest();
    auto items = co_await std::move(listing);
    co_return items;
}

}  // namespace

Version Client::version() const {
    return session_of(lease_)->server().published()->version;
}

Implementation Client::server_info() const {
    return session_of(lease_)->server().published()->info;
}

ServerCapabilities Client::server_capabilities() const {
    auto const& session = session_of(lease_);
    if (session->keeper().connect_count() == 0) {
        throw Error(Errc::not_initialized,
                    "the server's capabilities are not known yet: the client was never ready");
    }
    return session->server().published()->capabilities;
}

std::string Client::instructions() const {
    return session_of(lease_)->server().published()->instructions;
}

KnownServer Client::known_server() const {
    auto const info = session_of(lease_)->server().published();
    return {info->version, info->decided};
}

Task<std::vector<Tool>> Client::list_tools(CallOptions const& options) const {
    return all_of(tools(options));
}

Task<ListToolsResult> Client::list_tools_page(std::optional<Cursor> cursor,
                                              CallOptions const& options) const {
    return list_page<methods::ListTools>(session_of(lease_), std::move(cursor), options);
}

Pages<Tool> Client::tools(CallOptions const& options) const {
    return client::pages<methods::ListTools, &ListToolsResult::tools>(session_of(lease_), options);
}

Task<CallToolResult> Client::call_tool(std::string name, Arguments arguments,
                                       CallOptions const& options) const {
    CallToolParams params;
    params.name = std::move(name);
    params.arguments = std::move(arguments).object();
    return client::start<methods::CallTool>(session_of(lease_), std::move(params), options);
}

Task<std::vector<Resource>> Client::list_resources(CallOptions const& options) const {
    return all_of(resources(options));
}

Task<ListResourcesResult> Client::list_resources_page(std::optional<Cursor> cursor,
                                                      CallOptions const& options) const {
    return list_page<methods::ListResources>(session_of(lease_), std::move(cursor), options);
}

Pages<Resource> Client::resources(CallOptions const& options) const {
    return client::pages<methods::ListResources, &ListResourcesResult::resources>(
        session_of(lease_), options);
}

Task<std::vector<ResourceTemplate>> Client::list_resource_templates(
    CallOptions const& options) const {
    return all_of(resource_templates(options));
}

Task<ListResourceTemplatesResult> Client::list_resource_templates_page(
    std::optional<Cursor> cursor, CallOptions const& options) const {
    return list_page<methods::ListResourceTemplates>(session_of(lease_), std::move(cursor),
                                                     options);
}

Pages<ResourceTemplate> Client::resource_templates(CallOptions const& options) const {
    return client::pages<methods::ListResourceTemplates,
                         &ListResourceTemplatesResult::resource_templates>(session_of(lease_),
                                                                           options);
}

Task<ReadResourceResult> Client::read_resource(std::string uri, CallOptions const& options) const {
    ReadResourceParams params;
    params.uri = std::move(uri);
    return client::start<methods::ReadResource>(session_of(lease_), std::move(params), options);
}

Task<> Client::subscribe(std::string uri, CallOptions const& options) const {
    auto const held = session_of(lease_);
    return client::on_executor(held, held->subscriptions().subscribe(std::move(uri), options));
}

Task<> Client::unsubscribe(std::string uri, CallOptions const& options) const {
    auto const held = session_of(lease_);
    return client::on_executor(held, held->subscriptions().unsubscribe(std::move(uri), options));
}

Task<std::vector<Prompt>> Client::list_prompts(CallOptions const& options) const {
    return all_of(prompts(options));
}

Task<ListPromptsResult> Client::list_prompts_page(std::optional<Cursor> cursor,
                                                  CallOptions const& options) const {
    return list_page<methods::ListPrompts>(session_of(lease_), std::move(cursor), options);
}

Pages<Prompt> Client::prompts(CallOptions const& options) const {
    return client::pages<methods::ListPrompts, &ListPromptsResult::prompts>(session_of(lease_),
                                                                            options);
}

Task<GetPromptResult> Client::get_prompt(std::string name, Arguments const& arguments,
                                         CallOptions const& options) const {
    GetPromptParams params;
    params.name = std::move(name);
    params.arguments = arguments.as_texts();
    return client::start<methods::GetPrompt>(session_of(lease_), std::move(params), options);
}

namespace {

Task<Completion> complete(std::shared_ptr<ClientSession> session, CompletionReference ref,
                          CompletionArgument argument, std::map<std::string, std::string> known,
                          CallOptions const& options) {
    CompleteParams params;
    params.ref = std::move(ref);
    params.argument = std::move(argument);
    if (!known.empty()) params.context = CompletionContext{std::move(known)};
    auto const unwrap = [](Task<CompleteResult> completing) -> Task<Completion> {
        auto result = co_await std::move(completing);
        co_return std::move(result.completion);
    };
    return unwrap(client::start<methods::Complete>(std::move(session), std::move(params), options));
}

}  // namespace

Task<Completion> Client::complete_prompt(std::string prompt, std::string argument,
                                         std::string value,
                                         std::map<std::string, std::string> known,
                                         CallOptions const& options) const {
    PromptReference reference;
    reference.name = std::move(prompt);
    return complete(session_of(lease_), std::move(reference),
                    {std::move(argument), std::move(value)}, std::move(known), options);
}

Task<Completion> Client::complete_resource(std::string uri_template, std::string argument,
                                           std::string value,
                                           std::map<std::string, std::string> known,
                                           CallOptions const& options) const {
    return complete(session_of(lease_), ResourceTemplateReference{std::move(uri_template)},
                    {std::move(argument), std::move(value)}, std::move(known), options);
}

ConnectionState Client::state() const noexcept {
    return lease_ ? lease_->session->keeper().state() : ConnectionState::closed;
}

std::vector<StateChange> Client::history() const {
    return lease_ ? lease_->session->keeper().history() : std::vector<StateChange>();
}

std::uint64_t Client::connect_count() const noexcept {
    return lease_ ? lease_->session->keeper().connect_count() : 0;
}

ClientLimitCounts Client::limit_counts() const noexcept {
    return lease_ ? lease_->session->reports().limits().read() : ClientLimitCounts{};
}

Task<> Client::await_ready(Duration timeout) const {
    auto const held = session_of(lease_);
    return client::on_executor(held, held->keeper().await_ready(timeout));
}

void Client::close() const noexcept {
    if (lease_) lease_->close();
}

Task<> Client::stop(Duration grace) const {
    auto const held = session_of(lease_);
    return client::on_executor(held, held->stop(grace));
}

Task<> Client::closed() const {
    auto const held = session_of(lease_);
    return client::on_executor(held, held->keeper().closed());
}

namespace {

Task<Client> lease(Task<std::shared_ptr<ClientSession>> opening) {
    auto session = co_await std::move(opening);
    co_return client::Lease::open(session);
}

Task<Client> start(std::unique_ptr<Connector> connector, ClientOptions options) {
    auto const executor = co_await boost::asio::this_coro::executor;
    co_return client::start_client_on(executor, std::move(connector), options);
}

}  // namespace

Task<Client> connect(std::unique_ptr<Connector> connector, ClientOptions const& options) {
    return lease(client::open_session(nullptr, std::move(connector), options));
}

Task<Client> start_client(std::unique_ptr<Connector> connector, ClientOptions const& options) {
    return start(std::move(connector), options);
}

Task<Client> connect(std::unique_ptr<Transport> transport, ClientOptions const& options) {
    return lease(client::open_session(std::move(transport), nullptr, options));
}

}  // namespace lanyard
