// ServingGroup: serves the requests of one or more peers on one executor. Contains everything that
// does not depend on how the requests are transported.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/relaxed_counter.hpp"
#include "lanyard/json/writer.hpp"
#include "server/call/call.hpp"
#include "server/call/features.hpp"
#include "server/clients/server_subscriptions.hpp"
#include "server/core/peer_group.hpp"

namespace lanyard::server {

/// A request for a feature together with the responder that answers it.
template <class ResponderType>
struct Served final : rpc::InboundWork {
    ResponderType responder;
    Call* call = nullptr;
    void on_cancel(std::string_view) noexcept override { call->cancel(); }
};

/// All functions must be called on the executor, unless their comments say otherwise.
class ServingGroup : public PeerGroup, private CallsOwner {
public:
    boost::asio::any_io_executor const& executor() const noexcept { return calls_.executor(); }
    std::uint64_t requests() const noexcept final { return requests_.value(); }

protected:
    ServingGroup(std::shared_ptr<ServerCore> core, boost::asio::any_io_executor const& executor,
                 std::size_t max_subscriptions,
                 ServerSubscriptions::SendNotification send_notification = {});

    /// Sets the timer to the earliest time at which something is due. Must be called when something
    /// may be due earlier than before.
    virtual void rearm() = 0;

    /// Returns an unused Call object from calls_ together with a responder for it. The responder is
    /// the element of `served` with the index Call::slot(), which is created if necessary.
    template <class ResponderType>
    Served<ResponderType>& take_call(std::vector<std::unique_ptr<Served<ResponderType>>>& served) {
        auto& call = calls_.take();
        try {
            while (served.size() <= call.slot()) {
                served.push_back(std::make_unique<Served<ResponderType>>());
            }
        } catch (...) {
            calls_.drop(call);
            throw;
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
    Mailbox& mailbox() const noexcept final { return *calls_.mailbox(); }

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
