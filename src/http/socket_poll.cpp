#include "http/socket_poll.hpp"

#include <algorithm>
#include <cerrno>

#include <boost/system/system_error.hpp>

namespace lanyard::http {
namespace {

[[noreturn]] void fail(char const* what) {
    throw boost::system::system_error(errno, boost::system::system_category(), what);
}

int make_set() {
    auto const set = epoll_create1(EPOLL_CLOEXEC);
    if (set < 0) fail("epoll_create1");
    return set;
}

}  // namespace

SocketPoll::SocketPoll(boost::asio::any_io_executor const& executor) : set_(executor, make_set()) {}

SocketPoll::Place::Place(std::shared_ptr<SocketPoll> poll, int socket, Member& member)
    : poll_(std::move(poll)), member_(member), socket_(socket) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.ptr = &member;
    if (epoll_ctl(poll_->set_.native_handle(), EPOLL_CTL_ADD, socket, &event) != 0) {
        fail("epoll_ctl");
    }
    ++poll_->members_;
    if (!poll_->waiting_) poll_->wait();
}

SocketPoll::Place::~Place() {
    epoll_ctl(poll_->set_.native_handle(), EPOLL_CTL_DEL, socket_, nullptr);
    for (auto& event : poll_->untold_) {
        if (event.data.ptr == &member_) event.data.ptr = nullptr;
    }
    // Where nobody waits, nothing is to keep the executor from running out of work.
    boost::system::error_code ignored;
    if (--poll_->members_ == 0) poll_->set_.cancel(ignored);
}

void SocketPoll::wait() {
    waiting_ = true;
    set_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](auto const& error) {
                        self->waiting_ = false;
                        if (self->members_ == 0) return;
                        if (error) {
                            self->wait();
                        } else {
                            self->on_wake();
                        }
                    });
}

void SocketPoll::on_wake() {
    auto const count =
        epoll_wait(set_.native_handle(), events_.data(), static_cast<int>(events_.size()), 0);
    untold_ = std::span(events_).first(static_cast<std::size_t>(std::max(count, 0)));
    // What was fetched does not wake the executor again; what comes from now on does.
    wait();
    while (!untold_.empty()) {
        auto const event = untold_.front();
        untold_ = untold_.subspan(1);
        if (event.data.ptr == nullptr) continue;
        auto const happened = [&](std::uint32_t mask) { return (event.events & mask) != 0; };
        static_cast<Member*>(event.data.ptr)
            ->on_ready({.input = happened(EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR),
                        .output = happened(EPOLLOUT | EPOLLHUP | EPOLLERR),
                        .hung_up = happened(EPOLLRDHUP | EPOLLHUP | EPOLLERR)});
    }
}

}  // namespace lanyard::http
