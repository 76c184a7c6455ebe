// WebSockets: whatever frames arrive, in whatever pieces, the same messages come out, one at a
// time, within the limit and in UTF-8; and the peer gets valid frames, the last of which is the
// reason for closing. The first three bytes choose the limit, compression and the pieces; the rest
// is the peer's input.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "fuzz/require.hpp"
#include "http/websocket/websocket_engine.hpp"
#include "json/text.hpp"
#include "support/http.hpp"
#include "support/websocket_frames.hpp"

using namespace lanyard;
using http::CloseCode;
using http::WebSocketEngine;

namespace {

struct Outcome {
    std::vector<std::string> messages{};
    CloseCode code{};
    std::string reason{};
    std::string fault{};
    bool operator==(Outcome const&) const = default;
};

// The codes that an end of a WebSocket may send (RFC 6455, section 7.4). Codes from 3000 on are
// sent only by the peer, and repeated.
bool may_be_sent(unsigned code) {
    return code == 1005 || code >= 3000 ||
           (code >= 1000 && code < 1015 && code != 1004 && code != 1006);
}

void check_output(std::string output) {
    bool closed = false;
    for (auto const& frame : test::take_frames(output)) {
        fuzz::require(!closed, "something is said after the close");
        fuzz::require(!frame.masked && frame.fin && frame.reserved == 0, "an odd frame is sent");
        fuzz::require(frame.payload.size() <= 125, "a long control frame is sent");
        closed = frame.opcode == test::opcode::close;
        fuzz::require(closed || frame.opcode == test::opcode::pong,
                      "something is sent that nobody asked for");
        if (closed) fuzz::require(may_be_sent(frame.close_code()), "an invalid code is sent");
    }
    fuzz::require(output.empty(), "part of a frame is sent");
}

class Connection {
public:
    Connection(std::size_t limit, bool deflate)
        : limit_(limit), engine_(context_, options(deflate)) {
        http::WebSocketOffer offer;
        offer.key = "AAAAAAAAAAAAAAAAAAAAAA==";
        if (deflate) offer.extensions = "permessage-deflate";
        engine_.accept(offer);
        fuzz::require(engine_.next() == WebSocketEngine::Event::opened, "it is not open");
        engine_.consume(engine_.output().size());
    }

    Outcome run(test::Chunks const& chunks) {
        for (auto const& chunk : chunks) {
            auto const bytes = std::string(engine_.unread()) + std::string(chunk);
            auto const exact = test::exact_copy(bytes);
            engine_.receive({exact.data(), exact.size()});
            take_events();
            fuzz::require(bytes.ends_with(engine_.unread()), "it makes up what it has not read");
            left_ = engine_.unread();
            engine_.receive(left_);
        }
        engine_.end_of_input();
        take_events();
        fuzz::require(engine_.next() == WebSocketEngine::Event::ended, "the end is none");
        fuzz::require(!engine_.is_open() && !engine_.send("x"), "it goes on after its end");
        check_output(output_);
        outcome_.code = engine_.code();
        outcome_.reason = engine_.reason();
        outcome_.fault = engine_.fault();
        bool const closed_by_peer = outcome_.fault.empty();
        auto const code = static_cast<unsigned>(outcome_.code);
        fuzz::require(may_be_sent(code) || (code == 1006 && !closed_by_peer), "an invalid code");
        return std::move(outcome_);
    }

private:
    http::WebSocketEngineOptions options(bool deflate) {
        http::WebSocketEngineOptions options;
        options.max_message_bytes = limit_;
        options.deflate = deflate;
        options.scratch = scratch_;
        return options;
    }

    void take_events() {
        for (;;) {
            auto const event = engine_.next();
            output_ += engine_.output();
            engine_.consume(engine_.output().size());
            fuzz::require(engine_.message().size() <= limit_, "a message exceeds the limit");
            if (event != WebSocketEngine::Event::message) return;
            fuzz::require(engine_.is_open(), "a message comes from a closed connection");
            fuzz::require(!json::find_bad_utf8(engine_.message()), "a message is no UTF-8");
            outcome_.messages.push_back(engine_.message());
        }
    }

    boost::asio::io_context context_{1};
    std::size_t limit_;
    std::array<char, 64> scratch_{};
    WebSocketEngine engine_;
    std::string left_;
    std::string output_;
    Outcome outcome_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size < 3) return 0;
    std::size_t const limit = std::size_t{data[0]} + 1;  // for Beast, 0 means no limit
    bool const deflate = data[1] % 2 == 1;
    std::string_view const stream(reinterpret_cast<char const*>(data) + 3, size - 3);
    auto const whole = Connection(limit, deflate).run({stream});
    auto const pieces = Connection(limit, deflate).run(test::cut_by(stream, data[2]));
    fuzz::require(pieces.messages == whole.messages && pieces.fault.empty() == whole.fault.empty(),
                  "what comes out depends on how the bytes are cut");
    // If several things are wrong with a compressed message, either may be found first.
    fuzz::require(deflate || pieces == whole, "the end depends on how the bytes are cut");
    return 0;
}
