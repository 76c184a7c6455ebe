#include "sockets/acceptor.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/socket.h>

namespace lanyard::sockets {
namespace {

// The maximum number of connections accepted in a row. After that, the existing connections get
// their turn.
constexpr int accepts_at_a_time = 64;
constexpr Duration pause = std::chrono::milliseconds(50);

transport::Descriptor make_reserve() {
    return transport::Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

}  // namespace

Acceptor::Acceptor(boost::asio::any_io_executor const& executor, transport::Descriptor socket,
                   TimeSource& time, Take take, Log log, Drop drop)
    : socket_(transport::adopt(executor, std::move(socket))),
      reserve_(make_reserve()),
      time_(time),
      take_(std::move(take)),
      log_(std::move(log)),
      drop_(std::move(drop)),
      alarm_(time.make_alarm(executor, [this] { accept_all(); })) {}

void Acceptor::start() {
    wait();
}

void Acceptor::stop() noexcept {
    if (stopped_) return;
    while (accept_one()) continue;
    stopped_ = true;
    alarm_->set(TimePoint::max());
    boost::system::error_code ignored;
    socket_.close(ignored);
    reserve_ = transport::Descriptor();
    // The functions may own objects that own this acceptor. Releasing the functions breaks the
    // ownership cycle.
    take_ = nullptr;
    log_ = nullptr;
    drop_ = nullptr;
}

void Acceptor::wait() {
    socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](auto const& error) {
                           if (!error && !self->stopped_) self->accept_all();
                       });
}

void Acceptor::accept_all() {
    try {
        for (int i = 0; i < accepts_at_a_time; ++i) {
            if (!accept_one()) break;
        }
        if (stopped_) return;
        if (!dry_) {
            wait();
            return;
        }
    } catch (std::bad_alloc const&) {
        // A connection may be lost. The others continue, and later connections are accepted.
    }
    alarm_->set(time_.now() + pause);
}

// Returns false if no connection can be accepted at the moment.
bool Acceptor::accept_one() {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    auto const socket = ::accept4(socket_.native_handle(), reinterpret_cast<sockaddr*>(&peer),
                                  &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket >= 0) {
        dry_ = false;
        if (!reserve_.is_open()) reserve_ = make_reserve();
        take_(socket, name_of(peer));
        return true;
    }
    switch (errno) {
        case EAGAIN:
            dry_ = false;
            return false;
        case EINTR:
        case ECONNABORTED:
        case EPROTO:
            // Try again: the call was interrupted, or the client disconnected before it was
            // accepted.
            return true;
        default:
            run_dry(errno);
            return false;
    }
}

void Acceptor::run_dry(int error) {
    if (!std::exchange(dry_, true) && log_) {
        log_("no connection can be taken: " + std::generic_category().message(error));
    }
    // No descriptor is left. Closes the reserved descriptor, so that the client that has waited
    // longest can be accepted and disconnected. Otherwise the client would wait without an answer.
    reserve_ = transport::Descriptor();
    if (transport::Descriptor const client(
            ::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC));
        client.is_open() && drop_) {
        drop_();
    }
    reserve_ = make_reserve();
}

}  // namespace lanyard::sockets
