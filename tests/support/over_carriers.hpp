// Tests that run over every transport, in both eras.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "support/carriers.hpp"
#include "support/run_task.hpp"

namespace lanyard::test {

using CarrierAndEra = std::tuple<char const*, Era>;

/// The parameters for tests over every transport.
inline auto all_carriers() {
    return ::testing::Combine(
        ::testing::Values("memory", "tcp", "unix", "tls", "http", "websocket", "child"),
        ::testing::Values(Era::legacy, Era::modern));
}

inline std::string carrier_and_era(::testing::TestParamInfo<CarrierAndEra> const& info) {
    auto const [carrier, era] = info.param;
    return std::string(carrier) + (era == Era::modern ? "_modern" : "_legacy");
}

class OverCarriers : public ::testing::TestWithParam<CarrierAndEra> {
protected:
    static Certificates const& files() {
        static Certificates const made;
        return made;
    }
    static std::string name() { return std::get<0>(GetParam()); }
    static Era era() { return std::get<1>(GetParam()); }

    /// The carrier of the test, with this server. A child process, given by the program and its
    /// arguments, has its own server instead.
    template <class... Arguments>
    static std::unique_ptr<Carrier> make(Server& server, char const* program,
                                         Arguments... arguments) {
        if (name() == "child") return std::make_unique<ChildCarrier>(program, arguments...);
        for (auto const& kind : carrier_kinds(files())) {
            if (kind.name == name()) return kind.make(server);
        }
        throw std::logic_error("there is no such carrier");
    }

    boost::asio::io_context context_;
};

}  // namespace lanyard::test
