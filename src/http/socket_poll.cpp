#include "http/socket_poll.hpp"

#include <algorithm>
#include <cerrno>

#include <boost/system/system_error.hpp>

namespace lanyard::http {
namespace {

[[noreturn]] void fail(char const* what) {
    throw boost::system::system_error(errno, boost::system::system_category(), what);
}

// How many sockets take part in a round, and how long one may wait until it writes.
constexpr std::size_t longest_round = 16;
constexpr Duration longest_wait = std::chrono::microseconds(100);
// Enough for most requests. No power of two, lest all rooms compete for the same lines of a cache.
constexpr std::size_t room_bytes = std::size_t{5} * 1024;

int make_set() {
    auto const set = epoll_create1(EPOLL_CLOEXEC);
    if (set < 0) fail("epoll_create1");
    return set;
}

}  // namespace

SocketPoll::SocketPoll(boost::asio::any_io_executor const& executor, Clock const& clock)
    : set_(executor, make_set()),
      clock_(clock),
      rooms_(std::make_unique_for_overwrite<char[]>(longest_round * room_bytes)) {}

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
    for (auto& event : poll_->fetched_) {
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
    fetched_ = std::span(events_).first(static_cast<std::size_t>(std::max(count, 0)));
    // What was fetched does not wake the executor again; what comes from now on does.
    wait();
    for (std::size_t begin = 0; begin < fetched_.size(); begin += longest_round) {
        run_round(fetched_.subspan(begin, std::min(longest_round, fetched_.size() - begin)));
    }
    fetched_ = {};
}

void SocketPoll::run_round(Events round) {
    auto const member = [](epoll_event const& event) {
        return static_cast<Member*>(event.data.ptr);
    };
    for (std::size_t i = 0; i < round.size(); ++i) {
        if (member(round[i]) == nullptr) continue;
        auto const happened = [&](std::uint32_t mask) { return (round[i].events & mask) != 0; };
        member(round[i])->on_ready({.input = happened(EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR),
                                    .output = happened(EPOLLOUT | EPOLLHUP | EPOLLERR),
                                    .hung_up = happened(EPOLLRDHUP | EPOLLHUP | EPOLLERR)},
                                   {rooms_.get() + i * room_bytes, room_bytes});
    }
    std::size_t begin = 0;  // of those who have not written yet
    TimePoint began;
    TimePoint now;
    for (std::size_t i = 0; i < round.size(); ++i) {
        now = clock_.now();
        if (i > begin && now - began >= longest_wait) {
            end_round(round.subspan(begin, i - begin), now);
            begin = i;
        }
        if (i == begin) began = now;
        if (member(round[i]) != nullptr) member(round[i])->on_turn(now);
    }
    end_round(round.subspan(begin), now);
}

void SocketPoll::end_round(Events round, TimePoint now) {
    for (auto const& event : round) {
        if (event.data.ptr != nullptr) static_cast<Member*>(event.data.ptr)->on_round_end(now);
    }
}

}  // namespace lanyard::http
