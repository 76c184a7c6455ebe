// A client, a proxy and the server behind it, in memory and in every combination of eras.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lanyard/proxy.hpp"
#include "lanyard/server.hpp"
#include "lanyard/testing/connect.hpp"
#include "unit/client/client_fixture.hpp"

namespace lanyard {

struct Eras {
    Version client;    ///< between the client and the proxy
    Version upstream;  ///< between the proxy and the server behind it
};

inline std::string name_of_eras(::testing::TestParamInfo<Eras> const& info) {
    auto name = std::string(to_string(info.param.client)) + "_to_" +
                std::string(to_string(info.param.upstream));
    std::replace(name.begin(), name.end(), '-', '_');
    return "v" + name;
}

struct Sure {
    bool sure = false;
};
LANYARD_STRUCT(Sure, sure)

class ProxyTest : public ::testing::TestWithParam<Eras> {
protected:
    ProxyTest() : upstream("upstream", "1", options()), server("proxy", "1", options()) {}
    ~ProxyTest() override {
        client = Client();
        proxied = Client();
        poll();
    }

    ServerOptions options() {
        ServerOptions server_options;
        server_options.time(time);
        return server_options;
    }
    ClientOptions timed(ClientOptions client_options = {}) {
        client_options.time(time);
        return client_options;
    }

    /// Connects everything. The features of the upstream server must have been registered.
    void open(ClientOptions client_options = {}, ProxyOptions const& proxy_options = {}) {
        proxied = start(testing::connect(upstream, GetParam().upstream,
                                         timed(ClientOptions().declare_questions(true))))
                      .value();
        server.add_provider(proxy_provider(proxied, proxy_options));
        client =
            start(testing::connect(server, GetParam().client, timed(std::move(client_options))))
                .value();
    }
    bool client_is_modern() const { return GetParam().client == Version::v2026_07_28; }

    void poll() {
        context.restart();
        context.poll();
    }
    void advance(Duration by) {
        time.advance(by);
        poll();
    }
    template <class T>
    Running<T> start(Task<T> task) {
        return Running<T>(context, std::move(task));
    }

    boost::asio::io_context context;
    testing::FakeTime time;
    Server upstream;
    Server server;
    Client proxied;  ///< the proxy's client
    Client client;
};

inline auto all_eras() {
    constexpr auto legacy = Version::v2025_11_25;
    constexpr auto modern = Version::v2026_07_28;
    return ::testing::Values(Eras{legacy, legacy}, Eras{legacy, modern}, Eras{modern, legacy},
                             Eras{modern, modern});
}

}  // namespace lanyard
