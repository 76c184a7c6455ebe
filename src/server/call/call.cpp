#include "server/call/call.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "lanyard/protocol/methods.hpp"
#include "server/call/notification.hpp"
#include "server/call/tool_result.hpp"
#include "wire/tables/fields.hpp"

namespace lanyard::server {

Call::Call(Calls& home, std::uint32_t slot)
    : home_(&home),
      core_(home.shared_core()),
      mailbox_(home.mailbox()),
      loop_(home.loop()),
      slot_(slot),
      context_(*this) {}

void Call::refuse(wire::WireError const& error) {
    responder_->fail(error);
    release();
}

bool Call::reserve_large() {
    auto const bytes = request_.params().size();
    if (core_->pending_bytes().take(client_name(request_.peer()), bytes, reservation_)) return true;
    core_->limits().add(&LimitCounts::pending_bytes);
    refuse(wire::translate(wire::Condition::too_many_pending, request_.version(),
                           {.message = "the pending requests have too many bytes together"}));
    return false;
}

void Call::end(std::exception_ptr const& failure) {
    uncount();
    // The connection was closed in the meantime, so there is nothing to answer.
    if (home_ == nullptr) return;
    task_.running = false;
    if (std::exchange(task_.counted, false) && --home_->tasks_ == 0) home_->idle_.notify();
    flush_messages();
    if (after_filters_) return end_filters(failure);
    if (!answered_) answer(failure);
    if (!home_->batching()) responder_->flush();
    release();
}

void Call::end_filters(std::exception_ptr const& failure) {
    auto const then = std::exchange(after_filters_, nullptr);
    release();
    then(failure);
}

void Call::answer(std::exception_ptr const& failure) {
    answered_ = true;
    if (rounds_.asking()) {
        ask_by_result();
    } else if (failure) {
        answer_failure(failure);
    } else if (auto* const out = responder_->begin_result()) {
        if (chain_) {
            out->append(chain_result_.text());
        } else {
            operation_->write(*out, core_->stamp(request_.version()));
        }
        responder_->end_result();
    }
}

void Call::answer_failure(std::exception_ptr const& failure) {
    if (!responder_->active()) {
        responder_->abandon();
        return;
    }
    auto const told = operation_->translate(failure, request_.version(), core_->random());
    auto const report = [this](std::string const& log, std::string const& reference) {
        if (log.empty()) return;
        core_->log(LoggingLevel::error, request_.peer(),
                   std::string(request_.method()) + " " + std::string(request_.target()) +
                       " failed" + (reference.empty() ? "" : " (" + reference + ")") + ": " + log);
    };
    if (auto const* tool = std::get_if<wire::ToolFailure>(&told)) {
        report(tool->log, tool->reference);
        if (auto* const out = responder_->begin_result()) {
            append_tool_failure(*out, *tool, core_->stamp(request_.version()));
            responder_->end_result();
        }
        return;
    }
    auto const& error = std::get<wire::FailureAnswer>(told);
    report(error.log, error.reference);
    // Sends the error even if the handler threw Error (cancelled), because the client has not
    // cancelled the request and is waiting for an answer.
    responder_->fail(error.error);
}

void Call::cancel() {
    cancellation_.request();
    if (!task_.running) return;
    auto const emit = [signal = task_.signal] {
        signal->emit(boost::asio::cancellation_type::all);
    };
    if (task_.executor) {
        boost::asio::post(task_.executor, emit);
    } else {
        emit();
    }
}

void Call::on_timeout() {
    if (answered_) return;
    answered_ = true;
    answer_failure(
        std::make_exception_ptr(Error(Errc::timeout, "the call took too long and was stopped")));
    responder_->flush();
    cancel();
}

void Call::detach() noexcept {
    unlink();
    home_ = nullptr;
    responder_ = nullptr;
    cancellation_.end_wait();
}

void Call::wait(Task<> task) {
    if (in_place_) {
        throw Error(Errc::invalid_phase,
                    "a function that runs on the thread of the connections cannot wait for the "
                    "client; register it with blocking()");
    }
    auto const wait = std::make_shared<BlockingWait>();
    cancellation_.begin_wait(wait);
    std::exception_ptr failure;
    try {
        wait->run(std::move(task));
    } catch (boost::system::system_error const& error) {
        bool const cancelled = error.code() == boost::asio::error::operation_aborted;
        failure = cancelled ? std::make_exception_ptr(
                                  Error(Errc::cancelled, "the call was cancelled meanwhile"))
                            : std::current_exception();
    } catch (...) {
        failure = std::current_exception();
    }
    cancellation_.clear_wait();
    if (failure) std::rethrow_exception(failure);
}

void Call::release() {
    responder_ = nullptr;
    operation_ = nullptr;
    owned_.reset();
    tool_.clear();
    rounds_.clear();
    if (request_.outlives_message()) {
        chain_.reset();
        RawJson no_result;
        std::swap(chain_result_, no_result);
        task_.executor = {};
    }
    request_.clear();
    reservation_.release();
    cancellation_.clear();
    stats_.store(nullptr, std::memory_order_relaxed);
    decoded_ = false;
    in_place_ = false;
    messages_.clear();
    log_limit_.reset();
    answered_ = false;
    in_use_ = false;
    home_->give_back(*this);
}

void Call::report(rpc::ProgressUpdate update) {
    post(std::move(update));
}

void Call::log(LoggingLevel level, Json data, std::string_view logger) {
    if (!request_.wants_log(level)) return;
    post(HandlerLog{level, std::string(logger), std::move(data)});
}

void Call::release_stream() {
    post(StreamRelease());
}

void Call::post(HandlerMessage message) {
    switch (messages_.add(std::move(message))) {
        case HandlerMessages::Added::first:
            post_messages();
            break;
        case HandlerMessages::Added::log_dropped:
            core_->limits().add(&LimitCounts::dropped_log_messages);
            break;
        case HandlerMessages::Added::waiting:
            break;
    }
}

void Call::post_messages() {
    mailbox_->post([self = shared_from_this()] {
        if (self->home_ == nullptr || self->responder_ == nullptr) return;
        self->flush_messages();
        self->responder_->flush();
    });
}

void Call::flush_all_messages() {
    for (auto& one : messages_.take()) {
        if (auto* const update = std::get_if<rpc::ProgressUpdate>(&one)) {
            responder_->progress(std::move(*update));
        } else if (auto const* const message = std::get_if<HandlerLog>(&one)) {
            send_log(*message);
        } else {
            responder_->release_stream();
        }
    }
}

void Call::send_log(HandlerLog const& message) {
    if (responder_->is_behind() || !log_limit_.allows(message.level, home_->now())) {
        core_->limits().add(&LimitCounts::dropped_log_messages);
        return;
    }
    LoggingMessageParams params;
    params.level = message.level;
    params.logger = message.logger;
    params.data = message.data;
    auto const text = notification_params(params, {.version = request_.version()});
    if (text) responder_->notify(methods::LoggingMessage::info.name, *text);
}

}  // namespace lanyard::server
