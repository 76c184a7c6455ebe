// Questions that are answered by sending the request again (basic/patterns/mrtr): what has been
// answered so far travels with the client, sealed.
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

/// Thrown through a handler whose question has no answer yet. Not a std::exception, so that a
/// handler that catches those lets it pass.
struct InputRequired {};

/// What a sealed state is good for: this client, this method, these arguments.
std::string bind_state(std::string_view identity, std::string_view method, json::View params);

/// The questions and answers of one request over all its rounds.
class InputRounds {
public:
    void clear() noexcept {
        if (!questions_.empty()) questions_.clear();
        if (!answers_.empty()) answers_.clear();
        if (!kept_.empty()) kept_.clear();
    }
    /// True where the request has to be sent again with answers.
    bool asking() const noexcept { return !questions_.empty(); }

    /// The answer, where it is there and of the question's kind.
    InputResponse const* find(std::string const& key, InputRequest const& question) const;
    void ask(std::string key, InputRequest question);

    std::optional<RawJson> recall(std::string_view key) const;
    void remember(std::string key, RawJson value);

    /// Takes what a client sends along when it repeats its request. The error is for the log: the
    /// client learns only that its state was refused.
    Result<void, crypto::OpenError> resume(InputRetry retry, crypto::SealedState const& seal,
                                           std::string_view binding, WallTime now);
    /// What the client is asked, with everything that is known by now.
    InputRequiredResult result(crypto::SealedState const& seal, std::string_view binding,
                               WallTime expiry);

private:
    InputRequests questions_;
    InputResponses answers_;
    std::map<std::string, RawJson, std::less<>> kept_;
};

}  // namespace lanyard::server
