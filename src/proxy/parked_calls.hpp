// ParkedCalls: calls that a proxy makes to the other server (the server whose features the proxy
// offers), and that wait until the proxy's client answers a question of that server. The client
// sends the answer by repeating its request.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "proxy/upstream_call.hpp"

namespace lanyard::proxy {

/// Stores pending calls to the other server, by id. The other server has asked a question during
/// each of these calls, and the client has not answered the question yet. Thread-safe.
class ParkedCalls : public std::enable_shared_from_this<ParkedCalls> {
public:
    ParkedCalls(std::size_t most, Duration wait) : most_(most), wait_(wait) {}
    /// Cancels all calls.
    ~ParkedCalls();
    ParkedCalls(ParkedCalls const&) = delete;
    ParkedCalls& operator=(ParkedCalls const&) = delete;

    /// Throws Error (busy) if the maximum number of calls (`most`) is already parked.
    void check_room();
    /// Keeps the call until take() removes it. If that does not happen within `wait` (see the
    /// constructor), cancels the call.
    void park(std::string const& id, std::shared_ptr<UpstreamCall> const& call);
    /// Removes the call and returns it; null if there is no such call.
    std::shared_ptr<UpstreamCall> take(std::string const& id);

private:
    void expire(std::string const& id);
    /// Like take(), but does not cancel the alarm of the call.
    std::shared_ptr<UpstreamCall> remove(std::string const& id);

    std::size_t most_;
    Duration wait_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<UpstreamCall>> calls_;
};

}  // namespace lanyard::proxy
