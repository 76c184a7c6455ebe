// ClientNetwork: the client's side of HTTP with sockets: connections and timers. The protocol is
// implemented by ClientMachine, CallPool and ClientWire, which do no I/O.
#pragma once

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include <boost/asio/any_io_executor.hpp>

#include "http/client/call_pool.hpp"
#include "http/client/client_inbox.hpp"
#include "http/client/client_machine.hpp"
#include "http/client/client_route.hpp"
#include "lanyard/http/client.hpp"
#include "lanyard/transport.hpp"
#include "runtime/event.hpp"
#include "sockets/dialer.hpp"

namespace lanyard::http {

/// All connections of a client, and the objects that they share. Lives as long as its transport, or
/// longer while a connection is open.
class ClientNetwork final : public CallRunner, public std::enable_shared_from_this<ClientNetwork> {
public:
    ClientNetwork(boost::asio::any_io_executor executor, ClientRoute route,
                  HttpClientOptions const& options);
    ~ClientNetwork() override;

    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }
    void send(rpc::Outbox& outbox) noexcept;
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
    void open(CallPool::Assignment const& assigned);
    void after();
    void fail(std::exception_ptr why) noexcept;
    void end_all() noexcept;
    void remove(Link& link) noexcept;

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
    std::exception_ptr failure_;  // what read() throws
    int holding_ = 0;             // number of streams that are not read, because too many
                                  // messages are queued
    bool pumping_ = false;
    bool closed_ = false;
};

}  // namespace lanyard::http
