// All transports by which a server of this process can be reached, for tests that run over each of
// them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/connect.hpp"
#include "lanyard/listen.hpp"
#include "lanyard/server/server.hpp"
#include "lanyard/testing/connect.hpp"
#include "lanyard/transport/child_process.hpp"
#include "support/certificates.hpp"

namespace lanyard::test {

/// A transport to a server, which exists as long as this object.
class Carrier {
public:
    virtual ~Carrier() = default;
    virtual Task<Client> connect(Era era, ClientOptions options) = 0;
};

/// The newest revision of the era.
inline Version newest_of(Era era) {
    return era == Era::modern ? newest_version : newest_legacy_version;
}

/// In memory, on the client's event loop.
class MemoryCarrier final : public Carrier {
public:
    explicit MemoryCarrier(Server& server) : server_(server) {}
    Task<Client> connect(Era era, ClientOptions options) override {
        return testing::connect(server_, era, std::move(options));
    }

private:
    Server& server_;
};

/// A server with a listener, on a separate thread. The server may be replaced by another one at the
/// same address.
class ListenerCarrier final : public Carrier {
public:
    using MakeListener = std::function<std::unique_ptr<UrlListener>(std::string const& url)>;
    using MakeConnector = std::function<std::unique_ptr<Connector>(std::string const& url)>;

    /// Listens at the URL; port 0 selects a free port.
    ListenerCarrier(std::string url, MakeListener listener, MakeConnector connector)
        : url_(std::move(url)),
          make_listener_(std::move(listener)),
          connector_(std::move(connector)) {}
    ~ListenerCarrier() override { stop(); }

    void start(Server& server) {
        listener_ = make_listener_(url_);
        url_ = listener_->url();
        context_.restart();
        boost::asio::co_spawn(context_, server.run_async(*listener_), [](std::exception_ptr) {});
        thread_ = std::thread([this] { context_.run(); });
    }
    void stop() {
        if (!thread_.joinable()) return;
        listener_->stop();
        thread_.join();
        listener_.reset();
    }

    std::unique_ptr<Connector> connector() const { return connector_(url_); }
    Task<Client> connect(Era era, ClientOptions options) override {
        options.versions({newest_of(era)});
        return lanyard::connect(connector(), options);
    }

private:
    std::string url_;
    MakeListener make_listener_;
    MakeConnector connector_;
    std::unique_ptr<UrlListener> listener_;
    boost::asio::io_context context_;
    std::thread thread_;
};

/// A program that serves on stdio, started for every client.
class ChildCarrier final : public Carrier {
public:
    template <class... Arguments>
    explicit ChildCarrier(std::string program, Arguments... arguments)
        : connector_([program, arguments...] { return child_process(program, arguments...); }) {}

    Task<Client> connect(Era era, ClientOptions options) override {
        options.versions({newest_of(era)});
        return lanyard::connect(connector_(), options);
    }

private:
    std::function<std::unique_ptr<Connector>()> connector_;
};

/// A kind of transport with a listener.
struct ListenerKind {
    std::string name;
    std::function<std::unique_ptr<ListenerCarrier>()> make;
};

/// The files are for TLS and Unix sockets, and must outlive the carriers.
inline std::vector<ListenerKind> listener_kinds(Certificates const& files) {
    using MakeConnector = ListenerCarrier::MakeConnector;
    using MakeListener = ListenerCarrier::MakeListener;
    auto const kind = [](std::string name, std::string url, MakeListener const& listener,
                         MakeConnector const& connector) {
        return ListenerKind{std::move(name), [url, listener, connector] {
                                return std::make_unique<ListenerCarrier>(url, listener, connector);
                            }};
    };
    MakeListener const plain = [](std::string const& url) { return listen(url); };
    MakeConnector const by_url = [](std::string const& url) { return url_connector(url); };
    MakeListener const with_certificate = [&files](std::string const& url) {
        auto const identity = files.issue("server", "server", "DNS:localhost,IP:127.0.0.1");
        auto options = StreamServerOptions().tls(TlsOptions(identity.certificate, identity.key));
        return listen(url, options);
    };
    MakeConnector const trusting = [&files](std::string const& url) {
        return stream_connector(url, StreamClientOptions().ca_file(files.authority()));
    };
    MakeListener const with_websocket = [](std::string const& url) {
        return listen(url, HttpServerOptions().mcp(McpHttpOptions().websocket()));
    };
    MakeConnector const at_its_path = [](std::string const& url) {  // http://HOST:PORT/mcp
        return url_connector("ws" + url.substr(url.find("://")) + "/ws");
    };
    return {kind("tcp", "tcp://127.0.0.1:0", plain, by_url),
            kind("unix", "unix:" + files.path("demo.sock"), plain, by_url),
            kind("tls", "tls://127.0.0.1:0", with_certificate, trusting),
            kind("http", "http://127.0.0.1:0/mcp", plain, by_url),
            kind("websocket", "http://127.0.0.1:0/mcp", with_websocket, at_its_path)};
}

/// One entry for each kind of transport; tests run over all of them.
struct CarrierKind {
    std::string name;
    std::function<std::unique_ptr<Carrier>(Server& server)> make;
};

/// The kinds with a listener, and the one in memory.
inline std::vector<CarrierKind> carrier_kinds(Certificates const& files) {
    auto const in_memory = [](Server& server) -> std::unique_ptr<Carrier> {
        return std::make_unique<MemoryCarrier>(server);
    };
    std::vector<CarrierKind> kinds = {{"memory", in_memory}};
    for (auto const& kind : listener_kinds(files)) {
        auto const started = [make = kind.make](Server& server) -> std::unique_ptr<Carrier> {
            auto carrier = make();
            carrier->start(server);
            return carrier;
        };
        kinds.push_back({kind.name, started});
    }
    return kinds;
}

}  // namespace lanyard::test
