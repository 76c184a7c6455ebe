// FeatureRequests: routes requests for tools, resources, prompts and completion to their handlers.
#pragma once

#include "server/call.hpp"
#include "server/catalog.hpp"
#include "server/resolver.hpp"

namespace lanyard::server {

/// One for each executor. Not thread-safe.
class FeatureRequests {
public:
    explicit FeatureRequests(ServerCore& core) : core_(core), catalog_(core.catalog()) {}

    /// Serves the request: the call ends by itself.
    void serve(Call& call, Exchange& exchange, Arrival const& arrival);
    /// Keeps the resources that whoever sends the request may read, as far as that can be told at
    /// once. The call is not used any further.
    void keep_readable(Call& call, Exchange& exchange, Arrival const& arrival,
                       std::vector<std::string>& uris);

    /// The same for tools/call.
    void call_tool(Call& call, Exchange& exchange, Arrival const& arrival);

private:
    void find_tool(Call& call, Arrival const& arrival);
    /// The params of a request that may repeat an earlier one with answers.
    template <class Params>
    Result<Params, DecodeError> decode_repeatable(Arrival const& arrival);
    template <class Find>
    void run_found(Call& call, Arrival const& arrival, Find const& find);
    void list(Call& call, Exchange& exchange, Arrival const& arrival, FeatureKind kind);
    void read(Call& call, Exchange& exchange, Arrival const& arrival);
    void get_prompt(Call& call, Exchange& exchange, Arrival const& arrival);
    void complete(Call& call, Exchange& exchange, Arrival const& arrival);
    /// Takes the answers that come with a repeated request; ends the call where they are refused.
    bool resume(Call& call, InputRetry retry, Arrival const& arrival);
    std::shared_ptr<Resolver> resolver(Call& call);

    ServerCore& core_;
    CatalogReader catalog_;
};

}  // namespace lanyard::server
