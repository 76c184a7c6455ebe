#include "transport/stream_transport.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/turn.hpp"

namespace lanyard::transport {

namespace {

constexpr std::size_t read_size = 64 * 1024;
// After this many reads, timers and other connections get their turn, even if the peer sends
// without a pause.
constexpr int most_reads_in_a_row = 8;

// Makes the descriptor non-blocking. Returns its previous flags, so that they can be restored:
// other processes may share the descriptor.
int set_non_blocking(int descriptor) noexcept {
    int const flags = fcntl(descriptor, F_GETFL);
    if (flags >= 0) fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
    return flags;
}

bool is_pipe_or_socket(int descriptor) noexcept {
    struct stat info{};
    return fstat(descriptor, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
}

std::variant<rpc::LineReader, rpc::ContentLengthReader> make_reader(StreamOptions const& options) {
    if (options.framing() == Framing::content_length) {
        return rpc::ContentLengthReader(options.max_message_bytes());
    }
    return rpc::LineReader(options.max_message_bytes());
}

}  // namespace

StreamTransport::StreamTransport(boost::asio::any_io_executor const& executor, Descriptor in,
                                 Descriptor out, StreamOptions const& options, TransportInfo info)
    : executor_(executor),
      in_(adopt(executor, std::move(in))),
      out_(adopt(executor, std::move(out))),
      output_closed_(executor),
      options_(options),
      reader_(make_reader(options)),
      buffer_(read_size),
      in_flags_(set_non_blocking(in_.native_handle())),
      out_flags_(set_non_blocking(out_.native_handle())),
      waits_(is_pipe_or_socket(in_.native_handle())),
      info_(std::move(info)) {}

StreamTransport::~StreamTransport() {
    StreamTransport::close();
}

Task<std::optional<std::span<rpc::Frame const>>> StreamTransport::read() {
    return pumps() ? pump() : read_frames();
}

void StreamTransport::wait_readable(Woken woken) {
    in_.async_wait(Waiting::wait_read, std::move(woken));
}

Task<std::optional<std::span<rpc::Frame const>>> StreamTransport::read_frames() {
    batch_.clear();
    while (batch_.empty()) {
        if (closed_ || input_ended_) co_return std::nullopt;
        if (reads_in_a_row_ == most_reads_in_a_row) {
            reads_in_a_row_ = 0;
            co_await runtime::give_turn();
            continue;
        }
        ++reads_in_a_row_;
        if (read_some()) continue;
        reads_in_a_row_ = 0;
        auto const [error] = co_await in_.async_wait(Waiting::wait_read, runtime::without_frame);
        if (error && !closed_) throw Error(Errc::transport_down, error.message());
    }
    co_return batch_.view();
}

bool StreamTransport::read_some() {
    auto const got = ::read(in_.native_handle(), buffer_.data(), buffer_.size());
    if (got < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
        if (errno == EINTR) return true;
        throw Error(Errc::transport_down, std::generic_category().message(errno));
    }
    if (got == 0) {
        input_ended_ = true;
        auto last = std::visit([](auto& reader) { return reader.finish(); }, reader_);
        if (last) keep(*last);
        return true;
    }
    info_.bytes_in += static_cast<std::uint64_t>(got);
    dry_ = waits_ && static_cast<std::size_t>(got) < buffer_.size();
    auto const bytes = std::string_view(buffer_.data(), static_cast<std::size_t>(got));
    std::visit(
        [this, bytes](auto& reader) {
            reader.feed(bytes);
            while (auto const frame = reader.next()) keep(*frame);
        },
        reader_);
    return true;
}

void StreamTransport::keep(rpc::Frame const& frame) {
    if (frame.kind == rpc::Frame::Kind::message) {
        ++info_.messages_in;
    } else if (options_.framing() == Framing::content_length) {
        // The reader can no longer find where messages begin, so no further message can be read.
        input_ended_ = true;
    }
    batch_.add(frame.kind, frame.text, {buffer_.data(), buffer_.size()}, frame.remains);
}

bool StreamTransport::write_bytes(char const* data, std::size_t size,
                                  std::size_t& written) noexcept {
    for (;;) {
        auto const sent = ::write(out_.native_handle(), data, size);
        if (sent >= 0) {
            written = static_cast<std::size_t>(sent);
            info_.bytes_out += written;
            return true;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) write_error_ = errno;
        return false;
    }
}

void StreamTransport::frame_next(rpc::Outbox& outbox) {
    framed_.clear();
    framed_sent_ = 0;
    rpc::append_content_length(framed_, outbox.front().size());
    framed_.append(outbox.front());
    outbox.pop();
}

auto StreamTransport::send(rpc::Outbox& outbox) noexcept -> Progress {
    while (write_error_ == 0 && out_.is_open()) {
        std::size_t written = 0;
        if (options_.framing() == Framing::newline) {
            if (outbox.empty()) return Progress::sent;
            auto const bytes = outbox.bytes();
            if (!write_bytes(bytes.data(), bytes.size(), written)) break;
            auto const before = outbox.count();
            outbox.consume(written);
            info_.messages_out += before - outbox.count();
        } else {
            if (framed_sent_ == framed_.size()) {
                if (outbox.empty()) return Progress::sent;
                frame_next(outbox);
                ++info_.messages_out;
            }
            if (!write_bytes(framed_.data() + framed_sent_, framed_.size() - framed_sent_,
                             written)) {
                break;
            }
            framed_sent_ += written;
        }
    }
    return write_error_ != 0 || !out_.is_open() ? Progress::failed : Progress::would_block;
}

void StreamTransport::write_now(rpc::Outbox& outbox) noexcept {
    send(outbox);
}

Task<> StreamTransport::write(rpc::Outbox& outbox) {
    for (;;) {
        switch (send(outbox)) {
            case Progress::sent:
                co_return;
            case Progress::failed: {
                auto const why = write_error_ != 0 ? std::generic_category().message(write_error_)
                                                   : std::string("the connection is closed");
                throw Error(Errc::transport_down, why);
            }
            case Progress::would_block:
                break;
        }
        auto const [error] = co_await out_.async_wait(Waiting::wait_write, runtime::without_frame);
        if (error && out_.is_open()) throw Error(Errc::transport_down, error.message());
    }
}

// Completes when the reader of the pipe is gone, which the system reports as an error of the pipe.
// If the output is a file, which cannot be waited for, completes when the output is closed.
Task<> StreamTransport::hung_up() {
    if (!out_.is_open()) co_return;
    auto const [error] = co_await out_.async_wait(Waiting::wait_error, runtime::without_frame);
    while (error && out_.is_open()) co_await output_closed_.wait();
}

void StreamTransport::close_output() noexcept {
    if (!out_.is_open()) return;
    if (out_flags_ >= 0) fcntl(out_.native_handle(), F_SETFL, out_flags_);
    boost::system::error_code ignored;
    out_.close(ignored);
    output_closed_.notify();
}

void StreamTransport::close() noexcept {
    if (closed_) return;
    closed_ = true;
    close_output();
    if (in_flags_ >= 0) fcntl(in_.native_handle(), F_SETFL, in_flags_);
    boost::system::error_code ignored;
    in_.close(ignored);
    wake_pump();
}

}  // namespace lanyard::transport
