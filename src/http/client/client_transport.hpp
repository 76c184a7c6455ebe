// The client's side of HTTP with sockets: connections, timers, and the Transport that a session
// uses. The protocol is implemented by ClientMachine, CallPool and ClientWire, which do no I/O.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/ip/tcp.hpp>

#include "http/client/call_pool.hpp"
#include "http/client/client_machine.hpp"
#include "http/client/client_wire.hpp"
#include "http/client/proxy.hpp"
#include "http/message/url.hpp"
#include "lanyard/http/client.hpp"
#include "lanyard/transport.hpp"
#include "runtime/event.hpp"
#include "sockets/dialer.hpp"

namespace lanyard::http {

/// The address to connect to, and the settings of the connections.
struct ClientRoute {
    Url url;
    /// The host to connect to: the server, or a proxy.
    std::string host{};
    std::uint16_t port = 0;
    ClientMachineOptions machine{};
    ClientWireOptions wire{};
};

/// Makes the route to `url` from the options and the environment. Throws Error (invalid_argument)
/// if the URL, an option or a proxy variable of the environment is invalid.
ClientRoute plan_route(std::string const& url, HttpClientOptions const& options);
/// Returns the proxy for this URL, from the options or else from the environment. Throws Error
/// (invalid_argument) if the proxy's URL is invalid.
std::optional<Proxy> choose_proxy(Url const& url, HttpClientOptions const& options);
/// Returns the value of the Authorization header; empty if there is no token. Throws Error
/// (invalid_argument) if the token contains a control character.
std::string authorization_of(HttpClientOptions const& options);

/// All connections of a client, and the objects that they share. Lives as long as its transport, or
/// longer while a connection is open.
class ClientNetwork final : public CallRunner, public std::enable_shared_from_this<ClientNetwork> {
public:
    ClientNetwork(boost::asio::any_io_executor executor, ClientRoute route,
                  HttpClientOptions const& options);
    ~ClientNetwork() override;

    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }
    void send(rpc::Outbox& outbox);
    Task<std::optional<std::span<rpc::Frame const>>> read();
    void close() noexcept;
    /// Closes without notifying the server. Used when the event loop may be about to end.
    void abandon() noexcept;
    Task<> closed();
    TransportInfo const& info() const noexcept { return info_; }

    void start(CallId id, HttpCall call) override;
    void abort(CallId id) noexcept override;

private:
    struct Link;

    static Task<> run(std::shared_ptr<ClientNetwork> self, std::shared_ptr<Link> link);
    Task<> connect(Link& link);
    Task<> converse(std::shared_ptr<Link> link);
    void give(Link& link, CallId call);
    void flush(std::shared_ptr<Link> const& link);
    void on_end_of_input(Link& link);
    void take_events(std::shared_ptr<Link> const& link);
    void end_call(Link& link);
    void lose(Link& link, Error const& error);
    void cut(Link& link) noexcept;
    Task<> await_room(Link& link);
    bool is_behind() const noexcept;
    void watch(Link& link, Duration limit);
    void pump();
    void after();

    boost::asio::any_io_executor executor_;
    ClientRoute route_;
    HttpClientOptions options_;
    TimeSource& time_;
    ClientInbox inbox_;
    ClientMachine machine_;
    CallPool pool_;
    std::unordered_map<CallId, std::string> requests_;  // requests that wait for a connection
    std::deque<CallId> refused_;                        // calls refused because the queue was full
    std::map<LinkId, std::shared_ptr<Link>> links_;
    std::unique_ptr<Alarm> alarm_;
    runtime::Event arrived_;
    runtime::Event taken_;
    runtime::Event released_;
    TransportInfo info_;
    std::optional<Error> failure_;  // the error that read() throws
    int holding_ = 0;               // number of streams that are not read, because too many
                                    // messages are queued
    bool pumping_ = false;
    bool closed_ = false;
};

}  // namespace lanyard::http
