// FeatureRequests: routes requests for tools, resources, prompts and completion to their handlers.
#pragma once

#include "lanyard/protocol/methods.hpp"
#include "server/call/call.hpp"
#include "server/catalog/catalog.hpp"
#include "server/catalog/resolver.hpp"

namespace lanyard::server {

/// There is one FeatureRequests object for each executor. Not thread-safe.
class FeatureRequests {
public:
    explicit FeatureRequests(ServerCore& core) : core_(core), catalog_(core.catalog()) {}

    /// Whether serve_unchecked() may be called without any other check, in particular without
    /// ServingGroup::check_offered(). This saves time for tools/call, the most frequent request: if
    /// the tool is found, the server offers tools, so no check is needed.
    static bool may_serve_unchecked(rpc::Envelope const& request) noexcept {
        return request.method == methods::CallTool::info.name;
    }
    /// Serves a request for which may_serve_unchecked() is true. Ends the call with an answer, now
    /// or later.
    void serve_unchecked(Call& call, CallResponder& responder, Arrival const& arrival) {
        call_tool(call, responder, arrival);
    }
    /// Serves any other request. Ends the call with an answer, now or later.
    void serve(Call& call, CallResponder& responder, Arrival const& arrival);
    /// Decides which of these resources the sender of the request may read, as far as this is
    /// possible without asking a provider. There are three cases:
    ///
    /// - Without user filters, removes the other URIs from `uris`, releases the call and returns
    ///   true.
    /// - With user filters, returns false. When the filters have decided, releases the call and
    ///   passes the remaining URIs to `later`.
    /// - If the request is too large to wait for filters, refuses it and returns false. `later` is
    ///   not called.
    bool keep_readable(Call& call, CallResponder& responder, Arrival const& arrival,
                       std::vector<std::string>& uris,
                       std::function<void(std::vector<std::string>)> later);

private:
    void call_tool(Call& call, CallResponder& responder, Arrival const& arrival);
    void find_tool(Call& call, Arrival const& arrival);
    /// Decodes the params of a request that may be a retry: the repetition of an earlier request,
    /// with the client's answers to the server's questions.
    template <class Params>
    Result<Params, DecodeError> decode_repeatable(Arrival const& arrival);
    template <class Find>
    void run_found(Call& call, Arrival const& arrival, Find const& find);
    void list(Call& call, CallResponder& responder, Arrival const& arrival, FeatureKind kind);
    void read(Call& call, CallResponder& responder, Arrival const& arrival);
    void get_prompt(Call& call, CallResponder& responder, Arrival const& arrival);
    void complete(Call& call, CallResponder& responder, Arrival const& arrival);
    /// Reads the answers that the client sends with a retry. If they are refused, ends the call and
    /// returns false.
    bool resume(Call& call, InputRetry retry, Arrival const& arrival);
    std::shared_ptr<Resolver> resolver(Call& call);

    ServerCore& core_;
    CatalogReader catalog_;
};

}  // namespace lanyard::server
