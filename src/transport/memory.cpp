#include "lanyard/transport/memory.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "lanyard/error.hpp"
#include "runtime/event.hpp"
#include "runtime/post.hpp"
#include "runtime/transport_extras.hpp"

namespace lanyard {

namespace {

// Wakes a coroutine of one transport of a pair from the thread of the other transport. Does nothing
// once the transport to be woken has been destroyed.
class Waker {
public:
    explicit Waker(boost::asio::any_io_executor const& executor)
        : executor_(executor), event_(std::make_shared<runtime::Event>(executor)) {}

    void wake() {
        std::lock_guard const lock(mutex_);
        if (event_) runtime::post_always(executor_, [event = event_] { event->notify(); });
    }
    auto wait() const { return event_->wait(); }
    // To be called when the transport to be woken is destroyed. Its event loop may be destroyed
    // next, so the executor must not be used after this call.
    void retire() {
        std::lock_guard const lock(mutex_);
        event_.reset();
        executor_ = {};
    }

private:
    std::mutex mutex_;
    boost::asio::any_io_executor executor_;
    std::shared_ptr<runtime::Event> event_;
};

// One direction of the connection between two transports: one transport writes, the other one
// reads.
struct Channel {
    Channel(boost::asio::any_io_executor const& writer_executor,
            boost::asio::any_io_executor const& reader_executor, std::size_t most)
        : max_bytes(most), writer(writer_executor), reader(reader_executor) {}

    std::mutex mutex;
    std::string bytes;              // messages, each with its LF
    std::vector<std::size_t> ends;  // the position after the LF of each message
    bool closed = false;
    bool reader_waits = false;
    bool writer_waits = false;
    std::size_t const max_bytes;
    Waker writer;
    Waker reader;
};

class MemoryTransport final : public Transport, public runtime::TransportExtras {
public:
    MemoryTransport(boost::asio::any_io_executor executor, std::shared_ptr<Channel> in,
                    std::shared_ptr<Channel> out)
        : executor_(std::move(executor)), in_(std::move(in)), out_(std::move(out)) {}

    ~MemoryTransport() override {
        in_->reader.retire();
        out_->writer.retire();
        close();
    }

    boost::asio::any_io_executor executor() const override { return executor_; }

    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        while (!take_all()) {
            if (ended_) co_return std::nullopt;
            co_await in_->reader.wait();
        }
        co_return std::span<rpc::Frame const>(frames_);
    }

    void write_now(rpc::Outbox& outbox) noexcept override {
        try {
            put(outbox);
        } catch (std::bad_alloc const&) {
            // The messages stay in the outbox; write() tries again.
        }
    }

    Task<> write(rpc::Outbox& outbox) override {
        for (;;) {
            put(outbox);
            if (outbox.empty()) co_return;
            if (is_closed()) throw Error(Errc::transport_down, "the other end is closed");
            co_await out_->writer.wait();
        }
    }

    void close_output() noexcept override { close(*out_); }

    Task<> hung_up() override {
        while (!is_closed()) co_await out_->writer.wait();
    }

    void close() noexcept override {
        close(*out_);
        close(*in_);
        closed_here_ = true;
    }

    TransportInfo info() const override { return info_; }
    TransportTraits traits() const noexcept override { return {.half_closes = true}; }

private:
    static void close(Channel& channel) noexcept {
        {
            std::lock_guard const lock(channel.mutex);
            if (channel.closed) return;
            channel.closed = true;
        }
        channel.reader.wake();
        channel.writer.wake();
    }

    // Takes all messages that have arrived. Returns false if there are none, and sets ended_ if no
    // more will arrive.
    bool take_all() {
        bool wake = false;
        {
            std::lock_guard const lock(in_->mutex);
            ended_ = closed_here_ || (in_->closed && in_->ends.empty());
            in_->reader_waits = in_->ends.empty();
            if (ended_ || in_->ends.empty()) return false;
            bytes_.clear();
            ends_.clear();
            bytes_.swap(in_->bytes);
            ends_.swap(in_->ends);
            wake = std::exchange(in_->writer_waits, false);
        }
        if (wake) in_->writer.wake();
        frames_.clear();
        std::size_t begin = 0;
        for (auto const end : ends_) {
            auto const text = std::string_view(bytes_).substr(begin, end - begin - 1);
            frames_.push_back({rpc::Frame::Kind::message, text});
            begin = end;
        }
        info_.messages_in += ends_.size();
        info_.bytes_in += bytes_.size();
        return true;
    }

    // Appends the message whose end is already in Channel::ends.
    static void append(Channel& channel, std::string_view message) {
        auto const size = channel.bytes.size();
        try {
            channel.bytes.append(message).push_back('\n');
        } catch (...) {
            channel.bytes.resize(size);
            channel.ends.pop_back();
            throw;
        }
    }

    // Moves as many messages to the channel as there is room for.
    void put(rpc::Outbox& outbox) {
        bool wake = false;
        {
            std::lock_guard const lock(out_->mutex);
            while (!outbox.empty() && !out_->closed &&
                   (out_->bytes.empty() || out_->bytes.size() < out_->max_bytes)) {
                auto const end = out_->bytes.size() + outbox.front().size() + 1;
                out_->ends.push_back(end);
                append(*out_, outbox.front());
                ++info_.messages_out;
                info_.bytes_out += outbox.front().size() + 1;
                outbox.pop();
                wake = true;
            }
            wake = wake && std::exchange(out_->reader_waits, false);
            out_->writer_waits = !outbox.empty();
        }
        if (wake) out_->reader.wake();
    }

    bool is_closed() {
        std::lock_guard const lock(out_->mutex);
        return out_->closed;
    }

    boost::asio::any_io_executor executor_;
    std::shared_ptr<Channel> in_;
    std::shared_ptr<Channel> out_;
    std::string bytes_;
    std::vector<std::size_t> ends_;
    std::vector<rpc::Frame> frames_;
    TransportInfo info_{.kind = "memory", .peer = {}};
    bool ended_ = false;
    bool closed_here_ = false;
};

}  // namespace

std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> memory_pair(
    boost::asio::any_io_executor first, boost::asio::any_io_executor second,
    std::size_t max_bytes) {
    auto const forth = std::make_shared<Channel>(first, second, max_bytes);
    auto const back = std::make_shared<Channel>(second, first, max_bytes);
    return {std::make_unique<MemoryTransport>(first, back, forth),
            std::make_unique<MemoryTransport>(second, forth, back)};
}

}  // namespace lanyard
