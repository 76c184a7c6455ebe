#include "server/clients/pending_list.hpp"

#include <iterator>

#include <boost/asio/this_coro.hpp>

#include "runtime/event.hpp"
#include "server/core/mailbox.hpp"
#include "server/core/peer_group.hpp"
#include "server/core/server_core.hpp"

namespace lanyard::server {

namespace {

/// The requests that were listed so far. Each connection that has not yet listed its requests
/// shares the ownership of this object. The waiting coroutine is woken when the last connection has
/// released this object.
class PendingList {
public:
    /// Only the waiting coroutine owns `complete`, which must not outlive the coroutine's executor.
    PendingList(std::shared_ptr<Mailbox> waiter, std::weak_ptr<runtime::Event> complete,
                std::shared_ptr<std::vector<UnansweredRequest>> result)
        : waiter_(std::move(waiter)), complete_(std::move(complete)), result_(std::move(result)) {}
    ~PendingList() {
        waiter_->post([complete = complete_, result = result_, found = std::move(found_),
                       done = done_]() mutable {
            *result = std::move(found);
            *done = true;
            if (auto const event = complete.lock()) event->notify();
        });
    }
    PendingList(PendingList const&) = delete;
    PendingList& operator=(PendingList const&) = delete;

    std::shared_ptr<bool> const& done() const noexcept { return done_; }
    void add(PeerGroup const& group) {
        std::vector<UnansweredRequest> own;
        group.list_pending(own);
        std::lock_guard const lock(mutex_);
        found_.insert(found_.end(), std::make_move_iterator(own.begin()),
                      std::make_move_iterator(own.end()));
    }

private:
    std::shared_ptr<Mailbox> waiter_;
    std::weak_ptr<runtime::Event> complete_;
    std::shared_ptr<std::vector<UnansweredRequest>> result_;
    std::shared_ptr<bool> done_ = std::make_shared<bool>(false);
    std::mutex mutex_;
    std::vector<UnansweredRequest> found_;  // guarded by mutex_
};

/// Closes the mailbox when the coroutine that owns this object ends.
class ClosedAtEnd {
public:
    explicit ClosedAtEnd(Mailbox& mailbox) noexcept : mailbox_(mailbox) {}
    ~ClosedAtEnd() { mailbox_.close(); }
    ClosedAtEnd(ClosedAtEnd const&) = delete;
    ClosedAtEnd& operator=(ClosedAtEnd const&) = delete;

private:
    Mailbox& mailbox_;
};

}  // namespace

Task<std::vector<UnansweredRequest>> list_pending(std::shared_ptr<ServerCore> core) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const waiter = std::make_shared<Mailbox>(executor);
    ClosedAtEnd const closed(*waiter);
    auto const complete = std::make_shared<runtime::Event>(executor);
    auto const result = std::make_shared<std::vector<UnansweredRequest>>();
    auto list = std::make_shared<PendingList>(waiter, complete, result);
    auto const done = list->done();
    auto const ask = [&list](PeerGroup& group) {
        group.post([list](PeerGroup& asked) { list->add(asked); });
    };
    core->each_group(ask);
    list.reset();
    while (!*done) co_await complete->wait();
    co_return std::move(*result);
}

}  // namespace lanyard::server
