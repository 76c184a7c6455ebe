#include "http/server/socket_poll.hpp"

#include <algorithm>
#include <cerrno>

#include <boost/system/system_error.hpp>

#include "runtime/descriptors.hpp"

namespace lanyard::http {
namespace {

[[noreturn]] void fail(char const* what) {
    throw boost::system::system_error(errno, boost::system::system_category(), what);
}

// The maximum number of sockets that are read before the input of the first one is processed.
constexpr std::size_t longest_round = 16;
// How long the output of a socket may wait while the input of other sockets is processed.
constexpr Duration longest_wait = std::chrono::microseconds(100);
// The size of the input buffer for each socket of a round: enough for most requests. It is not a
// power of two, so that the buffers do not compete for the same cache lines.
constexpr std::size_t room_bytes = std::size_t{5} * 1024;

transport::Descriptor make_set() {
    transport::Descriptor set(epoll_create1(EPOLL_CLOEXEC));
    if (!set.is_open()) fail("epoll_create1");
    return set;
}

}  // namespace

SocketPoll::SocketPoll(boost::asio::any_io_executor const& executor, Clock const& clock)
    : set_(transport::adopt(executor, make_set())),
      clock_(clock),
      loop_(runtime::Loop::of(executor)),
      rooms_(std::make_unique_for_overwrite<char[]>(longest_round * room_bytes)) {}

SocketPoll::Place::Place(std::shared_ptr<SocketPoll> poll, int socket, Member& member)
    : poll_(std::move(poll)), member_(member), socket_(socket) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.ptr = &member;
    if (epoll_ctl(poll_->set_.native_handle(), EPOLL_CTL_ADD, socket, &event) != 0) {
        fail("epoll_ctl");
    }
    try {
        if (!poll_->waiting_) poll_->wait(poll_);
    } catch (...) {
        epoll_ctl(poll_->set_.native_handle(), EPOLL_CTL_DEL, socket, nullptr);
        throw;
    }
    ++poll_->members_;
}

SocketPoll::Place::~Place() {
    epoll_ctl(poll_->set_.native_handle(), EPOLL_CTL_DEL, socket_, nullptr);
    for (auto& event : poll_->fetched_) {
        if (event.data.ptr == &member_) event.data.ptr = nullptr;
    }
    // When the last socket is removed, the pending wait is cancelled, because it would keep
    // io_context::run() from returning.
    boost::system::error_code ignored;
    if (--poll_->members_ == 0) poll_->set_.cancel(ignored);
}

void SocketPoll::wait(std::shared_ptr<SocketPoll> self) {
    set_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [self = std::move(self)](auto const& error) mutable {
                        auto& poll = *self;
                        poll.waiting_ = false;
                        if (poll.members_ == 0) return;
                        // The object stays alive, because `self` is moved into the handler of the
                        // next wait.
                        if (error) {
                            poll.wait(std::move(self));
                            return;
                        }
                        poll.fetch(std::move(self));
                        if (auto* const loop = poll.loop_) {
                            loop->drive(poll);
                        } else {
                            while (poll.step()) continue;
                        }
                    });
    waiting_ = true;
}

void SocketPoll::fetch(std::shared_ptr<SocketPoll> self) {
    auto const count =
        epoll_wait(set_.native_handle(), events_.data(), static_cast<int>(events_.size()), 0);
    fetched_ = std::span(events_).first(static_cast<std::size_t>(std::max(count, 0)));
    end_ = turn_ = unsent_ = 0;
    // Starts the wait for the next round now. The events just fetched do not complete this wait;
    // only later events do.
    wait(std::move(self));
}

// Continues the round until a handler is ready to run, or until the round ends. Returns whether a
// handler is ready to run.
bool SocketPoll::step() {
    for (;;) {
        if (turn_ == end_) {
            write_all(end_);
            if (end_ == fetched_.size()) break;
            read_all();
        }
        now_ = clock_.now();
        if (turn_ > unsent_ && now_ - began_ >= longest_wait) write_all(turn_);
        if (turn_ == unsent_) began_ = now_;
        if (auto* const next = member(turn_++)) {
            runtime::Loop::Turn const turn(loop_);
            next->on_turn(now_);
        }
        if (loop_ != nullptr && loop_->has_ready()) return true;
    }
    fetched_ = {};
    end_ = turn_ = unsent_ = 0;
    return loop_ != nullptr && loop_->has_ready();
}

// Reads from the next group of sockets.
void SocketPoll::read_all() {
    auto const begin = end_;
    end_ = std::min(begin + longest_round, fetched_.size());
    for (auto i = begin; i < end_; ++i) {
        if (member(i) == nullptr) continue;
        auto const happened = [&](std::uint32_t mask) { return (fetched_[i].events & mask) != 0; };
        member(i)->on_ready({.input = happened(EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR),
                             .output = happened(EPOLLOUT | EPOLLHUP | EPOLLERR),
                             .hung_up = happened(EPOLLRDHUP | EPOLLHUP | EPOLLERR)},
                            {rooms_.get() + (i - begin) * room_bytes, room_bytes});
    }
}

void SocketPoll::write_all(std::size_t end) {
    while (unsent_ < end) {
        if (auto* const next = member(unsent_++)) next->on_round_end(now_);
    }
}

}  // namespace lanyard::http
