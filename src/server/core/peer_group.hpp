// PeerGroup: the interface through which the server notifies, lists and stops its peers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lanyard/protocol/logging.hpp"
#include "lanyard/server/server.hpp"
#include "peer/list_changed.hpp"
#include "server/core/mailbox.hpp"

namespace lanyard::server {

/// One or more peers on one executor. All functions must be called on the executor, unless their
/// comments say otherwise.
class PeerGroup : public std::enable_shared_from_this<PeerGroup> {
public:
    virtual ~PeerGroup() = default;
    PeerGroup(PeerGroup const&) = delete;
    PeerGroup& operator=(PeerGroup const&) = delete;

    /// Runs the function on the executor if the group still exists. May be called on any thread.
    template <class F>
    void post(F function) {
        mailbox().post([self = weak_from_this(), function = std::move(function)]() mutable {
            if (auto const group = self.lock()) function(*group);
        });
    }
    /// Refuses new requests, and closes when the requests in progress have ended or the grace
    /// period is over. May be called on any thread.
    void stop(Duration grace) {
        post([grace](PeerGroup& group) { group.shut_down(grace); });
    }
    /// Appends information about the group's sessions. May be called on any thread.
    virtual void list_sessions(std::vector<SessionInfo>& sessions) const = 0;
    /// Appends the requests that are pending now.
    virtual void list_pending(std::vector<UnansweredRequest>& found) const = 0;
    /// Whether the requests of this group are stateless. May be called on any thread.
    virtual bool is_stateless() const noexcept { return false; }

    virtual void list_changed(rpc::NotifiedList kind) = 0;
    virtual void resource_updated(std::string_view uri) = 0;
    virtual void send_log(LoggingMessageParams const& message) = 0;
    /// Notifies the client whose user was asked to open a web page (the elicitation with this id)
    /// that the user has finished on that page. Does nothing if no client of the group has the id.
    virtual void elicitation_complete(std::string const& id) = 0;

    /// The number of requests that have not ended. May be called on any thread.
    virtual std::size_t in_flight() const noexcept = 0;
    /// The number of requests received so far. May be called on any thread.
    virtual std::uint64_t requests() const noexcept = 0;

protected:
    PeerGroup() = default;

    virtual void shut_down(Duration grace) = 0;

private:
    virtual Mailbox& mailbox() const noexcept = 0;
};

}  // namespace lanyard::server
