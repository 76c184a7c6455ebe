// The program's own use of Beast, with its own settings: HTTP messages and a WebSocket in memory.
#include <memory>
#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/_experimental/test/stream.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket.hpp>

#include "own_asio.hpp"

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;

namespace own {
namespace {

error_code parse(std::string const& text, std::string& body) {
    beast::http::response_parser<beast::http::string_body> parser;
    parser.eager(true);
    error_code error;
    parser.put(asio::buffer(text), error);
    if (!error && parser.is_done()) body = parser.get().body();
    return error;
}

// A valid message, and one that fails with an error of Beast's category.
void parse_messages() {
    std::string body;
    auto const good = parse(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "4\r\nbody\r\n0\r\n\r\n",
        body);
    auto const bad = parse("HTTP/9.1 200 OK\r\n\r\n", body);
    if (!good && body == "body" && bad == beast::http::error::bad_version) report("parser");
}

// Two ends of a WebSocket: a handshake, a compressed message that is sent back, and the end.
class WebSocket : public std::enable_shared_from_this<WebSocket> {
public:
    explicit WebSocket(asio::io_context& context) : near_(context), far_(context) {
        near_.next_layer().connect(far_.next_layer());
        beast::websocket::permessage_deflate deflate;
        deflate.client_enable = true;
        deflate.server_enable = true;
        near_.set_option(deflate);
        far_.set_option(deflate);
    }

    void start() {
        far_.async_accept([self = shared_from_this()](error_code const& error) {
            if (!error) self->echo();
        });
        near_.async_handshake("localhost", "/", [self = shared_from_this()](error_code error) {
            if (!error) self->near_.write(asio::buffer(self->text_), error);
            if (!error) self->read();
        });
    }

private:
    void echo() {
        far_.async_read(received_, [self = shared_from_this()](error_code error, std::size_t) {
            if (!error) self->far_.write(self->received_.data(), error);
            if (!error) self->await_close();
        });
    }
    void await_close() {
        far_.async_read(received_,
                        [self = shared_from_this()](error_code const& error, std::size_t) {
                            self->closed_ = error == beast::websocket::error::closed;
                            self->end();
                        });
    }
    void read() {
        near_.async_read(answer_,
                         [self = shared_from_this()](error_code const& error, std::size_t) {
                             if (!error) self->close();
                         });
    }
    void close() {
        near_.async_close(beast::websocket::close_code::normal, [self = shared_from_this()](
                                                                    error_code const& error) {
            self->whole_ = !error && beast::buffers_to_string(self->answer_.data()) == self->text_;
            self->end();
        });
    }
    void end() {
        if (closed_ && whole_) report("websocket");
    }

    beast::websocket::stream<beast::test::stream> near_;
    beast::websocket::stream<beast::test::stream> far_;
    std::string text_ = std::string(4000, 'a') + "b";
    beast::flat_buffer received_;
    beast::flat_buffer answer_;
    bool closed_ = false;
    bool whole_ = false;
};

}  // namespace

void start_beast(asio::io_context& context) {
    parse_messages();
    std::make_shared<WebSocket>(context)->start();
}

}  // namespace own
