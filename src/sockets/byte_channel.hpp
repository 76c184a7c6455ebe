// ByteChannel: receives and sends the bytes of a connected socket, with or without TLS.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include "sockets/tls_engine.hpp"

namespace lanyard::sockets {

/// The system calls of a ByteChannel. None of them blocks. Tests replace them.
struct SocketCalls {
    static ssize_t receive(int socket, std::span<char> room) noexcept {
        return ::recv(socket, room.data(), room.size(), MSG_DONTWAIT);
    }
    static ssize_t peek(int socket, std::span<char> room) noexcept {
        return ::recv(socket, room.data(), room.size(), MSG_DONTWAIT | MSG_PEEK);
    }
    static ssize_t send(int socket, std::string_view bytes) noexcept {
        return ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    static void half_close(int socket) noexcept { ::shutdown(socket, SHUT_WR); }
};

/// A ByteChannel never waits and has no timers. Its owner waits for the socket, decides when to
/// read and to write, and owns the socket.
///
/// Reading, if the socket is readable:
///
///     channel.on_readable();
///     auto const bytes = channel.receive(room);
///     channel.unwrap(bytes, plaintext, [](std::string_view text) { ... });
///     if (channel.input() == Input::drained) wait until the socket is readable;
///
/// Writing:
///
///     while (auto const taken = channel.send(output)) remove `taken` bytes from the output;
///     if (channel.output() == Output::full) wait until the socket is writable;
///     channel.on_writable();
///
/// Not thread-safe.
template <typename Calls>
class BasicByteChannel {
public:
    enum class Input : std::uint8_t {
        available,   ///< receive() may return bytes
        drained,     ///< there are no bytes until on_readable() is called
        ended,       ///< the peer has half-closed the connection; with TLS, by a close_notify
        cut,         ///< the connection ended without the close_notify of TLS
        tls_failed,  ///< fault() of the TLS engine describes the error
        failed,      ///< the socket failed; input_error() is the error number
    };
    enum class Output : std::uint8_t {
        open,    ///< send() may take bytes
        full,    ///< the socket accepts no bytes until on_writable() is called
        ended,   ///< this side has half-closed the connection
        failed,  ///< the socket failed; output_error() is the error number
    };

    explicit BasicByteChannel(int socket, std::unique_ptr<TlsEngine> tls = nullptr) noexcept
        : tls_(std::move(tls)), socket_(socket) {}

    /// Must be called when the socket is closed. Later operations do nothing or fail.
    void close() noexcept { socket_ = -1; }

    // Input.

    Input input() const noexcept { return input_; }
    bool is_input_open() const noexcept { return input_ <= Input::drained; }
    /// Must be called when the socket is readable.
    void on_readable() noexcept {
        if (input_ == Input::drained) input_ = Input::available;
    }
    /// Must be called when the peer has half-closed the connection. Unread bytes may remain, so
    /// input() does not become `drained` before the end of the input was received.
    void on_hang_up() noexcept { hung_up_ = true; }
    bool is_hung_up() const noexcept { return hung_up_; }
    /// Ignores the input that remains.
    void end_input() noexcept {
        if (is_input_open()) input_ = Input::ended;
    }

    /// Reads once, if input is available. Returns the bytes in `room`. If there are none, returns
    /// an empty view, and input() returns the reason. With TLS the bytes are ciphertext.
    std::string_view receive(std::span<char> room) noexcept;
    /// Whether the socket has unread bytes.
    bool has_unread() const noexcept {
        char byte = 0;
        return Calls::peek(socket_, {&byte, 1}) > 0;
    }

    /// Calls `take` with the received bytes. With TLS, calls `take` with their plaintext instead,
    /// which is written to `plaintext` piece by piece.
    template <typename Take>
    void unwrap(std::string_view bytes, std::string& plaintext, Take const& take) {
        if (!tls_) {
            take(bytes);
            return;
        }
        decrypt(bytes);
        while (read_plaintext(plaintext)) take(std::string_view(plaintext));
    }
    /// The steps of unwrap() with TLS, for owners that take the plaintext in pieces: decrypt()
    /// takes received bytes, then read_plaintext() replaces `plaintext` with the next piece, or
    /// returns false if there is none. After either step there may be output to flush.
    void decrypt(std::string_view ciphertext) { tls_->receive(ciphertext); }
    bool read_plaintext(std::string& plaintext) {
        if (tls_->read(plaintext)) return true;
        judge_tls();
        return false;
    }

    // Output.

    Output output() const noexcept { return output_; }
    /// Must be called when the socket is writable.
    void on_writable() noexcept {
        if (output_ == Output::full) output_ = Output::open;
    }
    /// Sends as much as the socket accepts and returns the number of bytes taken. With TLS, the
    /// taken bytes include bytes that are encrypted but not sent yet. Fewer than all bytes are
    /// taken in these cases:
    /// - output() is not `open` afterwards.
    /// - The TLS handshake is not complete, or TLS has failed.
    std::size_t send(std::string_view bytes) {
        if (output_ != Output::open) return 0;
        return tls_ ? send_encrypted(bytes) : send_raw(bytes);
    }
    /// Sends the ciphertext that has not been sent yet. Returns false if some of it remains.
    bool flush() noexcept;
    bool has_unsent() const noexcept { return tls_ && !tls_->output().empty(); }
    /// Half-closes the connection. Must be called after all output was taken. With TLS, first sends
    /// the remaining ciphertext and a close_notify. Returns false if the socket has failed or does
    /// not accept all these bytes yet. If output() is `full`, call end() again after on_writable().
    bool end();
    /// Like end(), but half-closes the connection even if the socket does not accept the output
    /// that remains.
    void end_now();
    /// Number of bytes that the socket has accepted.
    std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }

    /// The error number of the input or output operation that failed; 0 if none has failed.
    int input_error() const noexcept { return input_error_; }
    int output_error() const noexcept { return output_error_; }
    /// Null without TLS.
    TlsEngine* tls() const noexcept { return tls_.get(); }
    /// Gives the TLS engine to the next user of the socket, and closes the channel.
    std::unique_ptr<TlsEngine> take_tls() noexcept {
        close();
        return std::move(tls_);
    }

private:
    std::size_t send_raw(std::string_view bytes) noexcept;
    std::size_t send_encrypted(std::string_view bytes);
    void judge_tls() noexcept;
    void half_close() noexcept;

    std::unique_ptr<TlsEngine> tls_;
    std::uint64_t bytes_sent_ = 0;
    int socket_;
    int input_error_ = 0;
    int output_error_ = 0;
    Input input_ = Input::available;
    Output output_ = Output::open;
    bool hung_up_ = false;
};

template <typename Calls>
std::string_view BasicByteChannel<Calls>::receive(std::span<char> room) noexcept {
    while (input_ == Input::available) {
        auto const size = Calls::receive(socket_, room);
        if (size > 0) {
            auto const got = static_cast<std::size_t>(size);
            // If the read did not fill the buffer, the socket has no more bytes for now. After a
            // half-close, another read is needed nevertheless, because only that read returns the
            // end of the input.
            if (got < room.size() && !hung_up_) input_ = Input::drained;
            return {room.data(), got};
        }
        if (size == 0) {
            input_ = tls_ ? Input::cut : Input::ended;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            input_ = Input::drained;
        } else if (errno != EINTR) {
            input_ = Input::failed;
            input_error_ = errno;
        }
    }
    return {};
}

template <typename Calls>
void BasicByteChannel<Calls>::judge_tls() noexcept {
    if (!is_input_open()) return;
    if (tls_->state() == TlsEngine::State::ended) input_ = Input::ended;
    if (tls_->state() == TlsEngine::State::failed) input_ = Input::tls_failed;
}

template <typename Calls>
std::size_t BasicByteChannel<Calls>::send_raw(std::string_view bytes) noexcept {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        auto const size = Calls::send(socket_, bytes.substr(sent));
        if (size >= 0) {
            sent += static_cast<std::size_t>(size);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            output_ = Output::full;
            break;
        } else if (errno != EINTR) {
            output_ = Output::failed;
            output_error_ = errno;
            break;
        }
    }
    bytes_sent_ += sent;
    return sent;
}

template <typename Calls>
std::size_t BasicByteChannel<Calls>::send_encrypted(std::string_view bytes) {
    std::size_t taken = 0;
    for (;;) {
        // The engine takes only a limited amount at a time.
        auto const piece = tls_->write(bytes.substr(taken));
        taken += piece;
        if (!flush() || piece == 0 || taken == bytes.size()) return taken;
    }
}

template <typename Calls>
bool BasicByteChannel<Calls>::flush() noexcept {
    while (has_unsent() && output_ == Output::open) tls_->consume(send_raw(tls_->output()));
    return !has_unsent();
}

template <typename Calls>
bool BasicByteChannel<Calls>::end() {
    if (output_ != Output::open) return output_ == Output::ended;
    if (tls_) tls_->end();
    if (!flush()) return false;
    half_close();
    return true;
}

template <typename Calls>
void BasicByteChannel<Calls>::end_now() {
    if (output_ == Output::ended) return;
    if (tls_) tls_->end();
    flush();
    half_close();
}

template <typename Calls>
void BasicByteChannel<Calls>::half_close() noexcept {
    output_ = Output::ended;
    Calls::half_close(socket_);
}

extern template class BasicByteChannel<SocketCalls>;

using ByteChannel = BasicByteChannel<SocketCalls>;

}  // namespace lanyard::sockets
