#include "server/call/calls.hpp"

#include "lanyard/server/server.hpp"
#include "server/call/call.hpp"

namespace lanyard::server {

namespace {

// The maximum number of open URL elicitations recorded for a client.
constexpr std::size_t max_url_elicitations = 1'000;

}  // namespace

Calls::Calls(std::shared_ptr<ServerCore> core, boost::asio::any_io_executor executor,
             CallsOwner& owner)
    : core_(std::move(core)),
      executor_(std::move(executor)),
      loop_(runtime::Loop::of(executor_)),
      owner_(owner),
      mailbox_(std::make_shared<Mailbox>(executor_)) {}

Calls::~Calls() {
    mailbox_->close();
    for (auto const& call : calls_) call->detach();
}

Call& Calls::take() {
    if (free_.empty()) {
        auto const slot = static_cast<std::uint32_t>(calls_.size());
        calls_.push_back(std::make_shared<Call>(*this, slot));
        free_.reserve(calls_.capacity());
        return *calls_.back();
    }
    auto const slot = free_.back();
    free_.pop_back();
    return *calls_[slot];
}

void Calls::list_pending(std::string const& session, std::vector<UnansweredRequest>& found) const {
    for (auto const& call : calls_) {
        if (!call->in_use()) continue;
        auto const& request = call->request();
        found.push_back({session, true, std::string(request.method()), std::string(request.id()),
                         now() - request.received()});
    }
}

void Calls::give_back(Call& call) {
    if (std::exchange(call.timed_, false)) deadlines_.remove(call.slot());
    free_.push_back(call.slot());
    if (in_use() == 0) idle_.notify();
}

void Calls::on_time(TimePoint now) {
    while (deadlines_.next() <= now) {
        auto const slot = deadlines_.top();
        deadlines_.remove(slot);
        calls_[slot]->on_timeout();
    }
}

Task<> Calls::wait_until_idle(TimePoint until) {
    while (in_use() != 0 && !ended_ && now() < until) {
        co_await idle_.wait_until(core_->time(), until);
    }
}

void Calls::stop_waiting() {
    ended_ = true;
    idle_.notify();
}

Task<> Calls::wait_for_tasks(TimePoint until) {
    while (tasks_ != 0 && now() < until) co_await idle_.wait_until(core_->time(), until);
}

void Calls::add_url_elicitation(std::string id) {
    if (url_elicitations_.size() == max_url_elicitations)
        url_elicitations_.erase(url_elicitations_.begin());
    url_elicitations_.push_back(std::move(id));
}

bool Calls::take_url_elicitation(std::string const& id) {
    return std::erase(url_elicitations_, id) != 0;
}

}  // namespace lanyard::server
