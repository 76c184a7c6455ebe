#include "client/notification_inbox.hpp"

#include <algorithm>
#include <cstdint>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "client/client_session.hpp"
#include "client/client_subscriptions.hpp"
#include "json/known_text.hpp"
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
    if (!params.empty()) view = document.parse(params.text(), json::known_text).value();
    return wire::decode_notification<T>(view, version).value();
}

}  // namespace

// Channels

Task<> ChannelState::push(ReceivedNotification notification) {
    auto const self = shared_from_this();
    while (queue_.size() >= capacity_ && !ended_) co_await changed_.wait();
    if (ended_) co_return;
    queue_.push_back(std::move(notification));
    changed_.notify();
}

Task<std::optional<ReceivedNotification>> ChannelState::next() {
    auto const self = shared_from_this();
    while (queue_.empty() && !ended_) {
        co_await changed_.wait();
        auto const state = co_await boost::asio::this_coro::cancellation_state;
        if (state.cancelled() != boost::asio::cancellation_type::none) {
            throw Error(Errc::cancelled, "waiting for a notification was cancelled");
        }
    }
    std::optional<ReceivedNotification> first;
    if (queue_.empty()) co_return first;
    first = std::move(queue_.front());
    queue_.pop_front();
    changed_.notify();
    co_return first;
}

void ChannelState::lift_limit() {
    capacity_ = SIZE_MAX;
    changed_.notify();
}

void ChannelState::end() {
    ended_ = true;
    changed_.notify();
}

void ChannelState::close() {
    queue_.clear();
    end();
}

NotificationInbox::NotificationInbox(ClientSession& session)
    : session_(session),
      queue_(session.options().max_queued_notifications()),
      call_ended_(session.executor()) {}

// Handlers and channels that are added while the client is in use

std::uint64_t NotificationInbox::add(std::string method, Handler handler,
                                     std::size_t max_concurrent) {
    auto const added = std::make_shared<Added>();
    added->method = std::move(method);
    added->handler = std::move(handler);
    added->max_concurrent = max_concurrent;
    append(added);
    return added->number;
}

auto NotificationInbox::open_channel(std::string method, std::size_t capacity) -> OpenedChannel {
    auto const added = std::make_shared<Added>();
    added->method = std::move(method);
    added->channel = std::make_shared<ChannelState>(session_.executor(), capacity);
    append(added);
    return {added->channel, added->number};
}

void NotificationInbox::append(AddedPtr added) {
    {
        std::scoped_lock const lock(mutex_);
        added->number = ++last_number_;
        added_.push_back(added);
        has_any_ = true;
    }
    boost::asio::post(session_.executor(), [session = session_.shared_from_this(), this, added] {
        if (client_ended_ && added->channel) added->channel->end();
        session->on_handlers_changed();
    });
}

void NotificationInbox::remove(std::uint64_t number) {
    {
        std::scoped_lock const lock(mutex_);
        auto const found = std::ranges::find(added_, number, &Added::number);
        if (found == added_.end()) return;
        (*found)->removed = true;
        added_.erase(found);
        has_any_ = !added_.empty();
    }
    boost::asio::post(session_.executor(),
                      [session = session_.shared_from_this()] { session->on_handlers_changed(); });
}

auto NotificationInbox::added_for(std::string_view method) const -> std::vector<AddedPtr> {
    std::vector<AddedPtr> found;
    if (!has_any_) return found;
    std::scoped_lock const lock(mutex_);
    for (auto const& added : added_) {
        if (added->takes(method)) found.push_back(added);
    }
    return found;
}

bool NotificationInbox::has_added(std::string_view method) const {
    if (!has_any_) return false;
    std::scoped_lock const lock(mutex_);
    return std::ranges::any_of(added_, [&](auto const& added) { return added->takes(method); });
}

void NotificationInbox::on_client_ended() {
    client_ended_ = true;
    if (queue_.waiting() == 0 && !queue_.running()) {
        end_channels();
        return;
    }
    // The queued notifications must not wait for a user who takes no more.
    std::scoped_lock const lock(mutex_);
    for (auto const& added : added_) {
        if (added->channel) added->channel->lift_limit();
    }
}

void NotificationInbox::end_channels() {
    std::scoped_lock const lock(mutex_);
    for (auto const& added : added_) {
        if (added->channel) added->channel->end();
    }
}

// Handling

bool NotificationInbox::wanted(std::string_view method) const {
    auto const& options = session_.options();
    if (options.on_any_notification() || has_added(method)) return true;
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
    auto const bytes = sizeof(Item) + method.size() + (params ? params->raw().size() : 0);
    bool const drops =
        session_.options().notification_overflow() == NotificationOverflow::drop_oldest;
    // A notification that is larger than the limit is accepted if no other notification waits.
    if (drops && has_waiting() && queued_bytes_ + bytes > max_queued_bytes) {
        report_dropped("those that wait are too large");
        return;
    }
    Item item;
    item.method = method;
    if (params) item.params = RawJson::trusted(std::string(params->raw()));
    item.weight = Weight(queued_bytes_, bytes);
    if (!drops) {
        queue_.push(std::move(item));
        session_.update_reading();
    } else if (!queue_.push_or_replace(std::move(item))) {
        report_dropped("its handlers are too slow");
    }
    if (queue_.running() || queue_.waiting() > 1) return;
    boost::asio::co_spawn(session_.executor(), drain(session_.shared_from_this(), this),
                          boost::asio::detached);
}

void NotificationInbox::report_dropped(std::string_view why) {
    session_.reports().limits().add(&ClientLimitCounts::dropped);
    session_.reports().diagnose("a notification was dropped: " + std::string(why));
}

bool NotificationInbox::must_pause(bool paused, bool calling) const noexcept {
    if (session_.options().notification_overflow() != NotificationOverflow::stop_reading) {
        return false;
    }
    if (!has_waiting()) return false;
    if (queued_bytes_ > max_queued_bytes) return true;
    // A handler that waits for an answer would wait for ever if the client did not read.
    if (calling) return false;
    auto const most = queue_.capacity();
    if (!paused) return queue_.waiting() >= most;
    auto const free = std::max<std::size_t>(most / 4, 1);
    return queue_.waiting() > most - free;
}

Task<> NotificationInbox::drain(std::shared_ptr<ClientSession> session, NotificationInbox* inbox) {
    auto const keep_alive = std::move(session);
    while (auto item = inbox->queue_.start()) {
        // The coroutine owns the item, so that the item's Weight is destroyed on this executor.
        auto handling = inbox->handle(*item, keep_alive->version());
        auto running = runtime::await_on(keep_alive->user_executor(), std::move(handling));
        co_await std::move(running);
        auto passing = inbox->pass_on(*item);
        co_await std::move(passing);
        item.reset();
        inbox->queue_.finished();
        keep_alive->update_reading();
    }
    if (inbox->client_ended_ && inbox->queue_.waiting() == 0) inbox->end_channels();
}

// Passes the notification to the handlers and channels that were added while the client was in use.
Task<> NotificationInbox::pass_on(Item const& item) {
    auto const receivers = added_for(item.method);
    for (auto const& added : receivers) {
        if (added->removed) continue;
        if (added->channel) {
            ReceivedNotification copy{item.method, item.params};
            auto pushing = added->channel->push(std::move(copy));
            co_await std::move(pushing);
        } else if (added->max_concurrent > 1) {
            auto starting = call_concurrently(added, item);
            co_await std::move(starting);
        } else {
            auto calling = call(added->handler, item.method, item.params);
            auto running = runtime::await_on(session_.user_executor(), std::move(calling));
            co_await std::move(running);
        }
    }
}

// Starts the handler as soon as the number of its calls allows it.
Task<> NotificationInbox::call_concurrently(AddedPtr added, Item const& item) {
    while (added->running >= added->max_concurrent) co_await call_ended_.wait();
    ++added->running;
    ReceivedNotification copy{item.method, item.params};
    auto calling = call_apart(session_.shared_from_this(), this, added, std::move(copy));
    boost::asio::co_spawn(session_.executor(), std::move(calling), boost::asio::detached);
}

Task<> NotificationInbox::call_apart(std::shared_ptr<ClientSession> session,
                                     NotificationInbox* inbox, AddedPtr added,
                                     ReceivedNotification notification) {
    auto calling = inbox->call(added->handler, notification.method, notification.params);
    auto running = runtime::await_on(session->user_executor(), std::move(calling));
    co_await std::move(running);
    --added->running;
    inbox->call_ended_.notify();
}

// Calls the handler and reports its failure.
Task<> NotificationInbox::call(Handler const& handler, std::string const& method,
                               RawJson const& params) {
    std::exception_ptr failure;
    try {
        auto handling = handler(method, params);
        co_await std::move(handling);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) report_failure(method, failure);
}

void NotificationInbox::report_failure(std::string const& method,
                                       std::exception_ptr const& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (std::exception const& error) {
        session_.reports().diagnose("a handler of " + method + " failed: " + error.what());
    } catch (DecodeError const& error) {
        session_.reports().diagnose("the server sent a bad " + method + ": " + error.to_string());
    } catch (...) {
        session_.reports().diagnose("a handler of " + method + " failed");
    }
}

// Each handler is called, even if the one before it has failed.
Task<> NotificationInbox::handle(Item const& item, Version version) {
    auto const& options = session_.options();
    std::exception_ptr failure;
    try {
        auto handling = handle_typed(item, version);
        co_await std::move(handling);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) report_failure(item.method, failure);
    for (auto const& [method, handler] : options.on_notification()) {
        if (method != item.method) continue;
        auto calling = call(handler, item.method, item.params);
        co_await std::move(calling);
    }
    if (!options.on_any_notification()) co_return;
    auto calling = call(options.on_any_notification(), item.method, item.params);
    co_await std::move(calling);
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
