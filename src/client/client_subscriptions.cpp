#include "client/client_subscriptions.hpp"

#include <algorithm>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include "client/calls.hpp"
#include "client/client_session.hpp"
#include "lanyard/protocol/methods.hpp"
#include "protocol/capability_check.hpp"
#include "wire/modern.hpp"

namespace lanyard::client {

// One subscriptions/listen request, which stays open.
class ClientSubscriptions::Stream final : public rpc::AnswerSink {
public:
    Stream(ClientSubscriptions& owner, SubscriptionFilter filter)
        : owner_(owner), asked(std::move(filter)) {}

    void on_answer(rpc::Answer const& answer) noexcept override {
        owner_.on_stream_ended(*this, answer.error);
    }

private:
    ClientSubscriptions& owner_;

public:
    SubscriptionFilter const asked;
    SubscriptionFilter granted;
    std::int64_t id = 0;
    TimePoint acknowledged;
};

// Receives and ignores the answers to requests whose result is not needed.
class ClientSubscriptions::Ignored final : public rpc::AnswerSink {
public:
    explicit Ignored(ClientSession& session) : session_(session) {}
    void on_answer(rpc::Answer const&) noexcept override { session_.keeper().on_request_ended(); }

private:
    ClientSession& session_;
};

namespace {

bool belongs_on_stream(std::string_view method) {
    return method == methods::ToolListChanged::info.name ||
           method == methods::PromptListChanged::info.name ||
           method == methods::ResourceListChanged::info.name ||
           method == methods::ResourceUpdated::info.name ||
           method == methods::TaskChanged::info.name;
}

bool is_empty(SubscriptionFilter const& filter) {
    return filter == SubscriptionFilter();
}

bool contains(std::vector<std::string> const& uris, std::string const& uri) {
    return std::ranges::find(uris, uri) != uris.end();
}

}  // namespace

ClientSubscriptions::ClientSubscriptions(ClientSession& session)
    : session_(session),
      changed_(session.executor()),
      ignored_(std::make_unique<Ignored>(session)) {}

ClientSubscriptions::~ClientSubscriptions() = default;

bool ClientSubscriptions::uses_streams() const {
    return methods::SubscriptionsListen::info.in(session_.version());
}

SubscriptionFilter ClientSubscriptions::wanted() const {
    auto const& options = session_.options();
    auto const& server = session_.server().info().capabilities;
    auto const wants = [&](MethodInfo const& method) {
        if (!has_capability(server, method.capability)) return false;
        if (options.on_list_changed() || options.on_any_notification()) return true;
        if (session_.server().list_watchers() > 0) return true;
        if (session_.inbox().has_added(method.name)) return true;
        return std::ranges::any_of(options.on_notification(), [&](auto const& handler) {
            return handler.first == method.name;
        });
    };
    SubscriptionFilter filter;
    filter.tools_list_changed = wants(methods::ToolListChanged::info);
    filter.prompts_list_changed = wants(methods::PromptListChanged::info);
    filter.resources_list_changed = wants(methods::ResourceListChanged::info);
    filter.resource_subscriptions.assign(uris_.begin(), uris_.end());
    return filter;
}

bool ClientSubscriptions::grants(std::string const& uri) const {
    return current_ && contains(current_->granted.resource_subscriptions, uri);
}

void ClientSubscriptions::update() {
    if (uses_streams() && !is_empty(wanted())) open_stream();
}

void ClientSubscriptions::refresh() {
    if (!uses_streams()) return;
    auto const& stream = next_ ? next_ : current_;
    if (wanted() != (stream ? stream->asked : SubscriptionFilter())) open_stream();
}

// The old stream stays open until the new one is acknowledged, so that the client misses no
// notification.
void ClientSubscriptions::open_stream() {
    drop(next_);
    refusal_.reset();
    auto filter = wanted();
    if (is_empty(filter)) {
        drop(current_);
        return;
    }
    SubscriptionsListenParams params;
    params.notifications = filter;
    auto const text = wire::params_text(params, session_.requests().stamp());
    auto const stream = std::make_shared<Stream>(*this, std::move(filter));
    rpc::RequestSettings call;
    call.timeout = no_limit;
    streams_.push_back(stream);
    try {
        stream->id = session_.connection()
                         .request(methods::SubscriptionsListen::info.name, text, *stream, call)
                         .value();
    } catch (...) {
        streams_.pop_back();
        throw;
    }
    next_ = stream;
    session_.connection().flush();
}

void ClientSubscriptions::drop(std::shared_ptr<Stream>& stream) {
    auto const dropped = std::exchange(stream, nullptr);
    if (!dropped || !session_.keeper().is_ready()) return;
    session_.connection().cancel(dropped->id, "no longer needed");
}

void ClientSubscriptions::on_stream_ended(Stream& stream, std::optional<Error> const& error) {
    bool const was_next = next_.get() == &stream;
    bool const was_current = current_.get() == &stream;
    if (was_next) {
        next_.reset();
        refusal_ =
            error ? *error : Error(Errc::failed, "the server ended the subscription at once");
    }
    if (was_current) {
        // After a stream that has lasted long enough, the backoff starts again with its shortest
        // wait.
        if (session_.now() - stream.acknowledged >= backoff_.longest_wait()) backoff_.reset();
        current_.reset();
    }
    if ((was_current || was_next) && session_.keeper().is_ready()) {
        session_.reports().diagnose(was_current ? "the server ended the subscription"
                                                : "the server refused the subscription: " +
                                                      std::string(refusal_->message()));
        if (was_current) reopen_later();
    }
    std::erase_if(streams_, [&](auto const& pending) { return pending.get() == &stream; });
    changed_.notify();
    session_.keeper().on_request_ended();
}

// Called when the server has ended a stream. The client still needs the notifications, so it opens
// a new stream after a while.
void ClientSubscriptions::reopen_later() {
    auto const wait = backoff_.next(session_.options().random());
    auto const reopen = [this] {
        if (!session_.keeper().is_ready() || current_ || next_) return;
        try {
            open_stream();
        } catch (Error const& error) {
            session_.reports().diagnose("the subscription could not be opened again: " +
                                        error.message());
        }
    };
    if (!reopening_) {
        reopening_ = session_.options().time().make_alarm(session_.executor(), reopen);
    }
    if (wait) reopening_->set(after(session_.now(), *wait));
}

bool ClientSubscriptions::admit(std::string_view method, std::optional<json::View> params) {
    if (!uses_streams()) return true;
    if (method == methods::SubscriptionsAcknowledged::info.name) {
        acknowledge(params);
        return true;
    }
    if (!belongs_on_stream(method)) return true;
    auto const id = wire::read_subscription_id(params);
    return id && current_ && *id == RequestId(current_->id);
}

void ClientSubscriptions::acknowledge(std::optional<json::View> params) {
    auto const id = wire::read_subscription_id(params);
    if (!id || !next_ || *id != RequestId(next_->id)) return;
    auto acknowledged =
        wire::decode_notification<SubscriptionsAcknowledgedParams>(params, session_.version());
    if (!acknowledged) {
        session_.reports().report_violation("its acknowledgement of a subscription: " +
                                            acknowledged.error().to_string());
        return;
    }
    auto replaced = std::exchange(current_, std::exchange(next_, nullptr));
    current_->granted = std::move(acknowledged->notifications);
    current_->acknowledged = session_.now();
    drop(replaced);
    compare(current_->asked, current_->granted);
    changed_.notify();
}

void ClientSubscriptions::compare(SubscriptionFilter const& asked,
                                  SubscriptionFilter const& granted) {
    auto const miss = [this](bool wish, bool grant, std::string const& what) {
        if (!wish || grant) return;
        session_.reports().diagnose("the server does not announce changes of " + what);
    };
    miss(asked.tools_list_changed, granted.tools_list_changed, "its tools");
    miss(asked.prompts_list_changed, granted.prompts_list_changed, "its prompts");
    miss(asked.resources_list_changed, granted.resources_list_changed, "its resources");
    for (auto const& uri : asked.resource_subscriptions) {
        miss(true, contains(granted.resource_subscriptions, uri), uri);
    }
}

void ClientSubscriptions::on_cancelled(RequestId const& id) {
    for (auto const& stream : streams_) {
        if (RequestId(stream->id) != id) continue;
        session_.connection().peer().cancel(stream->id, "", session_.now());
        return;
    }
}

Task<> ClientSubscriptions::subscribe(std::string uri, CallOptions options) {
    if (session_.keeper().must_wait(options)) co_await session_.keeper().await_ready(options);
    if (uses_streams()) {
        co_await subscribe_on_stream(uri, options);
        co_return;
    }
    ResourceParams params;
    params.uri = uri;
    auto calling = call<methods::Subscribe>(session_.shared_from_this(), params, options);
    co_await std::move(calling);
    uris_.insert(std::move(uri));
}

Task<> ClientSubscriptions::subscribe_on_stream(std::string const& uri,
                                                CallOptions const& options) {
    auto const self = session_.shared_from_this();
    session_.requests().check(methods::SubscriptionsListen::info).value();
    SubscriptionFilter filter;
    filter.resource_subscriptions.push_back(uri);
    protocol::check_capability(filter, session_.server().info().capabilities).value();
    if (!uris_.insert(uri).second && grants(uri)) co_return;
    auto& time = session_.options().time();
    auto const deadline =
        after(time.now(), options.timeout().value_or(session_.options().timeout()));
    open_stream();
    std::optional<Error> failure;
    while (!failure && !grants(uri)) {
        if (!next_) {
            failure = refusal_
                          ? *refusal_
                          : Error(Errc::failed, "the server does not announce changes of " + uri);
        } else if (time.now() >= deadline) {
            failure = Error(Errc::timeout, "the server has not acknowledged the subscription");
        } else {
            co_await changed_.wait_until(time, deadline);
            auto const state = co_await boost::asio::this_coro::cancellation_state;
            if (state.cancelled() != boost::asio::cancellation_type::none) {
                failure = Error(Errc::cancelled, "the subscription was cancelled");
            }
        }
    }
    if (!failure) co_return;
    uris_.erase(uri);
    throw *failure;
}

Task<> ClientSubscriptions::unsubscribe(std::string uri, CallOptions options) {
    if (session_.keeper().must_wait(options)) co_await session_.keeper().await_ready(options);
    if (uses_streams()) {
        session_.requests().check(methods::SubscriptionsListen::info).value();
        if (uris_.erase(uri) > 0) open_stream();
        co_return;
    }
    ResourceParams params;
    params.uri = uri;
    auto calling = call<methods::Unsubscribe>(session_.shared_from_this(), params, options);
    co_await std::move(calling);
    uris_.erase(uri);
}

void ClientSubscriptions::end_all() {
    if (!session_.keeper().is_ready()) return;
    drop(next_);
    drop(current_);
    if (uses_streams()) return;
    for (auto const& uri : uris_) {
        // If a request cannot be sent, the remaining requests are not sent either. The remaining
        // subscriptions end when the connection is closed.
        if (!send_uri(methods::Unsubscribe::info.name, uri)) break;
    }
    uris_.clear();
    session_.connection().flush();
}

void ClientSubscriptions::restore(std::optional<LoggingLevel> level) {
    if (uses_streams() || !session_.keeper().is_ready()) return;
    bool sent = true;
    for (auto const& uri : uris_) sent = send_uri(methods::Subscribe::info.name, uri) && sent;
    if (level) {
        SetLevelParams params;
        params.level = *level;
        auto const text = wire::params_text(params, session_.requests().stamp());
        sent = send_ignored(methods::SetLevel::info.name, text) && sent;
    }
    if (!sent) session_.reports().diagnose("too many calls wait to subscribe again");
    session_.connection().flush();
}

bool ClientSubscriptions::send_uri(std::string_view method, std::string const& uri) {
    std::string params;
    json::Writer(params).begin_object().key("uri").string(uri).end_object();
    return send_ignored(method, params);
}

bool ClientSubscriptions::send_ignored(std::string_view method, std::string const& params) {
    return session_.connection().request(method, params, *ignored_).has_value();
}

}  // namespace lanyard::client
