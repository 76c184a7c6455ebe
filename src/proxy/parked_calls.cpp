#include "proxy/parked_calls.hpp"

#include <boost/asio/post.hpp>

namespace lanyard::proxy {

ParkedCalls::~ParkedCalls() {
    for (auto const& [id, call] : calls_) {
        call->abandon(Errc::shutdown, "the proxy is being closed");
    }
}

void ParkedCalls::check_room() {
    std::lock_guard const lock(mutex_);
    if (calls_.size() < most_) return;
    throw Error(Errc::busy, "too many calls wait for the answers of their clients");
}

void ParkedCalls::park(std::string const& id, std::shared_ptr<UpstreamCall> const& call) {
    {
        std::lock_guard const lock(mutex_);
        calls_.insert_or_assign(id, call);
    }
    auto ring = [self = weak_from_this(), id] {
        if (auto const calls = self.lock()) calls->expire(id);
    };
    boost::asio::post(call->executor(), [call, ring = std::move(ring), wait = wait_] {
        call->set_alarm(wait, ring);
    });
}

std::shared_ptr<UpstreamCall> ParkedCalls::take(std::string const& id) {
    auto call = remove(id);
    if (call) boost::asio::post(call->executor(), [call] { call->cancel_alarm(); });
    return call;
}

void ParkedCalls::expire(std::string const& id) {
    auto const call = remove(id);
    if (call) call->abandon(Errc::timeout, "the client did not answer in time");
}

std::shared_ptr<UpstreamCall> ParkedCalls::remove(std::string const& id) {
    std::lock_guard const lock(mutex_);
    auto const found = calls_.find(id);
    if (found == calls_.end()) return nullptr;
    auto call = std::move(found->second);
    calls_.erase(found);
    return call;
}

}  // namespace lanyard::proxy
