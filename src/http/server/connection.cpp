#include "http/server/connection.hpp"

#include <algorithm>
#include <utility>

#include "auth/credentials.hpp"
#include "http/message/sse_writer.hpp"

namespace lanyard::http {
namespace {

// Buffers up to this size are kept between requests; larger ones are freed at once.
constexpr std::size_t kept_capacity = std::size_t{64} * 1024;
// A reply that has sent nothing for this long frees its output buffer.
constexpr Duration quiet_after = std::chrono::seconds(2);
// Capacity reserved after the end of a body, because the JSON parser may read past the end.
constexpr std::size_t body_padding = 64;
// Bodies up to this size are accepted even if the memory for bodies is used up.
constexpr std::size_t small_body = std::size_t{8} * 1024;
// A body that arrives at least this fast does not time out.
constexpr std::int64_t slowest_body_bytes_per_second = 16 * 1024;

void release_large(std::string& text) noexcept {
    text.clear();
    if (text.capacity() > kept_capacity) std::string().swap(text);
}

std::string retry_after(std::string_view seconds) {
    std::string lines;
    append_header(lines, "Retry-After", seconds);
    return lines;
}

}  // namespace

Connection::Connection(ConnectionShared& shared, ConnectionHost& shell, std::string peer,
                       std::string certificate)
    : shared_(shared),
      host_(shell),
      reader_(shared.limits.request),
      peer_(std::move(peer)),
      certificate_(std::move(certificate)),
      body_share_(&shared.totals.bodies, small_body),
      since_(shared.time.now()),
      progress_(since_),
      now_(since_) {}

Connection::~Connection() {
    lost();
}

void Connection::receive(std::string_view bytes, TimePoint now) {
    if (ending()) return;
    now_ = now;
    if (stage_ != Stage::reading || !backlog_.empty()) {
        backlog_.append(bytes);
        return;
    }
    reader_.feed(bytes);
    run();
}

bool Connection::can_resume() const noexcept {
    return stage_ == Stage::reading && !backlog_.empty() && unsent() <= shared_.limits.soft_unsent;
}

void Connection::resume(TimePoint now) {
    if (!can_resume()) return;
    now_ = now;
    auto const input = std::exchange(backlog_, {});
    reader_.feed(input);
    run();
}

bool Connection::wants_input() const noexcept {
    return !ending() && backlog_.size() < max_backlog;
}

void Connection::run() {
    using Event = RequestReader::Event;
    running_ = true;
    while (stage_ == Stage::reading) {
        if (unsent() > shared_.limits.soft_unsent && reader_.idle()) {
            park();
            break;
        }
        auto const event = reader_.next();
        if (event == Event::need_more) {
            set_phase(reader_.idle()          ? Phase::idle
                      : phase_ == Phase::body ? Phase::body
                                              : Phase::head);
            break;
        }
        switch (event) {
            case Event::head:
                set_phase(Phase::body);
                on_head();
                break;
            case Event::body:
                take_body(reader_.body());
                break;
            case Event::done:
                on_done();
                break;
            default:
                reject(reader_.rejection());
                break;
        }
        if (stage_ != Stage::reading && !(reader_.unread().empty() && backlog_.empty())) park();
    }
    running_ = false;
}

// Stores the unread input until it can be processed.
void Connection::park() {
    if (!ending()) backlog_.assign(reader_.unread());
}

void Connection::set_phase(Phase phase) noexcept {
    if (phase == phase_) return;
    phase_ = phase;
    since_ = now_;
}

void Connection::on_head() {
    received_ = 0;
    if (admitted_ != reader_.head().edition) {
        auto const admitted = shared_.gate.admit(reader_.head(), known_host_);
        if (!admitted) {
            reject(admitted.error());
            return;
        }
        admission_ = *admitted;
        admitted_ = reader_.head().edition;
        auto const host = *reader_.head().fields.find(FieldName::host);
        if (host != known_host_) known_host_ = host;
    }
    if (admission_.route.kind == RouteTarget::Kind::preflight) {
        begin_output();
        append_preflight(out_, admission_, reader_.head(), shared_.gate,
                         shared_.date_text(present()));
        keep_alive_ = reader_.head().keep_alive;
        discarding_ = true;
        return;
    }
    if (shared_.verifier == nullptr) {
        accept_body();
        return;
    }
    auto const& head = reader_.head();
    Credentials credentials;
    if (auto const field = head.fields.find(FieldName::authorization)) {
        credentials.bearer = auth::bearer_of(*field).value_or("");
    }
    credentials.certificate = certificate_;
    credentials.peer = peer_;
    credentials.method = head.method_text;
    credentials.target = head.target;
    std::optional<Verification> verification;
    try {
        if (shared_.instant_verifier != nullptr) {
            verification = shared_.instant_verifier->verify_now(credentials);
        }
    } catch (...) {
        verification = Verification::refuse();
    }
    if (verification) {
        apply(*verification);
    } else {
        stage_ = Stage::verifying;
        host_.ask_verifier(credentials);
    }
}

void Connection::on_verification(Verification const& verification, TimePoint now) {
    if (stage_ != Stage::verifying) return;
    now_ = now;
    stage_ = Stage::reading;
    apply(verification);
    if (stage_ != Stage::reading) return;
    auto const input = std::exchange(backlog_, {});
    reader_.feed(input);
    run();
}

void Connection::apply(Verification const& verification) {
    if (!verification.accepted()) {
        refuse_caller(verification);
        return;
    }
    if (principal_ != verification.principal()) {
        principal_ = verification.principal();
        slot_ = shared_.totals.principals.slot_of(*principal_, shared_.loop);
    }
    auto const most = shared_.limits.max_requests_per_principal;
    if (most > 0 && slot_.full(most)) {
        reject({.status = Status::too_many_requests,
                .reason = "too many requests of this caller are pending",
                .cors_origin = admission_.cors_origin},
               retry_after("1"));
        return;
    }
    accept_body();
}

void Connection::refuse_caller(Verification const& verification) {
    std::string challenge = "Bearer";
    if (!verification.parameters().empty()) challenge.append(" ").append(verification.parameters());
    std::string lines;
    append_header(lines, "WWW-Authenticate", challenge);
    reject({.status = verification.forbidden() ? Status::forbidden : Status::unauthorized,
            .reason = verification.forbidden() ? "the caller may not do this"
                                               : "the request needs valid credentials",
            .cors_origin = admission_.cors_origin},
           lines);
}

// The memory of request bodies.

void Connection::release_body() noexcept {
    body_.clear();
    // The buffer is kept for the next request, unless it is large or the memory for bodies is
    // scarce.
    auto const& bodies = shared_.totals.bodies;
    bool const scarce = bodies.used() > bodies.most() / 2;
    if (body_.capacity() > (scarce ? small_body : kept_capacity)) std::string().swap(body_);
    body_share_.set(body_.capacity());
}

void Connection::refuse_body() {
    release_body();
    reject({.status = Status::service_unavailable,
            .reason = "the requests that are arriving have too many bytes together",
            .cors_origin = admission_.cors_origin},
           retry_after("1"));
}

void Connection::accept_body() {
    auto const& head = reader_.head();
    if (head.body.kind == BodyFraming::Kind::length && !body_share_.allows(head.body.length)) {
        shared_.totals.bodies.count_refusal();
        refuse_body();
        return;
    }
    if (head.expects_continue && reader_.unread().empty() && backlog_.empty()) {
        begin_output();
        append_continue(out_);
    }
    body_.clear();
}

void Connection::take_body(std::string_view piece) {
    received_ += piece.size();
    if (discarding_) return;
    auto const needed = body_.size() + piece.size() + body_padding;
    if (needed > body_.capacity()) {
        // The buffer grows as bytes arrive: a client that only announces a long body must not make
        // the server reserve memory for all of it.
        auto const& framing = reader_.head().body;
        bool const announced = framing.kind == BodyFraming::Kind::length;
        auto const most = static_cast<std::size_t>(
            (announced ? framing.length : shared_.limits.request.max_body_bytes) + body_padding);
        auto const doubled = std::max(body_.capacity() * 2, announced ? kept_capacity : 0);
        auto const wanted = std::max(needed, std::min(doubled, most));
        if (!body_share_.resize(wanted)) {
            refuse_body();
            return;
        }
        body_.reserve(wanted);
        body_share_.set(body_.capacity());
    }
    body_.append(piece);
}

void Connection::on_done() {
    set_phase(Phase::idle);
    since_ = now_;
    if (std::exchange(discarding_, false)) {
        if (!keep_alive_ || shared_.stopping()) stage_ = Stage::ending;
        return;
    }
    dispatch();
}

void Connection::dispatch() {
    stage_ = Stage::replying;
    since_ = now_;
    ++shared_.pending;
    if (slot_) slot_.add();
    HttpRequest const request{.head = reader_.head(),
                              .admission = admission_,
                              .body = body_,
                              .principal = principal_,
                              .peer = peer_,
                              .received = now_,
                              .attachment = attachment_,
                              .certificate = certificate_,
                              .moves = moves_};
    auto const written = out_.size();
    try {
        shared_.handler.on_request(request, *this);
    } catch (...) {
        // The handler has thrown. The client gets an error or loses the connection, so that it does
        // not wait forever.
        if (stage_ != Stage::replying) return;
        if (out_.size() == written && !streaming_) {
            whole({.status = Status::internal_server_error});
        } else {
            cut();
        }
    }
    // If the request is not answered yet, the body is freed now, because the reply may take long
    // and does not need the body any more.
    if (stage_ == Stage::replying && !holds_) release_body();
}

void Connection::on_unanswered() {
    if (watcher_ != nullptr) watcher_->on_turn_end();
    if (stage_ == Stage::replying) release_body();
}

void Connection::reject(Rejection rejection, std::string_view more) {
    auto const& head = reader_.head();
    bool const read_on = !rejection.close;
    // After a refusal, a client that sent "Expect: 100-continue" may or may not send its body. The
    // server cannot tell where the next request begins, so it closes the connection.
    bool const unclear = read_on && head.expects_continue;
    rejection.close = !read_on || unclear || !head.keep_alive || shared_.stopping();
    begin_output();
    append_rejection(out_, rejection, shared_.date_text(present()), more,
                     reader_.wants_no_body() ? RejectionBody::left_out : RejectionBody::sent);
    keep_alive_ = !rejection.close;
    if (!read_on || unclear) {
        stage_ = Stage::ending;
    } else {
        discarding_ = true;
    }
}

// Replies.

// Must be called before output is appended. If no output was waiting, the write timeout starts now.
void Connection::begin_output() noexcept {
    if (unsent() == 0) progress_ = present();
    if (sent_ > kept_capacity && sent_ > out_.size() / 2) {
        out_.erase(0, sent_);
        sent_ = 0;
    }
}

ReplyHead Connection::complete(ReplyHead head) noexcept {
    begin_output();
    keep_alive_ = head.keep_alive && reader_.head().keep_alive && !shared_.stopping();
    head.keep_alive = keep_alive_;
    head.date = shared_.date_text(present());
    if (head.cors_origin.empty()) head.cors_origin = admission_.cors_origin;
    return head;
}

std::string& Connection::begin_full(ReplyHead const& head) {
    if (head.status == Status::no_content) {
        append_reply(out_, complete(head));
        mark_ = std::string::npos;
    } else {
        mark_ = shared_.replies.begin(out_, complete(head));
    }
    return out_;
}

void Connection::end_full() {
    if (mark_ != std::string::npos) end_reply(out_, mark_);
    end_reply_now();
}

void Connection::begin_stream(ReplyHead const& head) {
    append_stream_head(out_, complete(head),
                       chunked() ? StreamEnd::last_chunk : StreamEnd::connection);
    streaming_ = true;
}

std::string& Connection::begin_chunk() {
    // A single message may have any size, so the limit applies to the output that was already
    // waiting, without this chunk.
    if (unsent() > shared_.limits.hard_unsent && !broken_) give_up();
    begin_output();
    if (chunked()) mark_ = http::begin_chunk(out_);
    return out_;
}

void Connection::end_chunk() {
    if (chunked()) http::end_chunk(out_, mark_);
    if (broken_) {
        out_.clear();
        sent_ = 0;
    }
    behind_ = behind_ || unsent() > shared_.limits.soft_unsent;
}

void Connection::flush() {
    if (!is_held() && !broken_) host_.on_reply();
}

void Connection::finish() {
    if (chunked()) append_last_chunk(out_);
    end_reply_now();
}

void Connection::copy(std::string_view bytes) {
    if (broken_) return;
    begin_output();
    out_.append(bytes);
    behind_ = behind_ || unsent() > shared_.limits.soft_unsent;
    flush();
}

void Connection::end_copy(bool keep_alive) {
    keep_alive_ = keep_alive;
    end_reply_now();
}

void Connection::upgrade(std::unique_ptr<Upgrade> upgrade) {
    watcher_ = nullptr;
    leave_request();
    stage_ = Stage::upgraded;
    upgrade_ = std::move(upgrade);
    if (!is_held()) host_.on_reply();
}

std::unique_ptr<Upgrade> Connection::take_upgrade(std::string& unread) noexcept {
    unread = std::exchange(backlog_, {});
    stage_ = Stage::dead;
    return std::exchange(upgrade_, nullptr);
}

void Connection::cut() noexcept {
    watcher_ = nullptr;
    leave_request();
    stage_ = Stage::dead;
    give_up();
}

void Connection::end_reply_now() {
    watcher_ = nullptr;
    leave_request();
    stage_ = keep_alive_ && !shared_.stopping() ? Stage::reading : Stage::ending;
    since_ = now_;
    if (broken_) {
        out_.clear();
        sent_ = 0;
    } else if (!is_held()) {
        now_ = since_ = shared_.time.now();
        host_.on_reply();
    }
}

// Ends the current request: removes it from the counts of pending requests, and frees a large body.
void Connection::leave_request() noexcept {
    if (stage_ != Stage::replying) return;
    --shared_.pending;
    if (slot_) slot_.remove();
    streaming_ = behind_ = false;
    if (body_share_.counted() > 0) release_body();
}

void Connection::give_up() noexcept {
    broken_ = true;
    out_.clear();
    sent_ = 0;
    host_.on_broken();
}

// The end of the connection.

void Connection::end_of_input() noexcept {
    switch (stage_) {
        case Stage::reading:
            stage_ = Stage::ending;
            break;
        case Stage::verifying:
        case Stage::replying:
            lost();
            break;
        case Stage::ending:
        case Stage::upgraded:
        case Stage::dead:
            break;
    }
}

void Connection::lost() noexcept {
    auto* const watcher = std::exchange(watcher_, nullptr);
    leave_request();
    stage_ = Stage::dead;
    upgrade_.reset();
    broken_ = true;
    std::string().swap(body_);
    body_share_.set(0);
    out_.clear();
    sent_ = 0;
    if (watcher != nullptr) watcher->on_gone();
}

void Connection::stop() noexcept {
    if (stage_ == Stage::reading) stage_ = Stage::ending;
}

void Connection::sent(std::size_t bytes, TimePoint now) noexcept {
    progress_ = now;
    sent_ += bytes;
    if (sent_ == out_.size()) {
        release_large(out_);
        sent_ = 0;
    }
    if (behind_ && unsent() <= shared_.limits.soft_unsent / 2) {
        behind_ = false;
        if (watcher_ != nullptr) watcher_->on_drained();
    }
}

Connection::Due Connection::tick(TimePoint now) {
    now_ = now;
    auto const& limits = shared_.limits;
    if (unsent() > 0) return now - progress_ >= limits.write_timeout ? Due::cut : Due::nothing;
    switch (stage_) {
        case Stage::dead:
            return Due::cut;
        case Stage::ending:
        case Stage::upgraded:
        case Stage::verifying:
            return Due::nothing;
        case Stage::replying:
            if (now - progress_ >= quiet_after) std::string().swap(out_);
            if (limits.keepalive_interval <= Duration::zero() ||
                now - std::max(progress_, since_) < limits.keepalive_interval) {
                return Due::nothing;
            }
            progress_ = now;
            return send_keepalive() ? Due::output : Due::nothing;
        case Stage::reading:
            break;
    }
    auto const waited = now - since_;
    switch (phase_) {
        case Phase::idle:
            return waited >= limits.idle_expiry ? Due::cut : Due::nothing;
        case Phase::head:
            if (waited < limits.head_timeout) return Due::nothing;
            // If no byte of a request has arrived, the connection is closed without a response.
            if (reader_.idle()) return Due::cut;
            break;
        case Phase::body: {
            auto const earned = std::chrono::seconds(static_cast<std::int64_t>(received_) /
                                                     slowest_body_bytes_per_second);
            if (waited < limits.body_timeout + earned) return Due::nothing;
            break;
        }
    }
    reject({.status = Status::request_timeout,
            .reason = "the request did not arrive in time",
            .close = true});
    return Due::output;
}

// If the reply is not a stream yet, calls its watcher, which may begin a stream. If the reply is a
// stream now, sends a comment. Returns whether the reply is a stream.
bool Connection::send_keepalive() {
    if (!streaming_ && watcher_ != nullptr) watcher_->on_silence();
    if (!streaming_) return false;
    append_comment(begin_chunk());
    end_chunk();
    return true;
}

void Connection::release() noexcept {
    if (!idle() || !backlog_.empty()) return;
    reader_.release();
    attachment_.reset();
    std::string().swap(body_);
    body_share_.set(0);
    std::string().swap(backlog_);
    std::string().swap(out_);
}

std::size_t Connection::capacity() const noexcept {
    return reader_.capacity() + body_.capacity() + backlog_.capacity() + out_.capacity();
}

}  // namespace lanyard::http
