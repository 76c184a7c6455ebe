// Questions to the client while its request is being served. A question is either sent on the
// connection or put into a result that makes the client repeat the request.
#include <algorithm>

#include <boost/asio/this_coro.hpp>

#include "crypto/random_id.hpp"
#include "lanyard/json/writer.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"
#include "protocol/capability_check.hpp"
#include "runtime/post.hpp"
#include "server/call/call.hpp"
#include "wire/registry.hpp"
#include "wire/tables/input_required.hpp"

namespace lanyard::server {

namespace {

MethodInfo const& method_of(InputRequest const& question) noexcept {
    if (std::holds_alternative<ElicitParams>(question)) return methods::Elicit::info;
    if (std::holds_alternative<CreateMessageParams>(question)) return methods::CreateMessage::info;
    return methods::ListRoots::info;
}

std::string encode_question(InputRequest const& question, Version version) {
    wire::RequestStamp const stamp{.version = version};
    return std::visit([&](auto const& params) { return wire::params_text(params, stamp); },
                      question);
}

void set_progress_token(InputRequest& question, ProgressToken const& token) {
    auto const set = [&](auto& params) { params.meta.set_progress_token(token); };
    if (auto* const elicit = std::get_if<ElicitParams>(&question)) {
        std::visit(set, *elicit);
    } else if (auto* const sample = std::get_if<CreateMessageParams>(&question)) {
        set(*sample);
    } else {
        set(std::get<ListRootsParams>(question));
    }
}

template <class T>
InputResponse decode_as(json::View result, Version version, std::string_view method,
                        std::vector<DecodeError>& skipped) {
    auto value = wire::decode_result<T>(result, version, &skipped);
    if (!value) {
        throw Error(Errc::protocol_violation, "the client's answer to " + std::string(method) +
                                                  " is malformed: " + value.error().to_string());
    }
    return std::move(*value);
}

InputResponse decode_answer(InputRequest const& question, json::View result, Version version,
                            std::vector<DecodeError>& skipped) {
    auto const method = method_of(question).name;
    if (std::holds_alternative<ElicitParams>(question)) {
        return decode_as<ElicitResult>(result, version, method, skipped);
    }
    if (std::holds_alternative<CreateMessageParams>(question)) {
        return decode_as<CreateMessageResult>(result, version, method, skipped);
    }
    return decode_as<ListRootsResult>(result, version, method, skipped);
}

}  // namespace

/// A question that has been sent and not answered. The connection refers to this object until the
/// answer arrives, even if the handler has ended in the meantime.
class Call::LiveQuestion final : public rpc::AnswerSink,
                                 public OpenQuestion,
                                 public std::enable_shared_from_this<LiveQuestion> {
public:
    // How the question ended. The last alternative needs no memory.
    using Outcome = std::variant<RawJson, Error, std::bad_alloc>;

    LiveQuestion(std::shared_ptr<ServerCore> core, AskedQuestion asked, Version version,
                 boost::asio::any_io_executor waiter)
        : core_(std::move(core)),
          question_(std::move(asked.request)),
          on_progress_(std::move(asked.on_progress)),
          wants_progress_(static_cast<bool>(on_progress_)),
          timeout_(asked.timeout),
          version_(version),
          waiter_(std::move(waiter)),
          answered_(waiter_) {
        if (wants_progress_) {
            token_ = ProgressToken("p" + std::to_string(core_->random().bits()));
            set_progress_token(question_, token_);
        }
        params_ = encode_question(question_, version);
    }

    // The following functions run on the connection's executor.

    void send(Calls& calls, CallResponder& responder, Duration max_timeout) {
        open(calls, shared_from_this());
        rpc::RequestSettings options;
        options.timeout = std::min(timeout_.value_or(max_timeout), max_timeout);
        options.max_total = max_timeout;
        if (wants_progress_) {
            options.progress = true;
            options.progress_token = token_;
        }
        try {
            id_ = responder.ask(method_of(question_).name, params_, *this, options).value();
        } catch (Error const& error) {
            settle(error);
        } catch (std::exception const&) {
            settle(std::bad_alloc());
        }
    }
    void give_up(CallResponder& responder) {
        if (id_) responder.cancel_question(*id_, "the request it belongs to has ended");
    }
    void on_answer(rpc::Answer const& answer) noexcept override {
        id_.reset();
        try {
            if (answer.result) {
                settle(RawJson::trusted(std::string(answer.result->raw())));
            } else {
                settle(*answer.error);
            }
        } catch (std::bad_alloc const&) {
            settle(std::bad_alloc());
        }
    }
    void on_progress(rpc::ProgressUpdate const& update) noexcept override {
        try {
            ProgressParams progress;
            progress.progress_token = token_;
            progress.progress = update.progress;
            progress.total = update.total;
            progress.message = update.message.value_or("");
            boost::asio::post(waiter_, [question = shared_from_this(), progress] {
                question->pass_progress(progress);
            });
        } catch (std::bad_alloc const&) {
            // Out of memory: this progress is dropped.
        }
    }
    void settle(Outcome const& outcome) {
        runtime::post_always(waiter_, [question = shared_from_this(), outcome] {
            question->outcome_ = outcome;
            question->answered_.notify();
        });
        close();
    }

    // The following functions run on the handler's executor.

    Task<> wait() {
        while (!outcome_) co_await answered_.wait();
    }
    InputResponse answer(PeerInfo const& client) const {
        if (auto const* error = std::get_if<Error>(&*outcome_)) throw *error;
        if (auto const* error = std::get_if<std::bad_alloc>(&*outcome_)) throw *error;
        // Parsing cannot fail: the text has been parsed as a part of the message.
        auto const& text = std::get<RawJson>(*outcome_).text();
        json::ParseOptions options;
        options.max_bytes = text.size();
        json::Document document;
        auto const result = document.parse(text, options);
        std::vector<DecodeError> skipped;
        auto answer = decode_answer(question_, *result, version_, skipped);
        core_->log_skipped(client, method_of(question_).name, skipped);
        return answer;
    }
    /// From now on, progress is dropped, because the handler that asked may have ended.
    void drop_progress() noexcept { on_progress_ = nullptr; }

private:
    void pass_progress(ProgressParams const& progress) const noexcept {
        if (!on_progress_ || outcome_) return;
        std::string failure = "an exception of unknown type";
        try {
            on_progress_(progress);
            return;
        } catch (std::exception const& error) {
            failure = error.what();
        } catch (...) {
            // `failure` already describes this case.
        }
        core_->log(LoggingLevel::error, any_client, "a progress handler failed: " + failure);
    }

    std::shared_ptr<ServerCore> core_;
    InputRequest question_;
    std::function<void(ProgressParams const&)> on_progress_;  // used on the handler's executor only
    bool wants_progress_;
    std::optional<Duration> timeout_;
    ProgressToken token_{};
    Version version_;
    std::string params_;
    boost::asio::any_io_executor waiter_;
    runtime::Event answered_;
    std::optional<Outcome> outcome_;
    std::optional<std::int64_t> id_;
};

void Call::check_askable(InputRequest const& question) const {
    auto const& capabilities = request_.client().capabilities;
    auto const& method = method_of(question);
    // Does not check whether the method exists in this revision: a client that declares the
    // capability can answer.
    protocol::check_capability(method, capabilities, request_.version()).value();
    if (auto const* elicit = std::get_if<ElicitParams>(&question)) {
        protocol::check_capability(*elicit, capabilities).value();
    } else if (auto const* sample = std::get_if<CreateMessageParams>(&question)) {
        protocol::check_capability(*sample, capabilities, request_.version()).value();
    }
}

Task<std::vector<InputResponse>> Call::ask(std::vector<AskedQuestion> questions) {
    for (auto const& question : questions) check_askable(question.request);
    if (!supports(Feature::input_required, request_.version())) {
        co_return co_await ask_live(std::move(questions));
    }
    auto const found =
        wire::find_request(request_.method(), request_.version(), wire::Side::server);
    if (found.info == nullptr || !wire::allows_input_required(*found.info)) {
        throw Error(Errc::unsupported_in_era,
                    "the client cannot be asked during " + std::string(request_.method()));
    }
    std::vector<InputResponse> answers;
    for (auto& question : questions) {
        if (auto const* answer = rounds_.find(question.key, question.request)) {
            answers.push_back(*answer);
        } else {
            rounds_.ask(std::move(question.key), std::move(question.request));
        }
    }
    if (rounds_.asking()) throw InputRequired();
    co_return answers;
}

Task<std::vector<InputResponse>> Call::ask_live(std::vector<AskedQuestion> questions) {
    auto const executor = co_await boost::asio::this_coro::executor;
    std::vector<std::shared_ptr<LiveQuestion>> live;
    std::vector<std::string> url_elicitations;
    for (auto& question : questions) {
        auto* const elicit = std::get_if<ElicitParams>(&question.request);
        auto* const url = elicit != nullptr ? std::get_if<ElicitUrlParams>(elicit) : nullptr;
        if (url != nullptr && url->elicitation_id.empty()) {
            url->elicitation_id = crypto::random_id(core_->random());
        } else if (url != nullptr) {
            url_elicitations.push_back(url->elicitation_id);
        }
        live.push_back(std::make_shared<LiveQuestion>(core_, std::move(question),
                                                      request_.version(), executor));
    }
    auto const self = shared_from_this();
    auto const max_timeout = core_->options().request_state_expiry();
    mailbox_->post([self, live, url_elicitations, max_timeout] {
        if (self->home_ == nullptr || self->responder_ == nullptr) {
            for (auto const& question : live) {
                question->settle(Error(Errc::closed, "the connection is closed"));
            }
            return;
        }
        self->flush_messages();
        for (auto const& id : url_elicitations) self->home_->add_url_elicitation(id);
        for (auto const& question : live) {
            question->send(*self->home_, *self->responder_, max_timeout);
        }
        self->responder_->flush();
    });
    std::exception_ptr failure;
    try {
        for (auto const& question : live) co_await question->wait();
    } catch (...) {
        failure = std::current_exception();
    }
    for (auto const& question : live) question->drop_progress();
    if (failure) {
        auto const give_up = [self, live] {
            if (self->home_ == nullptr || self->responder_ == nullptr) return;
            for (auto const& question : live) question->give_up(*self->responder_);
            self->responder_->flush();
        };
        // The questions must be cancelled before the call ends. If the handler runs on the
        // connection's executor, the call ends when the handler has returned, so the questions are
        // cancelled now. Otherwise the handler's thread will post the end of the call, so the
        // cancellation is posted first.
        if (task_.executor || cancellation_.is_waiting()) {
            mailbox_->post(give_up);
        } else {
            give_up();
        }
        std::rethrow_exception(failure);
    }
    std::vector<InputResponse> answers;
    answers.reserve(live.size());
    for (auto const& question : live) answers.push_back(question->answer(request_.peer()));
    co_return answers;
}

void Call::ask_by_result() {
    auto const binding =
        bind_state(request_.peer().identity, request_.method(), request_.parse_params());
    auto const expiry =
        core_->time().wall() + std::chrono::duration_cast<std::chrono::milliseconds>(
                                   core_->options().request_state_expiry());
    auto const result = rounds_.result(core_->seal(), binding, expiry);
    std::string text;
    json::Writer writer(text);
    auto const encoded = wire::encode_result(writer, result, core_->stamp(request_.version()));
    if (!encoded) {
        answer_failure(std::make_exception_ptr(encoded.error()));
    } else if (auto* const out = responder_->begin_result()) {
        out->append(text);
        responder_->end_result();
    }
}

}  // namespace lanyard::server
