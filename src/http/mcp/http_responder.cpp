#include "http/mcp/http_responder.hpp"

#include <cstring>

#include <utility>

#include "http/mcp/error_reply.hpp"
#include "http/message/sse_writer.hpp"

namespace lanyard::http {

void HttpResponder::begin(Reply& reply, std::string_view id, HttpAnswers form,
                          bool takes_stream) noexcept {
    reply_ = &reply;
    work_ = nullptr;
    id_ = id;
    can_stream_ = takes_stream && form != HttpAnswers::json;
    form_ = can_stream_ ? form : HttpAnswers::json;
    streaming_ = false;
    out_ = nullptr;
    reply.watch(this);
}

void HttpResponder::outlive_request() {
    // If the reply keeps the request's body valid until on_turn_end(), that function copies the id.
    // Most requests are answered before on_turn_end(), so their ids need not be copied at all.
    if (reply_ != nullptr && !reply_->keeps_request()) keep_id();
}

void HttpResponder::on_turn_end() {
    keep_id();
}

void HttpResponder::keep_id() {
    // The id may already be a copy, because on_turn_end() may be called more than once for one
    // request.
    if (id_.data() == short_id_.data() || id_.data() == kept_id_.data()) return;
    if (id_.size() <= short_id_.size()) {
        std::memcpy(short_id_.data(), id_.data(), id_.size());
        id_ = {short_id_.data(), id_.size()};
    } else {
        kept_id_.assign(id_);
        id_ = kept_id_;
    }
}

bool HttpResponder::attach(rpc::InboundWork& work) {
    if (reply_ == nullptr) return false;
    work_ = &work;
    return true;
}

void HttpResponder::begin_stream() {
    if (streaming_) return;
    streaming_ = true;
    reply_->begin_stream({.content = Content::event_stream});
}

std::string& HttpResponder::begin_message() {
    if (!streaming_) {
        out_ = &reply_->begin_full({.content = Content::json});
    } else {
        out_ = &reply_->begin_chunk();
        event_begin_ = begin_event(*out_, {.event = "message"});
    }
    return *out_;
}

void HttpResponder::end_message() {
    if (!streaming_) {
        reply_->end_full();
    } else {
        end_event(*out_, event_begin_);
        reply_->end_chunk();
    }
    out_ = nullptr;
}

std::string* HttpResponder::begin_result() {
    if (reply_ == nullptr) return nullptr;
    if (form_ == HttpAnswers::stream) begin_stream();
    auto& out = begin_message();
    rpc::begin_result(out, rpc::IdRef::text(id_));
    return &out;
}

void HttpResponder::end_result() {
    rpc::end_message(*out_);
    end_message();
    if (streaming_) reply_->finish();
    release();
}

void HttpResponder::fail(wire::WireError const& error) {
    if (reply_ == nullptr) return;
    if (streaming_) {
        rpc::append_error(begin_message(), rpc::IdRef::text(id_), error.text());
        end_message();
        reply_->finish();
    } else {
        reply_error(*reply_, error, id_);
    }
    release();
}

// Ends the request without a result. If an event stream has begun, ends the stream; otherwise the
// client gets an error, because every HTTP request must be answered.
void HttpResponder::abandon() {
    if (reply_ == nullptr) return;
    if (out_ != nullptr) {
        // An exception has left a message incomplete.
        reply_->cut();
        release();
    } else if (streaming_) {
        reply_->finish();
        release();
    } else {
        fail(wire::translate(wire::Condition::cancelled, newest_version));
    }
}

void HttpResponder::notify(std::string_view method, std::string_view params) {
    if (reply_ == nullptr || !can_stream_ || reply_->behind()) return;
    begin_stream();
    rpc::append_notification(begin_message(), method, params);
    end_message();
}

void HttpResponder::flush() {
    if (reply_ != nullptr && streaming_) reply_->flush();
}

// The client has closed the connection, which cancels the request.
void HttpResponder::on_gone() noexcept {
    reply_ = nullptr;
    auto* const work = std::exchange(work_, nullptr);
    if (work != nullptr) work->on_cancel("the client has closed the connection");
    release();
}

void HttpResponder::give_up() noexcept {
    if (reply_ == nullptr) return;
    reply_->watch(nullptr);
    on_gone();
}

void HttpResponder::on_silence() {
    if (can_stream_) begin_stream();
}

void HttpResponder::release() noexcept {
    reply_ = nullptr;
    work_ = nullptr;
    owner_.on_ended(*this);
}

}  // namespace lanyard::http
