// Questions that a client answers by repeating its request (MCP specification,
// basic/patterns/mrtr). The client also stores the earlier answers for the server, in an encrypted
// ("sealed") state.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "crypto/sealed_state.hpp"
#include "lanyard/json/raw_json.hpp"
#include "lanyard/protocol/input_required.hpp"

namespace lanyard::server {

/// Thrown to leave a handler that asks a question which the client has not answered yet. Not
/// derived from std::exception, so that a handler that catches std::exception does not catch it.
struct InputRequired {};

/// Returns a string that identifies the client, the method and the arguments. A sealed state can be
/// used only by a request with the same string.
std::string bind_state(std::string_view identity, std::string_view method, json::View params);

/// The questions and answers of one request, including its repetitions.
class InputRounds {
public:
    void clear() noexcept {
        if (!questions_.empty()) questions_.clear();
        if (!answers_.empty()) answers_.clear();
        if (!kept_.empty()) kept_.clear();
    }
    /// Whether there are open questions, so that the request has to be repeated with answers.
    bool asking() const noexcept { return !questions_.empty(); }

    /// Returns the answer to the question, or null if there is no answer of the right kind.
    InputResponse const* find(std::string const& key, InputRequest const& question) const;
    void ask(std::string key, InputRequest question);

    std::optional<RawJson> recall(std::string_view key) const;
    void remember(std::string key, RawJson value);

    /// Reads the answers and the state that a client sends with a repeated request. The error is
    /// for the log: the client is only informed that its state was refused.
    Result<void, crypto::OpenError> resume(InputRetry retry, crypto::SealedState const& seal,
                                           std::string_view binding, WallTime now);
    /// Returns the result that asks the open questions and contains the sealed state.
    InputRequiredResult result(crypto::SealedState const& seal, std::string_view binding,
                               WallTime expiry);

private:
    InputRequests questions_;
    InputResponses answers_;
    std::map<std::string, RawJson, std::less<>> kept_;
};

}  // namespace lanyard::server
