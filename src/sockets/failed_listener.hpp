// FailedListener: stands for a listener that could not be opened, and reports why.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lanyard/transport/url_listener.hpp"

namespace lanyard::sockets {

/// The result of listen() if the address or the options cannot be used. Every function that needs
/// the address throws the error. `Interface` is UrlListener or a class derived from it.
template <class Interface>
class FailedListener : public Interface {
public:
    FailedListener(std::string_view url, std::exception_ptr failure)
        : url_(url), failure_(std::move(failure)) {}

    Task<> run(Endpoint&) override {
        std::rethrow_exception(failure_);
        co_return;
    }
    void stop() noexcept override {}
    bool reload() override { std::rethrow_exception(failure_); }
    std::string describe() const override { return url_; }
    std::string url() const override { std::rethrow_exception(failure_); }
    std::uint16_t port() const override { std::rethrow_exception(failure_); }
    void reload_tls() override { std::rethrow_exception(failure_); }

private:
    std::string url_;
    std::exception_ptr failure_;
};

}  // namespace lanyard::sockets
