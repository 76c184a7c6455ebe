#include "server/call/call.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "lanyard/protocol/methods.hpp"
#include "server/call/notification.hpp"
#include "server/call/tool_result.hpp"
#include "wire/tables/fields.hpp"

namespace lanyard::server {

namespace {

// Longer texts are freed when the call ends. Parameters have a smaller limit, because parsing them
// needs several times their size.
constexpr std::size_t max_kept_bytes = 64 * 1024;
constexpr std::size_t max_kept_params = 16 * 1024;
// The maximum number of messages that a handler can queue while the connection is busy.
constexpr std::size_t max_said = 1'000;

}  // namespace

Call::Call(Calls& home, std::uint32_t slot)
    : home_(&home),
      core_(home.shared_core()),
      mailbox_(home.mailbox()),
      loop_(home.loop()),
      slot_(slot),
      context_(*this) {}

void Call::begin(CallResponder& responder, Arrival const& arrival, std::string_view target) {
    auto const& envelope = arrival.envelope;
    responder_ = &responder;
    request_id_ = envelope.id->raw();
    method_ = envelope.method;
    target_ = target;
    params_ = envelope.params ? envelope.params->raw() : std::string_view();
    version_ = arrival.version;
    if (client_ != arrival.client) client_ = arrival.client;
    peer_ = &arrival.peer;
    log_level_ = arrival.log_level;
    received_ = arrival.received;
    in_use_ = true;
}

void Call::refuse(wire::WireError const& error) {
    responder_->fail(error);
    release();
}

void Call::end(std::exception_ptr const& failure) {
    uncount();
    // Returns if the connection has been closed in the meantime.
    if (home_ == nullptr) return;
    task_running_ = false;
    if (std::exchange(task_counted_, false) && --home_->tasks_ == 0) home_->idle_.notify();
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
            operation_->write(*out, core_->stamp(version_));
        }
        responder_->end_result();
    }
}

void Call::answer_failure(std::exception_ptr const& failure) {
    if (!responder_->active()) {
        responder_->abandon();
        return;
    }
    auto const told = operation_->translate(failure, version_, core_->random());
    auto const report = [this](std::string const& log, std::string const& reference) {
        if (log.empty()) return;
        core_->log(LoggingLevel::error, peer(),
                   std::string(method_) + " " + std::string(target_) + " failed" +
                       (reference.empty() ? "" : " (" + reference + ")") + ": " + log);
    };
    if (auto const* tool = std::get_if<wire::ToolFailure>(&told)) {
        report(tool->log, tool->reference);
        if (auto* const out = responder_->begin_result()) {
            append_tool_failure(*out, *tool, core_->stamp(version_));
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
    cancelled_ = true;
    std::optional<std::stop_source> stop;
    std::shared_ptr<BlockingWait> wait;
    {
        std::lock_guard const lock(messages_mutex_);
        stop = stop_;
        wait = wait_;
    }
    if (stop) stop->request_stop();
    if (wait) wait->cancel();
    if (!task_running_) return;
    auto const emit = [signal = signal_] { signal->emit(boost::asio::cancellation_type::all); };
    if (task_executor_) {
        boost::asio::post(task_executor_, emit);
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
    cancelled_ = true;
    std::lock_guard const lock(messages_mutex_);
    if (wait_) wait_->cancel();
}

void Call::wait(Task<> task) {
    if (in_place_) {
        throw Error(Errc::invalid_phase,
                    "a function that runs on the thread of the connections cannot wait for the "
                    "client; register it with blocking()");
    }
    auto const wait = std::make_shared<BlockingWait>();
    {
        std::lock_guard const lock(messages_mutex_);
        wait_ = wait;
    }
    // A cancel() from now on finds wait_, but an earlier cancel() did not.
    if (cancelled_) wait->cancel();
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
    {
        std::lock_guard const lock(messages_mutex_);
        wait_.reset();
    }
    if (failure) std::rethrow_exception(failure);
}

void Call::release() {
    responder_ = nullptr;
    operation_ = nullptr;
    owned_.reset();
    tool_.clear();
    rounds_.clear();
    if (outlives_message_) {
        outlives_message_ = false;
        kept_peer_.reset();
        chain_.reset();
        RawJson no_result;
        std::swap(chain_result_, no_result);
        task_executor_ = {};
        if (message_.size() > max_kept_params) document_ = json::Document();
        if (message_.capacity() > max_kept_bytes) std::string().swap(message_);
    }
    if (stop_) stop_.reset();
    if (kept_target_.capacity() > max_kept_bytes) std::string().swap(kept_target_);
    cancelled_.store(false, std::memory_order_relaxed);
    stats_.store(nullptr, std::memory_order_relaxed);
    decoded_ = false;
    in_place_ = false;
    ends_in_turn_ = false;
    answered_ = false;
    in_use_ = false;
    home_->give_back(*this);
}

Meta Call::meta() const {
    json::Document document;
    auto const params = document.parse(params_);
    auto const member = params ? params->find("_meta") : std::nullopt;
    if (!member) return {};
    return decode<Meta>(*member, version_).value_or(Meta());
}

std::stop_token Call::stop_token() {
    std::lock_guard const lock(messages_mutex_);
    if (!stop_) {
        stop_.emplace();
        if (cancelled_) stop_->request_stop();
    }
    return stop_->get_token();
}

void Call::report(rpc::ProgressUpdate update) {
    post(std::move(update));
}

void Call::log(LoggingLevel level, Json data, std::string_view logger) {
    if (!log_level_ || level < *log_level_) return;
    post(LogMessage{level, std::string(logger), std::move(data)});
}

void Call::release_stream() {
    post(StreamRelease());
}

void Call::post(HandlerMessage said) {
    bool first = false;
    {
        std::lock_guard const lock(messages_mutex_);
        first = messages_.empty();
        if (messages_.size() < max_said) {
            messages_.push_back(std::move(said));
        } else if (std::holds_alternative<rpc::ProgressUpdate>(said)) {
            messages_.back() = std::move(said);
        }
        has_messages_ = true;
        if (ends_in_turn_) return;
    }
    if (first) post_messages();
}

void Call::post_messages() {
    mailbox_->post([self = shared_from_this()] {
        if (self->home_ == nullptr || self->responder_ == nullptr) return;
        self->flush_messages();
        self->responder_->flush();
    });
}

void Call::flush_all_messages() {
    std::vector<HandlerMessage> said;
    {
        std::lock_guard const lock(messages_mutex_);
        said.swap(messages_);
        has_messages_ = false;
    }
    for (auto& one : said) {
        if (auto* const update = std::get_if<rpc::ProgressUpdate>(&one)) {
            responder_->progress(std::move(*update));
        } else if (auto const* const message = std::get_if<LogMessage>(&one)) {
            send_log(*message);
        } else {
            responder_->release_stream();
        }
    }
}

void Call::send_log(LogMessage const& message) {
    if (responder_->is_behind() || !home_->may_log(message.level)) return;
    LoggingMessageParams params;
    params.level = message.level;
    params.logger = message.logger;
    params.data = message.data;
    auto const text = notification_params(params, {.version = version_});
    if (text) responder_->notify(methods::LoggingMessage::info.name, *text);
}

}  // namespace lanyard::server
