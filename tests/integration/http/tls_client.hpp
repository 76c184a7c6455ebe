// TlsClient: a RawClient with TLS.
#pragma once

#include <string>
#include <string_view>

#include "integration/http/raw_client.hpp"
#include "sockets/tls_engine.hpp"

namespace lanyard::test {

class TlsClient {
public:
    TlsClient(std::uint16_t port, sockets::TlsContext const& context,
              std::string const& host = "localhost")
        : raw_(port), engine_(context, host) {
        engine_.start();
        while (engine_.state() == sockets::TlsEngine::State::handshake && exchange()) continue;
        flush();
    }

    bool open() const noexcept { return engine_.state() == sockets::TlsEngine::State::open; }
    sockets::TlsEngine& engine() noexcept { return engine_; }
    RawClient& raw() noexcept { return raw_; }

    void send(std::string_view text) {
        while (!text.empty()) {
            auto const taken = engine_.write(text);
            text.remove_prefix(taken);
            flush();
            if (taken == 0) return;
        }
    }
    /// Returns the text up to and including this one; less if the connection has ended.
    std::string read_until(std::string_view text) {
        while (text_.find(text) == text_.npos && exchange()) continue;
        auto const at = text_.find(text);
        auto const taken = text_.substr(0, at == text_.npos ? at : at + text.size());
        text_.erase(0, taken.size());
        return taken;
    }
    std::string read_to_end() {
        while (exchange()) continue;
        return std::exchange(text_, {});
    }

private:
    void flush() {
        raw_.send(engine_.output());
        engine_.consume(engine_.output().size());
    }
    // Sends pending bytes and reads some; returns false at the end.
    bool exchange() {
        flush();
        auto const bytes = raw_.read_some();
        engine_.receive(bytes);
        std::string piece;
        while (engine_.read(piece)) text_ += piece;
        return !bytes.empty();
    }

    RawClient raw_;
    sockets::TlsEngine engine_;
    std::string text_;
};

}  // namespace lanyard::test
