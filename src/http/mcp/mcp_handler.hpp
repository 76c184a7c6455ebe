// McpHandler: serves MCP over HTTP (MCP specification, basic/transports): stateless requests,
// sessions, and HTTP+SSE of 2024-11-05, all from one server.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "http/mcp/http_responder.hpp"
#include "http/mcp/mcp_counters.hpp"
#include "http/mcp/post_classifier.hpp"
#include "http/mcp/session_table.hpp"
#include "http/mcp/websocket_server.hpp"
#include "http/server/request_handler.hpp"
#include "lanyard/http/mcp_options.hpp"
#include "lanyard/transport.hpp"
#include "peer/responder.hpp"
#include "runtime/event.hpp"

namespace lanyard::http {

class McpHandler final : public RequestHandler, private HttpResponder::Owner, private SessionOwner {
public:
    /// `server` must outlive this object. `shared` is the same object for all loops of a listener.
    McpHandler(Endpoint& server, boost::asio::any_io_executor executor,
               McpHttpOptions const& options, std::shared_ptr<EndpointShared> shared,
               LoopPlace place = {});
    ~McpHandler() override;
    McpHandler(McpHandler const&) = delete;
    McpHandler& operator=(McpHandler const&) = delete;

    void on_request(HttpRequest const& request, Reply& reply) override;
    void end_replies() noexcept override;
    Task<> ended() override;

    McpCounters const& counters() const noexcept { return shared_->counters; }
    /// The part that serves WebSockets; null if they are not served.
    WebSocketServer const* websockets() const noexcept { return websockets_.get(); }

private:
    using Kind = HttpSession::Kind;

    /// If the request belongs to a session of another loop, passes it to that loop and returns
    /// true.
    bool pass_on(HttpRequest const& request, Reply& reply);
    void on_post(HttpRequest const& request, Reply& reply);
    void on_get(HttpRequest const& request, Reply& reply);
    void on_delete(HttpRequest const& request, Reply& reply);
    void on_sse_stream(HttpRequest const& request, Reply& reply);
    void on_sse_message(HttpRequest const& request, Reply& reply);

    void deliver_unreadable(rpc::Malformed const& message, HttpRequest const& request);
    void serve_stateless(rpc::Envelope const& envelope, HttpRequest const& request, Reply& reply);
    void serve_in_session(rpc::Envelope const& envelope, Post const& post,
                          HttpRequest const& request, Reply& reply);
    void serve_stateless_session(rpc::Envelope const& envelope, Post const& post,
                                 HttpRequest const& request, Reply& reply);
    void deliver(HttpSession& session, rpc::Envelope const& envelope, Post const& post,
                 HttpRequest const& request, Reply& reply);
    bool check_version(HttpSession const& session, Post const& post, rpc::Envelope const& envelope,
                       HttpRequest const& request, Reply& reply);
    /// Returns the session that the request names, or null after refusing the request.
    std::shared_ptr<HttpSession> named_session(HttpRequest const& request, Reply& reply);

    /// Opens a session. If there are too many, refuses the request and returns null.
    std::shared_ptr<HttpSession> open_session(Kind kind, HttpRequest const& request, Reply& reply);
    std::shared_ptr<HttpSession> start(Kind kind, std::string_view id,
                                       std::shared_ptr<Principal const> principal,
                                       EventOwner owner = 0);
    /// Starts a session of Kind::stateless. If a version is given, the session needs no handshake.
    std::shared_ptr<HttpSession> start_stateless(std::optional<Version> version);
    void begin(std::shared_ptr<HttpSession> const& session);
    void serve(std::shared_ptr<HttpSession> const& session);
    std::shared_ptr<HttpSession> take_stateless(Version version);

    void refuse(Reply& reply, wire::WireError const& error, std::string_view id = {},
                std::chrono::seconds retry_after = std::chrono::seconds(1));
    void refuse(Reply& reply, wire::Condition condition, HttpRequest const& request,
                std::string_view id = {});

    void on_stop(Duration grace) noexcept override;
    void on_ended(HttpResponder& responder) noexcept override;
    void on_free(HttpSession& session) noexcept override;
    void on_ended(HttpSession& session) noexcept override;
    void on_resume(HttpSession& session) override { serve(session.shared_from_this()); }
    void on_released() noexcept override { released_.notify(); }
    bool is_stopping() const noexcept override { return stopping(); }
    void on_sweep();
    void arm();
    template <class F>
    static void guarded(HttpSession& session, F const& function);

    Endpoint& server_;
    std::shared_ptr<rpc::RequestEntry> entry_;
    PostClassifier classifier_;
    std::shared_ptr<SessionShared> shared_;
    SessionTable table_;
    std::unique_ptr<WebSocketServer> websockets_;
    rpc::EnvelopeReader reader_;
    std::vector<std::unique_ptr<HttpResponder>> responders_;
    std::vector<HttpResponder*> free_responders_;
    std::vector<std::shared_ptr<HttpSession>> free_stateless_;
    std::uint64_t stateless_ = 0;
    std::unique_ptr<Alarm> alarm_;
    TimePoint next_sweep_for_room_ = TimePoint::min();
    bool armed_ = false;
    runtime::Event released_;
};

/// Makes the request handler of one loop of a listener.
std::unique_ptr<RequestHandler> make_mcp_endpoint(Endpoint& server,
                                                  boost::asio::any_io_executor executor,
                                                  McpHttpOptions const& options,
                                                  std::shared_ptr<EndpointShared> shared,
                                                  LoopPlace place = {});

}  // namespace lanyard::http
