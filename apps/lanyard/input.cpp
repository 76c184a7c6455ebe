#include "input.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace lanyard::app {
namespace {

int new_epoll() {
    int const descriptor = epoll_create1(EPOLL_CLOEXEC);
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "epoll");
    return descriptor;
}

}  // namespace

Input::Input(boost::asio::any_io_executor const& executor, int descriptor)
    : descriptor_(descriptor), epoll_(executor, new_epoll()) {
    epoll_event event{};
    event.events = EPOLLIN;
    waits_ = epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

Task<bool> Input::wait() {
    if (!waits_) co_return true;
    boost::system::error_code failed;
    auto token = boost::asio::redirect_error(boost::asio::use_awaitable, failed);
    co_await epoll_.async_wait(boost::asio::posix::stream_descriptor::wait_read, token);
    co_return !failed;
}

void Input::cancel() {
    boost::system::error_code ignored;
    epoll_.cancel(ignored);
}

std::optional<std::string> Input::read() {
    pollfd waiting{descriptor_, POLLIN, 0};
    if (poll(&waiting, 1, 0) == 0) return std::nullopt;
    std::array<char, 4096> bytes{};
    auto const got = ::read(descriptor_, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return std::nullopt;
    return std::string(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
}

}  // namespace lanyard::app
