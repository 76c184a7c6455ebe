// PeerGroup: serves the requests of one or more peers on one executor. Contains everything that
// does not depend on how the requests are transported.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/relaxed_counter.hpp"
#include "lanyard/json/writer.hpp"
#include "lanyard/server/server.hpp"
#include "server/call/call.hpp"
#include "server/call/features.hpp"
#include "server/clients/server_subscriptions.hpp"

namespace lanyard::server {

/// A request for a feature together with the responder that answers it.
template <class ExchangeType>
struct Served final : rpc::InboundWork {
    ExchangeType responder;
    Call* call = nullptr;
    void on_cancel(std::string_view) noexcept override { call->cancel(); }
};

/// All functions must be called on the executor, unless their comments say otherwise.
class PeerGroup : public std::enable_shared_from_this<PeerGroup>, private CallsOwner {
public:
    virtual ~PeerGroup() = default;
    PeerGroup(PeerGroup const&) = delete;
    PeerGroup& operator=(PeerGroup const&) = delete;

    /// Runs the function on the executor if the group still exists. May be called on any thread.
    template <class F>
    void post(F function) {
        calls_.mailbox()->post([self = weak_from_this(), function = std::move(function)]() mutable {
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

    boost::asio::any_io_executor const& executor() const noexcept { return calls_.executor(); }

    // The number of requests that have not ended. May be called on any thread.
    virtual std::size_t in_flight() const noexcept = 0;
    // The number of requests received so far. May be called on any thread.
    std::uint64_t requests() const noexcept { return requests_.value(); }

protected:
    PeerGroup(std::shared_ptr<ServerCore> core, boost::asio::any_io_executor const& executor,
              std::size_t max_subscriptions, ServerSubscriptions::Tell tell = {});

    virtual void shut_down(Duration grace) = 0;
    /// Sets the timer to the earliest time at which something is due. Must be called when something
    /// may be due earlier than before.
    virtual void rearm() = 0;

    /// Returns an unused Call object from calls_ together with a responder for it. The responder is
    /// the element of `served` with the index Call::slot(), which is created if necessary.
    template <class ExchangeType>
    Served<ExchangeType>& take_call(std::vector<std::unique_ptr<Served<ExchangeType>>>& served) {
        auto& call = calls_.take();
        while (served.size() <= call.slot()) {
            served.push_back(std::make_unique<Served<ExchangeType>>());
        }
        auto& taken = *served[call.slot()];
        taken.call = &call;
        return taken;
    }

    /// Returns an error if the method does not exist or the server does not offer it. `declared`
    /// are the capabilities that were announced to the client; if null, the current capabilities
    /// apply.
    std::optional<wire::WireError> check_offered(rpc::Envelope const& request, Version version,
                                                 ServerCapabilities const* declared) const;
    void discover(rpc::Responder& responder, Version version);
    /// Opens a stream for those of the requested notifications that the client may get. This
    /// happens either immediately or when the user's filters have decided. Then releases the call.
    void listen(Arrival const& arrival, Call& call, std::unique_ptr<CallResponder> responder);

    template <class Result>
    void answer(rpc::Responder& responder, Result const& result, Version version) {
        auto* const out = responder.begin_result();
        if (out == nullptr) return;
        json::Writer writer(*out);
        wire::encode_result(writer, result, core_->stamp(version)).value();
        responder.end_result();
    }
    /// Decodes the parameters. If they are invalid, refuses the request and returns nullopt.
    template <class Params>
    static std::optional<Params> decode(rpc::Envelope const& request, rpc::Responder& responder,
                                        Version version) {
        auto params = wire::decode_params<Params>(request.params, version);
        if (params) return std::move(*params);
        responder.fail(wire::translate(params.error(), version));
        return std::nullopt;
    }

    std::shared_ptr<ServerCore> core_;
    Calls calls_;
    FeatureRequests features_;
    ServerSubscriptions subscriptions_;
    RelaxedCounter<std::uint64_t> requests_;

private:
    /// A stream that a client has requested and that is not open yet.
    struct Opening {
        RequestId id;
        SubscriptionFilter wanted;
        Version version{};
        std::unique_ptr<rpc::Responder> responder;
    };
    void open_stream(Opening& opening, std::vector<std::string> readable);
};

}  // namespace lanyard::server
