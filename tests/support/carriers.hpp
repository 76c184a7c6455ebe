// Every way that a server of this process can be reached, for tests that hold over all of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <lanyard/connect.hpp>
#include <lanyard/listen.hpp>
#include <lanyard/server/server.hpp>
#include <lanyard/testing/connect.hpp>

#include "support/certificates.hpp"

namespace lanyard::test {

/// A way to a server, which is there as long as this.
class Carrier {
public:
    virtual ~Carrier() = default;
    virtual Task<Client> connect(Era era, ClientOptions options) = 0;
};

/// The newest revision of the era.
inline Version newest_of(Era era) {
    return era == Era::modern ? newest_version : newest_legacy_version;
}

/// In memory, on the event loop of the client.
class MemoryCarrier final : public Carrier {
public:
    explicit MemoryCarrier(Server& server) : server_(server) {}
    Task<Client> connect(Era era, ClientOptions options) override {
        return testing::connect(server_, era, std::move(options));
    }

private:
    Server& server_;
};

/// Behind a listener, on a thread of its own.
class ListenerCarrier final : public Carrier {
public:
    using MakeConnector = std::function<std::unique_ptr<Connector>(std::string const& url)>;

    ListenerCarrier(Server& server, std::unique_ptr<UrlListener> listener, MakeConnector connector)
        : listener_(std::move(listener)), connector_(std::move(connector)) {
        boost::asio::co_spawn(context_, server.run_async(*listener_), [](std::exception_ptr) {});
        thread_ = std::thread([this] { context_.run(); });
    }
    ~ListenerCarrier() override {
        listener_->stop();
        thread_.join();
    }
    Task<Client> connect(Era era, ClientOptions options) override {
        options.versions({newest_of(era)});
        return lanyard::connect(connector_(listener_->url()), options);
    }

private:
    std::unique_ptr<UrlListener> listener_;
    MakeConnector connector_;
    boost::asio::io_context context_;
    std::thread thread_;
};

/// One entry for each way there is; tests run over all of them.
struct CarrierKind {
    std::string name;
    std::function<std::unique_ptr<Carrier>(Server& server)> make;
};

/// The files are for TLS and sockets, and have to live as long as the carriers.
inline std::vector<CarrierKind> carrier_kinds(Certificates const& files) {
    auto const by_url = [](std::string const& url) { return url_connector(url); };
    auto const at = [by_url](std::string url) {
        return [by_url, url](Server& server) -> std::unique_ptr<Carrier> {
            return std::make_unique<ListenerCarrier>(server, listen(url), by_url);
        };
    };
    auto const in_memory = [](Server& server) -> std::unique_ptr<Carrier> {
        return std::make_unique<MemoryCarrier>(server);
    };
    auto const over_tls = [&files](Server& server) -> std::unique_ptr<Carrier> {
        auto const identity = files.issue("server", "server", "DNS:localhost,IP:127.0.0.1");
        auto options = StreamServerOptions().tls(TlsOptions(identity.certificate, identity.key));
        auto const trusting = [&files](std::string const& url) {
            return stream_connector(url, StreamClientOptions().ca_file(files.authority()));
        };
        return std::make_unique<ListenerCarrier>(server, listen("tls://127.0.0.1:0", options),
                                                 trusting);
    };
    auto const over_websocket = [](Server& server) -> std::unique_ptr<Carrier> {
        auto options = HttpServerOptions().mcp(McpHttpOptions().websocket());
        auto const at_its_path = [](std::string const& url) {  // http://HOST:PORT/mcp
            return url_connector("ws" + url.substr(url.find("://")) + "/ws");
        };
        return std::make_unique<ListenerCarrier>(server, listen("http://127.0.0.1:0/mcp", options),
                                                 at_its_path);
    };
    return {{"memory", in_memory},
            {"tcp", at("tcp://127.0.0.1:0")},
            {"unix", at("unix:" + files.path("demo.sock"))},
            {"tls", over_tls},
            {"http", at("http://127.0.0.1:0/mcp")},
            {"websocket", over_websocket}};
}

}  // namespace lanyard::test
