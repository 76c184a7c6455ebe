// Answers the server's questions: to the client's model (sampling), to its user (elicitation) and
// about its roots. The same handlers answer requests of the server and questions inside a result.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "lanyard/client/call_options.hpp"
#include "lanyard/client/options.hpp"
#include "lanyard/protocol/input_required.hpp"

namespace lanyard::client {

using lanyard::detail::CallHandlers;

/// The handlers for one question. A handler of the call that the question belongs to has precedence
/// over the client's handler.
struct QuestionHandlers {
    /// The handlers of the call; null if the question belongs to no call.
    std::shared_ptr<CallHandlers const> of_call{};
    /// The reason that a refusal states if neither the call nor the client has a handler for the
    /// question.
    std::string_view why = "no call with a handler for it is pending";
    /// Passed to the handler.
    ProgressReporter progress{};
};

/// The functions that answer a question throw DecodeError for invalid params, Error
/// (protocol_violation) for an invalid answer of the handler, Refusal if no handler can answer, and
/// whatever the handler throws.
class Questions {
public:
    explicit Questions(ClientOptions const& options);

    ClientCapabilities const& capabilities() const noexcept { return capabilities_; }

    Task<CreateMessageResult> sample(CreateMessageParams params, Version version,
                                     QuestionHandlers handlers) const;
    Task<ElicitResult> elicit(ElicitParams params, QuestionHandlers handlers) const;
    Task<ListRootsResult> list_roots(QuestionHandlers handlers) const;
    Task<InputResponse> answer(InputRequest request, Version version,
                               QuestionHandlers handlers) const;

    bool has_roots() const noexcept { return capabilities_.roots.has_value(); }
    /// May be called while a question is being answered on another thread. Throws Error
    /// (invalid_argument) for an invalid root.
    void set_roots(std::vector<Root> roots);

private:
    ClientOptions const& options_;
    ClientCapabilities capabilities_;
    std::atomic<std::shared_ptr<std::vector<Root> const>> roots_;
};

}  // namespace lanyard::client
