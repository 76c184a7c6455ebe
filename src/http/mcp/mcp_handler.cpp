#include "http/mcp/mcp_handler.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "base/deadline.hpp"
#include "http/mcp/error_reply.hpp"
#include "http/mcp/request_info.hpp"
#include "http/mcp/session_transport.hpp"
#include "lanyard/protocol/methods.hpp"

namespace lanyard::http {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_free_stateless = 64;
// After a body larger than this was parsed, the parser's memory is freed at once.
constexpr std::size_t large_body = std::size_t{64} * 1024;
constexpr std::string_view session_parameter = "sessionId=";

// Returns the JSON text of the id of a client's request; empty if there is none.
std::string id_text(rpc::EnvelopeReader::Item const& item) {
    std::string text;
    if (item) {
        if (item->id) text = item->id->raw();
    } else if (item.error().id && item.error().intent != rpc::Intent::response) {
        // The id of a malformed answer is not returned, because it belongs to a request of the
        // server.
        rpc::IdRef(*item.error().id).append_to(text);
    }
    return text;
}

std::string_view id_of(rpc::Envelope const& envelope) {
    return envelope.id ? envelope.id->raw() : std::string_view();
}

// Whether the request changes state of its session on which later requests depend.
bool changes_session(rpc::Envelope const& request, Post const& post) {
    if (post.batch || post.handshake) return true;
    return request.method == methods::SetLevel::info.name ||
           request.method == methods::Subscribe::info.name ||
           request.method == methods::Unsubscribe::info.name;
}

// Identifies the client by its principal or, if the client has no principal, by its address.
EventOwner owner_of(HttpRequest const& request) {
    if (request.principal) return std::hash<std::string>()(request.principal->identity());
    return std::hash<std::string_view>()(request.peer.substr(0, request.peer.rfind(':')));
}

std::string_view session_in(std::string_view query) {
    while (!query.empty()) {
        auto const end = query.find('&');
        auto const part = query.substr(0, end);
        if (part.starts_with(session_parameter)) return part.substr(session_parameter.size());
        query = end == query.npos ? std::string_view() : query.substr(end + 1);
    }
    return {};
}

// Returns the id of the session to which the request belongs, or for the stream of a session of
// HTTP+SSE the first part of its event ids, which leads to the same loop. Empty if there is none.
std::string_view session_id_of(HttpRequest const& request) noexcept {
    switch (request.admission.route.kind) {
        case RouteTarget::Kind::post:
        case RouteTarget::Kind::stream:
        case RouteTarget::Kind::end_session:
            return request.head.fields.find(FieldName::mcp_session_id).value_or("");
        case RouteTarget::Kind::sse_stream:
            return request.head.fields.find(FieldName::last_event_id)
                .value_or("")
                .substr(0, SessionIds::size);
        case RouteTarget::Kind::sse_message:
            return session_in(request.head.query());
        default:
            return {};
    }
}

}  // namespace

McpHandler::McpHandler(Endpoint& server, boost::asio::any_io_executor executor,
                       McpHttpOptions const& options, std::shared_ptr<EndpointShared> shared,
                       LoopPlace place)
    : server_(server),
      entry_(rpc::RequestEntry::open(server, executor)),
      classifier_(server.versions(), entry_ != nullptr),
      shared_(std::make_shared<SessionShared>(executor, options, server.time(), std::move(shared),
                                              std::move(place))),
      table_(shared_->options, shared_->counters, shared_->endpoint->sessions),
      alarm_(server.time().make_alarm(executor, [this] { on_sweep(); })),
      released_(executor) {
    shared_->owner = this;
    shared_->entry = entry_.get();
    if (!options.websocket_path().empty()) {
        websockets_ = std::make_unique<WebSocketServer>(server, shared_);
    }
}

McpHandler::~McpHandler() {
    mark_stopped();
    for (auto const& session : table_.all()) session->end();
    shared_->owner = nullptr;
}

bool McpHandler::pass_on(HttpRequest const& request, Reply& reply) {
    auto const& [loops, index] = shared_->place;
    auto const id = session_id_of(request);
    if (id.empty() || table_.has(id)) return false;
    auto const owner = shared_->endpoint->ids.loop_of(id);
    return owner != index && loops->pass(index, owner, request, reply);
}

void McpHandler::on_request(HttpRequest const& request, Reply& reply) {
    if (shared_->place.loops && pass_on(request, reply)) return;
    switch (request.admission.route.kind) {
        case RouteTarget::Kind::post:
            on_post(request, reply);
            break;
        case RouteTarget::Kind::stream:
            on_get(request, reply);
            break;
        case RouteTarget::Kind::end_session:
            on_delete(request, reply);
            break;
        case RouteTarget::Kind::sse_stream:
            on_sse_stream(request, reply);
            break;
        case RouteTarget::Kind::sse_message:
            on_sse_message(request, reply);
            break;
        case RouteTarget::Kind::websocket:
            websockets_->on_request(request, reply);
            break;
        default:
            reply.whole({.status = Status::not_found});
    }
    if (request.body.size() > large_body) reader_.shrink();
}

// Refusals.

void McpHandler::refuse(Reply& reply, wire::WireError const& error, std::string_view id,
                        std::chrono::seconds retry_after) {
    ++shared_->counters.refused;
    reply_error(reply, error, id, rpc::MissingId::omit, retry_after);
}

void McpHandler::refuse(Reply& reply, wire::Condition condition, HttpRequest const& request,
                        std::string_view id) {
    refuse(reply, wire::translate(condition, PostClassifier::error_version(request.head.fields)),
           id);
}

// Messages.

void McpHandler::on_post(HttpRequest const& request, Reply& reply) {
    rpc::ReadOptions options;
    options.batches = true;
    options.json.max_bytes = SIZE_MAX;  // the listener has limited the size of the body
    auto const item = reader_.read(request.body, options);
    auto const post = classifier_.classify(item, reader_, request.head.fields);
    if (!post) {
        if (!item) deliver_unreadable(item.error(), request);
        auto const version = PostClassifier::error_version(request.head.fields);
        ++shared_->counters.refused;
        reply_error(reply, post.error(), id_text(item), wire::missing_id(version));
    } else if (stopping() && post->wants_answer) {
        refuse(reply, wire::Condition::shutting_down, request, id_of(*item));
    } else if (post->way == Post::Way::session) {
        serve_in_session(*item, *post, request, reply);
    } else if (post->wants_answer) {
        serve_stateless(*item, request, reply);
    } else {
        ++shared_->counters.messages_accepted;
        reply_accepted(reply);
    }
}

// A malformed message may be the client's answer to a request of the server. In this case the
// message is passed to the session, so that the server's request fails.
void McpHandler::deliver_unreadable(rpc::Malformed const& message, HttpRequest const& request) {
    auto const id = request.head.fields.find(FieldName::mcp_session_id);
    if (!id || !message.id || message.intent != rpc::Intent::response) return;
    auto const session = table_.find(*id, Kind::stateful, request.principal.get());
    if (session) session->deliver_message(request.body, nullptr, request.received);
}

void McpHandler::serve_stateless(rpc::Envelope const& envelope, HttpRequest const& request,
                                 Reply& reply) {
    ++shared_->counters.stateless_requests;
    if (free_responders_.empty()) {
        free_responders_.reserve(responders_.size() + 1);
        free_responders_.push_back(responders_
                                       .emplace_back(std::make_unique<HttpResponder>(
                                           static_cast<HttpResponder::Owner&>(*this)))
                                       .get());
    }
    auto& responder = *free_responders_.back();
    free_responders_.pop_back();
    responder.begin(reply, envelope.id->raw(), shared_->options.answers(),
                    request.admission.takes_stream);
    try {
        entry_->handle(envelope, request_info(request, {}), responder, request.received);
        responder.outlive_request();
        responder.flush();
    } catch (...) {
        responder.give_up();
        throw;
    }
}

void McpHandler::on_ended(HttpResponder& responder) noexcept {
    free_responders_.push_back(&responder);
}

void McpHandler::serve_in_session(rpc::Envelope const& envelope, Post const& post,
                                  HttpRequest const& request, Reply& reply) {
    auto const mode = shared_->options.sessions();
    bool const named = request.head.fields.has(FieldName::mcp_session_id);
    if (mode == Sessions::stateless || (mode == Sessions::hybrid && !named && !post.handshake)) {
        serve_stateless_session(envelope, post, request, reply);
        return;
    }
    auto const session = !named && post.handshake ? open_session(Kind::stateful, request, reply)
                                                  : named_session(request, reply);
    if (!session) return;
    if (!post.handshake && !check_version(*session, post, envelope, request, reply)) return;
    deliver(*session, envelope, post, request, reply);
}

void McpHandler::serve_stateless_session(rpc::Envelope const& envelope, Post const& post,
                                         HttpRequest const& request, Reply& reply) {
    if (!post.wants_answer) {
        // Without a session, the server cannot have sent a request, so an answer is refused. A
        // notification is accepted, but has no effect.
        if (post.is_answer) {
            refuse(reply, wire::Condition::session_required, request);
        } else {
            ++shared_->counters.messages_accepted;
            reply_accepted(reply);
        }
        return;
    }
    auto version = classifier_.session_version(request.head.fields, std::nullopt);
    if (post.handshake) version = newest_with_sessions;
    if (!version) {
        refuse(reply, version.error(), id_of(envelope));
        return;
    }
    if (post.batch && *version != with_batches) {
        refuse(reply, wire::Condition::invalid_request, request);
        return;
    }
    auto const session = post.handshake ? start_stateless({}) : take_stateless(*version);
    deliver(*session, envelope, post, request, reply);
}

bool McpHandler::check_version(HttpSession const& session, Post const& post,
                               rpc::Envelope const& envelope, HttpRequest const& request,
                               Reply& reply) {
    auto const version = classifier_.session_version(request.head.fields, session.version());
    if (!version) {
        refuse(reply, version.error(), id_of(envelope));
        return false;
    }
    if (post.batch && *version != with_batches) {
        refuse(reply,
               wire::translate(wire::Condition::invalid_request, *version,
                               {.message = "batches exist only in protocol version 2025-03-26"}));
        return false;
    }
    return true;
}

// Calls the function. If it throws, the session ends, because it may have lost a message.
template <class F>
void McpHandler::guarded(HttpSession& session, F const& function) {
    try {
        function();
    } catch (...) {
        session.break_off();
        throw;
    }
}

void McpHandler::deliver(HttpSession& session, rpc::Envelope const& envelope, Post const& post,
                         HttpRequest const& request, Reply& reply) {
    auto const* const read = post.batch ? nullptr : &envelope;
    if (!post.wants_answer) {
        ++shared_->counters.messages_accepted;
        bool accepted = false;
        guarded(session,
                [&] { accepted = session.deliver_message(request.body, read, request.received); });
        if (accepted) {
            reply_accepted(reply);
        } else {
            refuse(reply, wire::Condition::overloaded, request);
        }
        return;
    }
    ++shared_->counters.requests_in_session;
    bool const stateful = session.kind() == Kind::stateful;
    SessionRequest session_request;
    session_request.received = request.received;
    session_request.text = request.body;
    session_request.envelope = read;
    session_request.info = request_info(request, stateful ? session.id() : std::string_view());
    session_request.takes_stream = request.admission.takes_stream;
    session_request.handshake = post.handshake;
    session_request.changes_session = changes_session(envelope, post);
    guarded(session, [&] { session.deliver_request(std::move(session_request), reply); });
}

// Sessions.

std::shared_ptr<HttpSession> McpHandler::named_session(HttpRequest const& request, Reply& reply) {
    auto const id = request.head.fields.find(FieldName::mcp_session_id);
    if (!id) {
        refuse(reply, wire::Condition::session_required, request);
        return nullptr;
    }
    auto session = table_.find(*id, Kind::stateful, request.principal.get());
    if (!session) refuse(reply, wire::Condition::session_not_found, request);
    return session;
}

std::shared_ptr<HttpSession> McpHandler::open_session(Kind kind, HttpRequest const& request,
                                                      Reply& reply) {
    auto const* const principal = request.principal.get();
    auto const& counts = shared_->endpoint->sessions;
    auto room = counts.room_for(principal);
    if (room != SessionRoom::enough) {
        auto const now = shared_->time.now();
        if (now >= next_sweep_for_room_) {
            next_sweep_for_room_ = after(now, 1s);
            table_.sweep(now);
            room = counts.room_for(principal);
        }
        if (room != SessionRoom::enough && table_.evict_for(principal, room, now)) {
            room = counts.room_for(principal);
        }
    }
    if (room != SessionRoom::enough) {
        ++shared_->counters.sessions_refused;
        bool const all = room == SessionRoom::full;
        refuse(reply,
               wire::translate(all ? wire::Condition::overloaded : wire::Condition::rate_limited,
                               newest_with_sessions, {.message = "there are too many sessions"}),
               {}, 10s);
        return nullptr;
    }
    ++shared_->counters.sessions_opened;
    return start(kind, shared_->make_id(), request.principal, owner_of(request));
}

std::shared_ptr<HttpSession> McpHandler::start(Kind kind, std::string_view id,
                                               std::shared_ptr<Principal const> principal,
                                               EventOwner owner) {
    auto session = std::make_shared<HttpSession>(shared_, kind, id, std::move(principal), owner);
    begin(session);
    return session;
}

std::shared_ptr<HttpSession> McpHandler::start_stateless(std::optional<Version> version) {
    auto session = std::make_shared<HttpSession>(shared_, Kind::stateless,
                                                 "#" + std::to_string(++stateless_), nullptr);
    if (version) session->assume_handshake(*version);
    begin(session);
    return session;
}

void McpHandler::begin(std::shared_ptr<HttpSession> const& session) {
    try {
        table_.add(session);
        arm();
        serve(session);
    } catch (...) {
        session->break_off();
        throw;
    }
}

void McpHandler::serve(std::shared_ptr<HttpSession> const& session) {
    // When the server destroys this transport, the session ends.
    auto serving = server_.serve(std::make_unique<SessionTransport>(session));
    ++shared_->served;
    auto const released = [shared = shared_](std::exception_ptr const&) {
        --shared->served;
        if (shared->owner != nullptr) shared->owner->on_released();
    };
    try {
        boost::asio::co_spawn(shared_->executor, std::move(serving), released);
    } catch (...) {
        --shared_->served;
        throw;
    }
}

void McpHandler::on_ended(HttpSession& session) noexcept {
    std::erase_if(free_stateless_, [&](auto const& free) { return free.get() == &session; });
    table_.remove(session);
}

std::shared_ptr<HttpSession> McpHandler::take_stateless(Version version) {
    auto const at =
        std::find_if(free_stateless_.rbegin(), free_stateless_.rend(),
                     [&](auto const& session) { return session->version() == version; });
    if (at != free_stateless_.rend()) {
        auto session = std::move(*at);
        free_stateless_.erase(std::next(at).base());
        return session;
    }
    return start_stateless(version);
}

void McpHandler::on_free(HttpSession& session) noexcept {
    if (free_stateless_.size() < max_free_stateless && !stopping()) {
        try {
            free_stateless_.push_back(session.shared_from_this());
            return;
        } catch (std::bad_alloc const&) {
            // The session ends instead.
        }
    }
    session.end();
}

void McpHandler::on_get(HttpRequest const& request, Reply& reply) {
    if (!classifier_.has_sessions() || shared_->options.sessions() == Sessions::stateless) {
        reply.whole({.status = Status::method_not_allowed, .more = "Allow: POST\r\n"});
        return;
    }
    auto const session = named_session(request, reply);
    if (!session) return;
    auto const version = classifier_.session_version(request.head.fields, session->version());
    auto const last_event = request.head.fields.find(FieldName::last_event_id);
    if (!version) {
        refuse(reply, version.error());
    } else if (last_event) {
        guarded(*session, [&] {
            if (!session->resume_stream(*last_event, reply)) session->open_stream(reply);
        });
    } else if (stopping()) {
        refuse(reply, wire::Condition::shutting_down, request);
    } else {
        guarded(*session, [&] { session->open_stream(reply); });
    }
}

void McpHandler::on_delete(HttpRequest const& request, Reply& reply) {
    if (!classifier_.has_sessions() || shared_->options.sessions() == Sessions::stateless) {
        reply.whole({.status = Status::method_not_allowed, .more = "Allow: POST\r\n"});
        return;
    }
    auto const session = named_session(request, reply);
    if (!session) return;
    ++shared_->counters.sessions_deleted;
    session->end();
    reply.whole({.status = Status::no_content});
}

// HTTP+SSE of 2024-11-05.

void McpHandler::on_sse_stream(HttpRequest const& request, Reply& reply) {
    auto const target = [this](HttpSession const& session) {
        return shared_->options.message_path() + "?" + std::string(session_parameter) +
               std::string(session.id());
    };
    if (auto const last_event = request.head.fields.find(FieldName::last_event_id)) {
        // The request names no session, only the event, so every session of this client is searched
        // for the event.
        for (auto const& session : table_.all()) {
            if (session->kind() != Kind::sse ||
                !is_same(session->principal().get(), request.principal.get())) {
                continue;
            }
            bool resumed = false;
            guarded(*session, [&] {
                resumed = session->resume_stream(*last_event, reply, target(*session));
            });
            if (resumed) return;
        }
    }
    if (stopping() || !classifier_.has_sessions()) {
        refuse(reply, wire::Condition::shutting_down, request);
        return;
    }
    auto const session = open_session(Kind::sse, request, reply);
    if (!session) return;
    guarded(*session, [&] {
        session->open_sse(reply, request_info(request, session->id()), target(*session));
    });
}

void McpHandler::on_sse_message(HttpRequest const& request, Reply& reply) {
    rpc::ReadOptions options;
    options.json.max_bytes = SIZE_MAX;  // the listener has limited the size of the body
    auto const item = reader_.read(request.body, options);
    if (!item) {
        refuse(reply, wire::translate(item.error(), Version::v2024_11_05), id_text(item));
        return;
    }
    auto const session =
        table_.find(session_in(request.head.query()), Kind::sse, request.principal.get());
    if (!session) {
        refuse(reply, wire::Condition::session_not_found, request, id_of(*item));
    } else if (stopping() && item->kind == rpc::MessageKind::request) {
        refuse(reply, wire::Condition::shutting_down, request, id_of(*item));
    } else if (!session->deliver_message(request.body, &*item, request.received)) {
        refuse(reply, wire::Condition::overloaded, request, id_of(*item));
    } else {
        ++shared_->counters.messages_accepted;
        reply_accepted(reply);
    }
}

// Time.

void McpHandler::arm() {
    if (armed_) return;
    auto const next = table_.next_sweep(shared_->time.now());
    if (next == never) return;
    alarm_->set(next);
    armed_ = true;
}

void McpHandler::on_sweep() {
    armed_ = false;
    table_.sweep(shared_->time.now());
    arm();
}

void McpHandler::on_stop(Duration grace) noexcept {
    if (entry_) entry_->shut_down(grace);
    if (websockets_) websockets_->stop();
    for (auto const& session : table_.all()) {
        try {
            session->stop();
        } catch (std::exception const&) {
            session->break_off();
        }
    }
}

void McpHandler::end_replies() noexcept {
    if (entry_) entry_->shut_down(Duration(0));
    for (auto const& session : table_.all()) session->end();
}

Task<> McpHandler::ended() {
    for (auto const& session : table_.all()) session->end();
    while (shared_->served != 0) co_await released_.wait();
}

std::unique_ptr<RequestHandler> make_mcp_endpoint(Endpoint& server,
                                                  boost::asio::any_io_executor executor,
                                                  McpHttpOptions const& options,
                                                  std::shared_ptr<EndpointShared> shared,
                                                  LoopPlace place) {
    return std::make_unique<McpHandler>(server, std::move(executor), options, std::move(shared),
                                        std::move(place));
}

}  // namespace lanyard::http
