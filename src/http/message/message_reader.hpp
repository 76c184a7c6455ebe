// The steps that reading a request and reading a response have in common. No I/O: bytes in, events
// out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message/body_reader.hpp"
#include "http/message/fields.hpp"
#include "http/message/head_buffer.hpp"

namespace lanyard::http {

/// Reads the messages of one connection, one after the other.
///
/// `Derived` reads the heads, whose type is `Head`. It declares MessageReader as a friend and has
/// these functions:
/// - begin_message() prepares the next message. Returns an event if reading the head has to wait or
///   is not necessary.
/// - read_head() reads the head from input_ and begins the body.
/// - fail_body(bool too_large) is called if the body is malformed or exceeds its limit.
template <class Derived, class Head>
class MessageReader {
public:
    enum class Event : std::uint8_t {
        need_more,  ///< feed the next bytes
        head,       ///< head() is complete; the body follows
        body,       ///< body() is the next piece of the body
        done,       ///< the message is complete; next() continues with the following one
        failed,     ///< the input is refused; the connection must be closed
    };

    /// Sets the next bytes. They must stay valid until next() returns need_more or feed() is called
    /// again. If unread() is not empty, the next bytes must begin with the unread ones.
    void feed(std::string_view bytes) noexcept { input_ = bytes; }
    Event next() {
        switch (stage_) {
            case Stage::done:
                if (auto const event = derived().begin_message()) return *event;
                [[fallthrough]];
            case Stage::head:
                return derived().read_head();
            case Stage::body:
                return read_body();
            case Stage::failed:
                break;
        }
        return Event::failed;
    }

    Head const& head() const noexcept { return head_; }
    /// The current piece of the body, a view into the bytes passed to feed().
    std::string_view body() const noexcept { return body_.data(); }
    std::string_view unread() const noexcept { return input_; }
    /// Whether the reader is between two messages: no byte of the next message has been read.
    bool idle() const noexcept {
        return stage_ == Stage::done || (stage_ == Stage::head && buffer_.empty());
    }

protected:
    enum class Stage : std::uint8_t { head, body, done, failed };

    MessageReader(std::size_t max_head_bytes, BodyReader::Extras extras) noexcept
        : buffer_(max_head_bytes), body_(extras) {}

    void begin_head() noexcept {
        buffer_.clear();
        head_.fields.clear();
        stage_ = Stage::head;
    }
    Event begin_body(std::uint64_t max_bytes) noexcept {
        body_.begin(head_.body, max_bytes);
        stage_ = Stage::body;
        return Event::head;
    }
    /// Ends reading; the rest of the input is dropped.
    void fail_reading() noexcept {
        stage_ = Stage::failed;
        input_ = {};
    }

    std::string_view input_;
    HeadBuffer buffer_;
    BodyReader body_;
    Head head_;
    Stage stage_ = Stage::done;

private:
    Derived& derived() noexcept { return static_cast<Derived&>(*this); }

    Event read_body() noexcept {
        auto const step = body_.next(input_);
        switch (step) {
            case BodyReader::Step::more:
                return Event::need_more;
            case BodyReader::Step::data:
                return Event::body;
            case BodyReader::Step::done:
                stage_ = Stage::done;
                return Event::done;
            case BodyReader::Step::too_large:
            case BodyReader::Step::malformed:
                break;
        }
        derived().fail_body(step == BodyReader::Step::too_large);
        return Event::failed;
    }
};

}  // namespace lanyard::http
