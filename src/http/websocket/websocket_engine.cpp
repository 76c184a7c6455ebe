#include "http/websocket/websocket_engine.hpp"

#include <array>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/option.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <boost/beast/zlib/error.hpp>

#include "http/websocket/websocket_wire.hpp"
#include "json/text.hpp"
#include "lanyard/clock.hpp"

namespace lanyard::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;

// A buffer larger than this is freed when its content is not needed any more.
constexpr std::size_t kept_capacity = std::size_t{16} * 1024;

std::string_view view(beast::string_view text) noexcept {
    return {text.data(), text.size()};
}

beast::string_view beast_view(std::string_view text) noexcept {
    return {text.data(), text.size()};
}

// Whether the error means that received data could not be decompressed.
bool is_zlib(error_code const& error) noexcept {
    static error_code const any = beast::zlib::error::stream_error;
    return error.category() == any.category();
}

// Returns the close code to send to the peer after a read has failed with this error.
CloseCode code_of(error_code const& error) noexcept {
    if (error == websocket::error::message_too_big) return CloseCode::too_big;
    if (error == websocket::error::bad_frame_payload) return CloseCode::invalid_payload;
    if (error == websocket::error::bad_close_payload) return CloseCode::invalid_payload;
    if (is_zlib(error)) return CloseCode::invalid_payload;
    return CloseCode::protocol_error;
}

// Whether the server's response contains only extensions that the client has requested:
// permessage-deflate at most once, and only if `deflate` is set.
bool was_asked_for(websocket::response_type const& answer, bool deflate) {
    bool seen = !deflate;
    auto const range = answer.equal_range(beast::http::field::sec_websocket_extensions);
    for (auto at = range.first; at != range.second; ++at) {
        beast::http::ext_list const extensions(at->value());
        // Beast presents a list of extensions that it cannot parse as an empty list, so an empty
        // list is refused.
        if (extensions.begin() == extensions.end()) return false;
        for (auto const& extension : extensions) {
            if (!beast::iequals(extension.first, "permessage-deflate")) return false;
            if (std::exchange(seen, true)) return false;
        }
    }
    return true;
}

constexpr char close_opcode = static_cast<char>(0x88);
constexpr char masked_bit = static_cast<char>(0x80);
constexpr std::size_t code_bytes = 2;

// Returns the second byte of a close frame whose payload is only a code.
char close_length(bool masked) noexcept {
    auto const length = static_cast<unsigned char>(code_bytes);
    auto const mask = static_cast<unsigned char>(masked ? masked_bit : 0);
    return static_cast<char>(length | mask);
}

// Replaces the code in the close frame at the end of the output. Does nothing if the output does
// not end with a close frame whose payload is only a code.
void replace_close_code(std::string& output, bool masked, CloseCode code) noexcept {
    auto const number = static_cast<unsigned>(code);
    std::array<char, code_bytes> bytes{static_cast<char>(number >> 8U),
                                       static_cast<char>(number & 0xFFU)};
    std::size_t const mask = masked ? 4 : 0;
    auto const size = 2 + mask + code_bytes;
    if (output.size() < size) return;
    auto* const frame = output.data() + output.size() - size;
    if (frame[0] != close_opcode || frame[1] != close_length(masked)) return;
    for (std::size_t i = 0; i < code_bytes; ++i) {
        if (masked) bytes[i] = static_cast<char>(bytes[i] ^ frame[2 + i]);
        frame[2 + mask + i] = bytes[i];
    }
}

void append_close(std::string& output, bool masked, CloseCode code) {
    output.push_back(close_opcode);
    output.push_back(close_length(masked));
    if (masked) {
        auto const key = system_random().bits();
        output.append(reinterpret_cast<char const*>(&key), 4);
    }
    output.append(code_bytes, '\0');
    replace_close_code(output, masked, code);
}

}  // namespace

std::string describe(CloseCode code) {
    auto const named = [code](std::string_view name) {
        return std::to_string(static_cast<int>(code)) + " (" + std::string(name) + ")";
    };
    switch (code) {
        case CloseCode::normal:
            return named("normal");
        case CloseCode::going_away:
            return named("going away");
        case CloseCode::protocol_error:
            return named("protocol error");
        case CloseCode::unsupported_data:
            return named("unsupported data");
        case CloseCode::no_code:
            return named("no code");
        case CloseCode::abnormal:
            return named("abnormal closure");
        case CloseCode::invalid_payload:
            return named("invalid payload");
        case CloseCode::too_big:
            return named("message too big");
        case CloseCode::internal_error:
            return named("internal error");
        case CloseCode::try_again_later:
            return named("try again later");
    }
    return std::to_string(static_cast<int>(code));
}

class WebSocketEngine::Impl {
public:
    Impl(asio::execution_context& context, WebSocketEngineOptions const& options)
        : wire_(context), scratch_(options.scratch), stream_(wire_), deflate_(options.deflate) {
        stream_.read_message_max(options.max_message_bytes);
        stream_.auto_fragment(false);
        stream_.text(true);
        websocket::permessage_deflate deflate;
        deflate.server_enable = deflate.client_enable = options.deflate;
        // Without context takeover, no compression state has to be kept between two messages.
        deflate.server_no_context_takeover = deflate.client_no_context_takeover = true;
        stream_.set_option(deflate);
        stream_.control_callback([this](websocket::frame_type type, beast::string_view payload) {
            if (type == websocket::frame_type::pong) pong_.assign(payload.data(), payload.size());
        });
    }

    void accept(WebSocketOffer const& offer) {
        beast::http::request<beast::http::empty_body> request(beast::http::verb::get, "/", 11);
        using beast::http::field;
        request.set(field::host, "-");
        request.set(field::connection, "upgrade");
        request.set(field::upgrade, "websocket");
        request.set(field::sec_websocket_version, "13");
        request.set(field::sec_websocket_key, beast_view(offer.key));
        if (!offer.extensions.empty()) {
            request.set(field::sec_websocket_extensions, beast_view(offer.extensions));
        }
        std::string protocol(offer.protocol);
        stream_.set_option(
            websocket::stream_base::decorator([protocol](websocket::response_type& response) {
                response.set(field::server, "lanyard");
                if (!protocol.empty()) response.set(field::sec_websocket_protocol, protocol);
            }));
        stream_.async_accept(request, [this](error_code error) { on_opened(error); });
        wire_.settle();
        // Replaces the decorator, to free the objects that it holds.
        stream_.set_option(websocket::stream_base::decorator([](websocket::response_type&) {}));
    }

    void ask(WebSocketRequest const& request) {
        client_ = true;
        asked_protocol_ = request.protocol;
        stream_.set_option(
            websocket::stream_base::decorator([request](websocket::request_type& out) {
                if (!request.protocol.empty()) {
                    out.set(beast::http::field::sec_websocket_protocol, request.protocol);
                }
                for (auto const& [name, value] : request.headers) out.insert(name, value);
            }));
        stream_.async_handshake(answer_, request.host, request.target,
                                [this](error_code error) { on_answer(error); });
        wire_.settle();
    }

    void receive(std::string_view bytes) noexcept { wire_.input = bytes; }
    std::string_view unread() const noexcept { return wire_.input; }

    Event next() {
        if (message_done_) {
            message_done_ = false;
            message_.clear();
            if (message_.capacity() > kept_capacity) std::string().swap(message_);
        }
        for (;;) {
            wire_.settle();
            if (std::exchange(opened_now_, false)) return Event::opened;
            if (message_done_) return Event::message;
            if (ended_) {
                wire_.input = {};
                return Event::ended;
            }
            if (open_ && !reading_ && !closing_) {
                read();
            } else if (!wire_.feed()) {
                return Event::need_more;
            }
        }
    }

    void end_of_input() { wire_.input_ended = true; }

    bool send(std::string_view text) {
        if (!is_open()) return false;
        stream_.async_write(asio::buffer(text.data(), text.size()),
                            [](error_code const&, std::size_t) {});
        // WebSocketWire accepts all bytes at once, so the text has been copied when settle()
        // returns.
        wire_.settle();
        return true;
    }

    void ping(std::string_view payload) {
        if (!is_open()) return;
        stream_.async_ping(websocket::ping_data(payload.data(), payload.size()),
                           [](error_code const&) {});
        wire_.settle();
    }

    void close(CloseCode code, std::string_view reason) {
        if (!is_open()) return;
        closing_ = true;
        code_ = code;
        websocket::close_reason why(static_cast<websocket::close_code>(code));
        why.reason.assign(reason.data(), reason.size());
        stream_.async_close(why, [this](error_code const&) { ended_ = true; });
        wire_.settle();
    }

    bool is_open() const noexcept { return open_ && !closing_ && !ended_; }
    bool partial() const noexcept { return is_open() && !stream_.is_message_done(); }
    std::string& message() noexcept { return message_; }
    std::string_view pong() const noexcept { return {pong_.data(), pong_.size()}; }
    CloseCode code() const noexcept { return code_; }
    std::string_view reason() const noexcept { return reason_; }
    std::string const& fault() const noexcept { return fault_; }
    Errc fault_code() const noexcept { return fault_code_; }

    std::string_view output() const noexcept {
        return std::string_view(wire_.output).substr(wire_.consumed);
    }

    void consume(std::size_t bytes) noexcept {
        auto& output = wire_.output;
        wire_.consumed += bytes;
        if (wire_.consumed == output.size()) {
            output.clear();
            wire_.consumed = 0;
            if (output.capacity() > kept_capacity) std::string().swap(output);
        } else if (wire_.consumed > kept_capacity && wire_.consumed > output.size() / 2) {
            output.erase(0, wire_.consumed);
            wire_.consumed = 0;
        }
    }

private:
    using Stream = websocket::stream<WebSocketWireStream, true>;

    void on_opened(error_code const& error) {
        if (error) {
            fail(Errc::protocol_violation, CloseCode::abnormal, error.message());
            return;
        }
        open_ = opened_now_ = true;
    }

    void on_answer(error_code const& error) {
        auto const status = answer_.result_int();
        if (error == websocket::error::upgrade_declined) {
            fail(status == 401 || status == 403 ? Errc::unauthorized : Errc::unavailable,
                 CloseCode::abnormal,
                 "the server refuses the WebSocket with HTTP " + std::to_string(status));
        } else if (error == asio::error::eof || error == beast::http::error::end_of_stream ||
                   error == beast::http::error::partial_message) {
            fail(Errc::unavailable, CloseCode::abnormal,
                 "the server closed the connection during the handshake");
        } else if (error) {
            fail(Errc::unavailable, CloseCode::abnormal,
                 "the answer opens no WebSocket: " + error.message());
        } else if (auto const chosen = answer_[beast::http::field::sec_websocket_protocol];
                   !chosen.empty() && view(chosen) != asked_protocol_) {
            fail(Errc::unavailable, CloseCode::abnormal,
                 "the server chose a subprotocol that was not offered");
        } else if (!was_asked_for(answer_, deflate_)) {
            fail(Errc::unavailable, CloseCode::abnormal,
                 "the server chose an extension that was not offered");
        } else {
            open_ = opened_now_ = true;
        }
        answer_ = {};
    }

    void read() {
        reading_ = true;
        stream_.async_read_some(
            asio::buffer(scratch_.data(), scratch_.size()),
            [this](error_code const& error, std::size_t size) { on_read(error, size); });
    }

    void on_read(error_code const& error, std::size_t size) {
        reading_ = false;
        // While the WebSocket is closing, Beast's close operation handles the rest of the input.
        if (closing_) return;
        if (error) {
            on_read_failed(error);
        } else if (stream_.got_binary()) {
            refuse(CloseCode::unsupported_data, "a binary message", "text only");
        } else {
            message_.append(scratch_.data(), size);
            message_done_ = stream_.is_message_done();
            // If a message ends with an empty fragment, Beast does not check whether the message's
            // last UTF-8 character is complete. So the message is checked here.
            if (message_done_ && size == 0 && json::find_bad_utf8(message_)) {
                message_done_ = false;
                message_.clear();
                refuse(CloseCode::invalid_payload, "a message that is not UTF-8", "no UTF-8");
            }
        }
    }

    void refuse(CloseCode code, std::string what, std::string_view reason) {
        fault_ = std::move(what);
        fault_code_ = Errc::protocol_violation;
        close(code, reason);
    }

    void on_read_failed(error_code const& error) {
        ended_ = true;
        if (error == websocket::error::closed) {
            auto const& why = stream_.reason();
            code_ = why.code == websocket::close_code::none ? CloseCode::no_code
                                                            : static_cast<CloseCode>(why.code);
            reason_.assign(why.reason.data(), why.reason.size());
        } else if (error == asio::error::eof) {
            fail(Errc::transport_down, CloseCode::abnormal,
                 "the connection ended without a closing handshake");
        } else {
            auto const code = code_of(error);
            if (is_zlib(error)) {
                // Beast sends no close frame after a decompression error, so one is added here.
                append_close(wire_.output, client_, code);
            } else if (error == websocket::error::bad_close_payload) {
                // Beast has answered the invalid close frame with the code protocol_error. That
                // code is replaced with `code`.
                replace_close_code(wire_.output, client_, code);
            }
            fail(code == CloseCode::too_big ? Errc::too_large : Errc::protocol_violation, code,
                 error.message());
        }
    }

    void fail(Errc errc, CloseCode code, std::string what) {
        ended_ = true;
        code_ = code;
        fault_ = std::move(what);
        fault_code_ = errc;
    }

    WebSocketWire wire_;
    std::span<char> scratch_;
    Stream stream_;
    websocket::response_type answer_;
    std::string asked_protocol_;
    std::string message_;
    std::string pong_;
    std::string reason_;
    std::string fault_;
    Errc fault_code_ = Errc::transport_down;
    CloseCode code_ = CloseCode::abnormal;
    bool deflate_;
    bool client_ = false;
    bool open_ = false;
    bool opened_now_ = false;
    bool reading_ = false;
    bool message_done_ = false;
    bool closing_ = false;
    bool ended_ = false;
};

WebSocketEngine::WebSocketEngine(asio::execution_context& context,
                                 WebSocketEngineOptions const& options)
    : impl_(std::make_unique<Impl>(context, options)) {}
WebSocketEngine::~WebSocketEngine() = default;

void WebSocketEngine::accept(WebSocketOffer const& offer) {
    impl_->accept(offer);
}
void WebSocketEngine::ask(WebSocketRequest const& request) {
    impl_->ask(request);
}
void WebSocketEngine::receive(std::string_view bytes) noexcept {
    impl_->receive(bytes);
}
auto WebSocketEngine::next() -> Event {
    return impl_->next();
}
std::string_view WebSocketEngine::unread() const noexcept {
    return impl_->unread();
}
void WebSocketEngine::end_of_input() {
    impl_->end_of_input();
}
std::string& WebSocketEngine::message() noexcept {
    return impl_->message();
}
bool WebSocketEngine::partial() const noexcept {
    return impl_->partial();
}
std::string_view WebSocketEngine::pong() const noexcept {
    return impl_->pong();
}
bool WebSocketEngine::send(std::string_view text) {
    return impl_->send(text);
}
void WebSocketEngine::ping(std::string_view payload) {
    impl_->ping(payload);
}
void WebSocketEngine::close(CloseCode code, std::string_view reason) {
    impl_->close(code, reason);
}
bool WebSocketEngine::is_open() const noexcept {
    return impl_->is_open();
}
CloseCode WebSocketEngine::code() const noexcept {
    return impl_->code();
}
std::string_view WebSocketEngine::reason() const noexcept {
    return impl_->reason();
}
std::string const& WebSocketEngine::fault() const noexcept {
    return impl_->fault();
}
Errc WebSocketEngine::fault_code() const noexcept {
    return impl_->fault_code();
}
std::string_view WebSocketEngine::output() const noexcept {
    return impl_->output();
}
void WebSocketEngine::consume(std::size_t bytes) noexcept {
    impl_->consume(bytes);
}

}  // namespace lanyard::http
