#include "client/mrtr.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "client/client_session.hpp"
#include "lanyard/protocol/features.hpp"
#include "runtime/await_on.hpp"

namespace lanyard::client {

void check_round(ClientSession& session, std::string_view method, std::size_t round) {
    if (round < session.options().max_input_rounds()) return;
    session.reports().limits().add(&ClientLimitCounts::rounds);
    throw Error(Errc::failed, "the server still asks for input after " + std::to_string(round) +
                                  " rounds of " + std::string(method));
}

void check_retry(ClientSession const& session, CallOptions const& options) {
    if (options.stop_token().stop_requested()) {
        throw Error(Errc::cancelled, "the call was cancelled");
    }
    if (supports(Feature::result_types, session.version())) return;
    throw Error(Errc::transport_down, "the connection was lost between two rounds of the call");
}

namespace {

// Returns the error to report to the caller. `failure` is the exception that was thrown while the
// question was checked or answered; `key` names the question.
Error to_error(std::exception_ptr const& failure, std::string const& key) {
    auto const question = "the server's question \"" + key + "\"";
    std::string reason;
    try {
        std::rethrow_exception(failure);
    } catch (DecodeError const& error) {
        return {Errc::protocol_violation, question + " is out of place: " + error.to_string()};
    } catch (Error const& error) {
        return error;
    } catch (boost::system::system_error const& error) {
        if (error.code() == boost::asio::error::operation_aborted) {
            return {Errc::cancelled, "the call was cancelled"};
        }
        reason = error.what();
    } catch (std::exception const& error) {
        reason = error.what();
    } catch (...) {
        reason = "its handler threw something unknown";
    }
    return {Errc::failed, question + " could not be answered: " + reason};
}

}  // namespace

Task<InputRetry> answer_questions(std::shared_ptr<ClientSession> session, InputRequiredResult asked,
                                  std::shared_ptr<CallHandlers const> of_call) {
    InputRetry retry;
    retry.request_state = std::move(asked.request_state);
    QuestionHandlers const handlers{std::move(of_call), "the call has no handler for it"};
    for (auto& [key, request] : asked.input_requests) {
        std::exception_ptr failure;
        try {
            auto answering =
                session->questions().answer(std::move(request), session->version(), handlers);
            auto running = runtime::await_on(session->user_executor(), std::move(answering));
            auto response = co_await std::move(running);
            retry.input_responses.emplace(key, std::move(response));
        } catch (...) {
            failure = std::current_exception();
        }
        if (failure) throw to_error(failure, key);
    }
    co_return retry;
}

}  // namespace lanyard::client
