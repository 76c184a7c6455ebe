// McpEndpoint: serves MCP over HTTP (basic/transports): stateless requests, sessions, and HTTP+SSE
// of 2024-11-05, all from one server.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "http/mcp/http_exchange.hpp"
#include "http/mcp/mcp_counters.hpp"
#include "http/mcp/post_negotiation.hpp"
#include "http/mcp/session_table.hpp"
#include "http/mcp/websocket_server.hpp"
#include "http/server/request_handler.hpp"
#include "lanyard/http/mcp_options.hpp"
#include "lanyard/transport.hpp"
#include "peer/exchange.hpp"
#include "runtime/event.hpp"

namespace lanyard::http {

class McpEndpoint final : public RequestHandler, private HttpExchange::Owner, private SessionOwner {
public:
    /// `server` must outlive this object.
    McpEndpoint(Endpoint& server, boost::asio::any_io_executor executor,
                McpHttpOptions const& options);
    ~McpEndpoint() override;
    McpEndpoint(McpEndpoint const&) = delete;
    McpEndpoint& operator=(McpEndpoint const&) = delete;

    void on_request(Request const& request, Reply& reply) override;
    void on_stop(Duration grace) noexcept override;
    void end_replies() noexcept override;
    Task<> ended() override;

    McpCounters const& counters() const noexcept { return scope_->counters; }
    /// Null if WebSockets are not served.
    WebSocketServer const* websockets() const noexcept { return websockets_.get(); }

private:
    using Kind = HttpSession::Kind;

    void on_post(Request const& request, Reply& reply);
    void on_get(Request const& request, Reply& reply);
    void on_delete(Request const& request, Reply& reply);
    void on_sse_stream(Request const& request, Reply& reply);
    void on_sse_message(Request const& request, Reply& reply);

    void take_unreadable(rpc::Malformed const& message, Request const& request);
    void serve_alone(rpc::Envelope const& envelope, Request const& request, Reply& reply);
    void serve_in_session(rpc::Envelope const& envelope, Post const& post, Request const& request,
                          Reply& reply);
    void serve_single(rpc::Envelope const& envelope, Post const& post, Request const& request,
                      Reply& reply);
    void deliver(HttpSession& session, rpc::Envelope const& envelope, Post const& post,
                 Request const& request, Reply& reply);
    bool check_version(HttpSession const& session, Post const& post, rpc::Envelope const& envelope,
                       Request const& request, Reply& reply);
    /// Returns the session that the request names, or null after refusing the request.
    std::shared_ptr<HttpSession> named_session(Request const& request, Reply& reply);

    /// Opens a session. If there are too many, refuses the request and returns null.
    std::shared_ptr<HttpSession> open_session(Kind kind, Request const& request, Reply& reply);
    std::shared_ptr<HttpSession> start(Kind kind, std::string_view id,
                                       std::shared_ptr<Principal const> principal,
                                       EventOwner owner = 0);
    void serve(std::shared_ptr<HttpSession> const& session);
    std::shared_ptr<HttpSession> take_single(Version version);

    void refuse(Reply& reply, wire::WireError const& error, std::string_view id = {},
                std::chrono::seconds retry_after = std::chrono::seconds(1));
    void refuse(Reply& reply, wire::Condition condition, Request const& request,
                std::string_view id = {});

    void on_ended(HttpExchange& exchange) noexcept override;
    void on_free(HttpSession& session) noexcept override;
    void on_ended(HttpSession& session) noexcept override;
    void on_wake(HttpSession& session) override { serve(session.shared_from_this()); }
    void on_released() noexcept override { released_.notify(); }
    void on_sweep();
    void arm() noexcept;

    Endpoint& server_;
    std::unique_ptr<rpc::RequestPort> port_;
    PostJudge judge_;
    std::shared_ptr<SessionScope> scope_;
    SessionTable table_;
    std::unique_ptr<WebSocketServer> websockets_;
    rpc::EnvelopeReader reader_;
    std::vector<std::unique_ptr<HttpExchange>> exchanges_;
    std::vector<HttpExchange*> free_exchanges_;
    std::vector<std::shared_ptr<HttpSession>> free_singles_;
    std::uint64_t singles_ = 0;
    std::unique_ptr<Alarm> alarm_;
    TimePoint next_sweep_for_room_ = TimePoint::min();
    bool armed_ = false;
    runtime::Event released_;
};

/// Makes the request handler of a listener.
std::unique_ptr<RequestHandler> make_mcp_endpoint(Endpoint& server,
                                                  boost::asio::any_io_executor executor,
                                                  McpHttpOptions const& options);

}  // namespace lanyard::http
