// Answers the server's questions to the client's model and user, and about its roots. The same
// handlers answer requests of the server and questions inside a result.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "lanyard/client/options.hpp"
#include "lanyard/protocol/input_required.hpp"

namespace lanyard::client {

/// The functions throw DecodeError for invalid params, Error (protocol_violation) for an invalid
/// answer of the handler, and whatever the handler throws.
class Questions {
public:
    explicit Questions(ClientOptions const& options);

    ClientCapabilities const& capabilities() const noexcept { return capabilities_; }

    Task<CreateMessageResult> sample(CreateMessageParams params, Version version) const;
    Task<ElicitResult> elicit(ElicitParams params) const;
    Task<ListRootsResult> list_roots() const;
    Task<InputResponse> answer(InputRequest request, Version version) const;

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
