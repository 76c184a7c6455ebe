#include "http/client/client_wire.hpp"

#include "http/client/request_writer.hpp"

namespace lanyard::http {

ClientWire::ClientWire(ClientWireOptions const& options)
    : options_(options), tunnel_reader_(options.limits), reader_(options.limits) {}

void ClientWire::start() {
    if (options_.tunnel.empty()) {
        begin_above_tunnel();
        return;
    }
    stage_ = Stage::tunnel;
    tunnel_reader_.expect_tunnel();
    append_connect(plain_output_, options_.tunnel, options_.proxy_authorization);
}

void ClientWire::begin_above_tunnel() {
    if (!options_.tls) {
        stage_ = Stage::open;
        return;
    }
    stage_ = Stage::handshake;
    tls_ = std::make_unique<sockets::TlsEngine>(*options_.tls, options_.host);
    tls_->start();
}

void ClientWire::send(std::string_view request) {
    answer_begun_ = false;
    keep_alive_ = false;
    if (!tls_) {
        plain_output_.append(request);
        return;
    }
    unencrypted_.append(request);
    encrypt();
}

// Passes unencrypted bytes to the TLS engine, which takes only a limited amount at a time.
void ClientWire::encrypt() {
    encrypted_ += tls_->write(std::string_view(unencrypted_).substr(encrypted_));
    if (encrypted_ < unencrypted_.size()) return;
    unencrypted_.clear();
    encrypted_ = 0;
}

void ClientWire::receive(std::string_view bytes) {
    if (stage_ == Stage::tunnel) {
        tunnel_reader_.feed(bytes);
    } else if (tls_) {
        tls_->receive(bytes);
    } else {
        answer_begun_ = answer_begun_ || !bytes.empty();
        reader_.feed(bytes);
    }
}

ClientWire::Event ClientWire::next() {
    switch (stage_) {
        case Stage::tunnel:
            return next_of_tunnel();
        case Stage::handshake:
            return next_of_handshake();
        case Stage::open:
            break;
        case Stage::failed:
            return Event::failed;
    }
    if (!ready_reported_) {
        ready_reported_ = true;
        return Event::ready;
    }
    return next_of_answer();
}

ClientWire::Event ClientWire::next_of_tunnel() {
    switch (tunnel_reader_.next()) {
        case ResponseReader::Event::need_more:
            return Event::need_more;
        case ResponseReader::Event::failed:
            return fail(Errc::transport_down,
                        "the proxy answered wrongly: " + std::string(tunnel_reader_.fault()));
        case ResponseReader::Event::head:
            break;
        default:
            return next_of_tunnel();
    }
    auto const status = tunnel_reader_.head().status;
    if (!tunnel_reader_.head().ok()) {
        return fail(status == 407 ? Errc::unauthorized : Errc::unavailable,
                    "the proxy refuses the connection with HTTP " + std::to_string(status));
    }
    if (!tunnel_reader_.unread().empty()) {
        return fail(Errc::transport_down, "the proxy sends more than was asked for");
    }
    begin_above_tunnel();
    return next();
}

ClientWire::Event ClientWire::next_of_handshake() {
    // Reading from the TLS engine advances the handshake.
    decrypt();
    switch (tls_->state()) {
        case sockets::TlsEngine::State::handshake:
            return Event::need_more;
        case sockets::TlsEngine::State::open:
            stage_ = Stage::open;
            return next();
        case sockets::TlsEngine::State::ended:
            return fail(Errc::transport_down, "the server ended the connection");
        case sockets::TlsEngine::State::failed:
            break;
    }
    return fail(tls_->is_refused() ? Errc::unauthorized : Errc::unavailable,
                "no secure connection: " + tls_->fault());
}

// Passes decrypted bytes to the reader. Returns false if there are none.
bool ClientWire::decrypt() {
    if (!tls_->read(decrypted_)) return false;
    answer_begun_ = true;
    reader_.feed(decrypted_);
    return true;
}

ClientWire::Event ClientWire::next_of_answer() {
    for (;;) {
        auto const event = map(reader_.next());
        if (event != Event::need_more || !tls_) return event;
        if (decrypt()) continue;
        if (tls_->state() == sockets::TlsEngine::State::failed) {
            return fail(tls_->is_refused() ? Errc::unauthorized : Errc::transport_down,
                        "the secure connection broke: " + tls_->fault());
        }
        if (tls_->state() == sockets::TlsEngine::State::ended) return finish();
        return Event::need_more;
    }
}

ClientWire::Event ClientWire::map(ResponseReader::Event event) {
    switch (event) {
        case ResponseReader::Event::need_more:
            return Event::need_more;
        case ResponseReader::Event::head:
            keep_alive_ = reader_.head().keep_alive;
            return Event::head;
        case ResponseReader::Event::body:
            return Event::body;
        case ResponseReader::Event::done:
            return Event::done;
        case ResponseReader::Event::failed:
            break;
    }
    return fail(reader_.too_large() ? Errc::too_large : Errc::protocol_violation,
                std::string(reader_.fault()));
}

ClientWire::Event ClientWire::finish() {
    if (stage_ != Stage::open) {
        if (stage_ == Stage::failed) return Event::failed;
        return fail(Errc::unavailable, stage_ == Stage::tunnel
                                           ? "the proxy ended the connection"
                                           : "the server ended the connection during the "
                                             "handshake of TLS");
    }
    // If the TLS connection ended without a close_notify, an attacker may have cut it, so a
    // response that extends to the end of the connection may be incomplete.
    bool const truncated = tls_ && tls_->state() != sockets::TlsEngine::State::ended;
    auto const event = reader_.finish();
    keep_alive_ = false;
    if (event == ResponseReader::Event::done && !truncated) return Event::done;
    if (event == ResponseReader::Event::failed && reader_.too_large()) return map(event);
    return fail(Errc::transport_down, "the server closed the connection");
}

ClientWire::Event ClientWire::fail(Errc code, std::string message) {
    stage_ = Stage::failed;
    fault_code_ = code;
    fault_ = std::move(message);
    return Event::failed;
}

std::string_view ClientWire::output() const noexcept {
    auto const plain = std::string_view(plain_output_).substr(plain_sent_);
    return plain.empty() && tls_ ? tls_->output() : plain;
}

void ClientWire::consume(std::size_t bytes) {
    if (plain_sent_ == plain_output_.size() && tls_) {
        tls_->consume(bytes);
        if (!unencrypted_.empty()) encrypt();
        return;
    }
    plain_sent_ += bytes;
    if (plain_sent_ == plain_output_.size()) {
        plain_output_.clear();
        plain_sent_ = 0;
    }
}

Error ClientWire::fault() const {
    return {fault_code_, fault_};
}

bool ClientWire::reusable() const noexcept {
    return stage_ == Stage::open && keep_alive_ && reader_.unread().empty() && output().empty() &&
           unencrypted_.empty();
}

}  // namespace lanyard::http
