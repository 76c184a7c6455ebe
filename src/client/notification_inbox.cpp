#include "client/notification_inbox.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "client/client_session.hpp"
#include "lanyard/protocol/methods.hpp"
#include "runtime/await_on.hpp"
#include "wire/codec.hpp"

namespace lanyard::client {

namespace {

std::optional<ListKind> changed_list(std::string_view method) {
    if (method == methods::ToolListChanged::info.name) return ListKind::tools;
    if (method == methods::PromptListChanged::info.name) return ListKind::prompts;
    if (method == methods::ResourceListChanged::info.name) return ListKind::resources;
    return std::nullopt;
}

constexpr std::size_t max_queued_bytes = 16 * 1024 * 1024;

bool is_task_status(std::string_view method) {
    return method == methods::TaskStatusChanged::info.name ||
           method == methods::TaskChanged::info.name;
}

// Decodes the params of one notification; throws if they are invalid.
template <class T>
T read(RawJson const& params, Version version) {
    json::Document document;
    std::optional<json::View> view;
    if (!params.empty()) view = document.parse(params.text()).value();
    return wire::decode_notification<T>(view, version).value();
}

}  // namespace

NotificationInbox::NotificationInbox(ClientSession& session)
    : session_(session), queue_({session.options().max_queued_notifications(), 1}) {}

bool NotificationInbox::wanted(std::string_view method) const {
    auto const& options = session_.options();
    if (options.on_any_notification()) return true;
    for (auto const& [name, handler] : options.on_notification()) {
        if (name == method) return true;
    }
    if (method == methods::LoggingMessage::info.name) return bool(options.on_log());
    if (method == methods::ResourceUpdated::info.name) return bool(options.on_resource_updated());
    if (method == methods::ElicitationComplete::info.name) {
        return bool(options.on_elicitation_complete());
    }
    if (is_task_status(method)) return bool(options.on_task_status());
    return changed_list(method) && options.on_list_changed();
}

void NotificationInbox::take(std::string_view method, std::optional<json::View> params) {
    if (!wanted(method)) return;
    auto const bytes = method.size() + (params ? params->raw().size() : 0);
    // The total size of the queue is limited. A notification that is larger than this limit is
    // accepted if no other notification waits.
    if (queue_.waiting() > 0 && queued_bytes_ + bytes > max_queued_bytes) {
        session_.reports().limits().add(&ClientLimitCounts::dropped);
        session_.reports().diagnose("a notification was dropped: those that wait are too large");
        return;
    }
    Item item;
    item.method = method;
    if (params) item.params = RawJson::trusted(std::string(params->raw()));
    item.weight = Weight(queued_bytes_, bytes);
    if (!queue_.push(std::move(item))) {
        session_.reports().limits().add(&ClientLimitCounts::dropped);
        session_.reports().diagnose("a notification was dropped: its handlers are too slow");
    }
    if (queue_.running() > 0 || queue_.waiting() > 1) return;
    boost::asio::co_spawn(session_.executor(), drain(session_.shared_from_this(), this),
                          boost::asio::detached);
}

Task<> NotificationInbox::drain(std::shared_ptr<ClientSession> session, NotificationInbox* inbox) {
    auto const keep_alive = std::move(session);
    while (auto item = inbox->queue_.start()) {
        // The coroutine owns the item, so that the item's Weight is destroyed on this executor.
        auto handling = inbox->handle(*item, keep_alive->version());
        auto running = runtime::await_on(keep_alive->user_executor(), std::move(handling));
        co_await std::move(running);
        item.reset();
        inbox->queue_.finished();
    }
}

// Each handler is called, even if the one before it has failed.
Task<> NotificationInbox::handle(Item const& item, Version version) {
    auto const& options = session_.options();
    auto const guarded = [this, &item](auto const& call) -> Task<> {
        try {
            auto handling = call();
            co_await std::move(handling);
        } catch (std::exception const& error) {
            session_.reports().diagnose("a handler of " + item.method + " failed: " + error.what());
        } catch (DecodeError const& error) {
            session_.reports().diagnose("the server sent a bad " + item.method + ": " +
                                        error.to_string());
        } catch (...) {
            session_.reports().diagnose("a handler of " + item.method + " failed");
        }
    };
    auto const typed = [this, &item, version] { return handle_typed(item, version); };
    co_await guarded(typed);
    for (auto const& [method, handler] : options.on_notification()) {
        if (method != item.method) continue;
        auto const by_method = [&item, &call = handler] { return call(item.method, item.params); };
        co_await guarded(by_method);
    }
    if (!options.on_any_notification()) co_return;
    auto const any = [&] { return options.on_any_notification()(item.method, item.params); };
    co_await guarded(any);
}

Task<> NotificationInbox::handle_typed(Item const& item, Version version) {
    auto const& options = session_.options();
    std::string_view const method = item.method;
    if (method == methods::LoggingMessage::info.name && options.on_log()) {
        auto handling = options.on_log()(read<LoggingMessageParams>(item.params, version));
        co_await std::move(handling);
    } else if (method == methods::ResourceUpdated::info.name && options.on_resource_updated()) {
        auto handling =
            options.on_resource_updated()(read<ResourceUpdatedParams>(item.params, version).uri);
        co_await std::move(handling);
    } else if (method == methods::ElicitationComplete::info.name &&
               options.on_elicitation_complete()) {
        auto handling = options.on_elicitation_complete()(
            read<ElicitationCompleteParams>(item.params, version).elicitation_id);
        co_await std::move(handling);
    } else if (is_task_status(method) && options.on_task_status()) {
        auto handling = options.on_task_status()(read<TaskStatusParams>(item.params, version));
        co_await std::move(handling);
    } else if (auto const list = changed_list(method); list && options.on_list_changed()) {
        co_await options.on_list_changed()(*list);
    }
}

}  // namespace lanyard::client
