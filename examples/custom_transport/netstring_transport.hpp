// A custom transport: messages as netstrings ("5:hello,") over a Unix socket that the client passes
// to the server on start.
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <lanyard/error.hpp>
#include <lanyard/transport.hpp>

namespace netstring {

namespace asio = boost::asio;
using Socket = asio::local::stream_protocol::socket;

constexpr std::size_t max_message = 16 * 1024 * 1024;

class Transport : public lanyard::Transport {
public:
    explicit Transport(Socket socket) : socket_(std::move(socket)) {}

    asio::any_io_executor executor() const override {
        return const_cast<Socket&>(socket_).get_executor();
    }

    lanyard::Task<std::optional<std::span<lanyard::rpc::Frame const>>> read() override {
        buffer_.erase(0, taken_);
        taken_ = 0;
        frames_.clear();
        for (take_frames(); frames_.empty(); take_frames()) {
            std::array<char, 16 * 1024> bytes;
            auto const [error, size] = co_await socket_.async_read_some(
                asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
            if (closed_ || error == asio::error::eof) co_return std::nullopt;
            if (error == asio::error::operation_aborted) {
                throw boost::system::system_error(error);
            }
            if (error) throw lanyard::Error(lanyard::Errc::transport_down, error.message());
            buffer_.append(bytes.data(), size);
            info_.bytes_in += size;
        }
        co_return std::span<lanyard::rpc::Frame const>(frames_);
    }

    lanyard::Task<> write(lanyard::rpc::Outbox& outbox) override {
        while (!outbox.empty()) {
            std::string bytes = std::to_string(outbox.front().size()) + ":";
            bytes.append(outbox.front()).push_back(',');
            outbox.pop();
            auto const [error, size] = co_await asio::async_write(
                socket_, asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
            if (error) throw lanyard::Error(lanyard::Errc::transport_down, error.message());
            ++info_.messages_out;
            info_.bytes_out += size;
        }
    }

    void close() noexcept override {
        closed_ = true;
        boost::system::error_code ignored;
        socket_.close(ignored);
    }
    void close_output() noexcept override {
        boost::system::error_code ignored;
        socket_.shutdown(Socket::shutdown_send, ignored);
    }

    lanyard::TransportInfo info() const override { return info_; }
    lanyard::TransportTraits traits() const noexcept override { return {.half_closes = true}; }

private:
    // Takes the complete netstrings out of the buffer.
    void take_frames() {
        using Kind = lanyard::rpc::Frame::Kind;
        for (;;) {
            auto const rest = std::string_view(buffer_).substr(taken_);
            auto const colon = rest.find(':');
            if (colon == std::string_view::npos && rest.size() < 9) return;
            std::size_t size = 0;
            auto const digits = rest.substr(0, std::min<std::size_t>(colon, 9));
            auto const parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size);
            if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() ||
                colon > 8 || size > max_message) {
                frames_.push_back({Kind::broken, "this is no netstring"});
                return;
            }
            if (rest.size() < colon + size + 2) return;
            if (rest[colon + size + 1] != ',') {
                frames_.push_back({Kind::broken, "a netstring does not end with a comma"});
                return;
            }
            frames_.push_back({Kind::message, rest.substr(colon + 1, size)});
            taken_ += colon + size + 2;
            ++info_.messages_in;
        }
    }

    Socket socket_;
    std::string buffer_;
    std::size_t taken_ = 0;  // bytes of the buffer that are already in frames
    std::vector<lanyard::rpc::Frame> frames_;
    lanyard::TransportInfo info_{.kind = "netstring", .peer = {}};
    bool closed_ = false;
};

}  // namespace netstring
