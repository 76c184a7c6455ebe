// StatelessResponder: answers a stateless request, which belongs to no session.
#pragma once

#include <optional>

#include "server/call/call_responder.hpp"

namespace lanyard::server {

class StatelessResponder;

/// The owner of the responders: provides the time, and calls on_time() when delayed progress is
/// due.
class StatelessHost {
public:
    virtual TimePoint now() const noexcept = 0;
    /// Called when the responder delays a progress update. The host must call on_time() when the
    /// update is due.
    virtual void on_held(StatelessResponder& responder) = 0;
    /// Called when the request that the responder answers has ended, or its client has
    /// disconnected.
    virtual void on_ended(StatelessResponder& responder) noexcept = 0;

protected:
    ~StatelessHost() = default;
};

/// Connects a call with the carrier's responder, which may be destroyed before the call has ended.
class StatelessResponder final : public CallResponder, public rpc::InboundWork {
public:
    StatelessResponder() = default;
    StatelessResponder(StatelessResponder const&) = delete;
    StatelessResponder& operator=(StatelessResponder const&) = delete;

    /// Begins a request. Returns false if the client has already disconnected.
    bool open(StatelessHost& host, rpc::Responder& carrier, rpc::Envelope const& request,
              Version version);

    /// Leaves the request to the carrier, which ends it.
    void give_up() noexcept;

    bool attach(rpc::InboundWork& work) override;
    bool active() const noexcept override { return carrier_ != nullptr && carrier_->active(); }
    bool can_stream() const noexcept override {
        return carrier_ != nullptr && carrier_->can_stream();
    }
    // Always false, because the carrier decides which messages to drop.
    bool is_behind() const noexcept override { return false; }
    std::string* begin_result() override;
    void end_result() override { leave().end_result(); }
    void fail(wire::WireError const& error) override;
    void abandon() override;
    void notify(std::string_view method, std::string_view params) override;
    void progress(rpc::ProgressUpdate update) override;
    /// Always fails, because the client cannot answer while it waits for the response. Questions
    /// are sent as the result of the request instead.
    Result<std::int64_t> ask(std::string_view method, std::string_view params,
                             rpc::AnswerSink& sink, rpc::RequestSettings const& options) override;
    void cancel_question(std::int64_t, std::string_view) override {}
    // Does nothing: closing the stream would look like a cancellation to the client.
    void release_stream() override {}
    void flush() override;

    void on_cancel(std::string_view reason) noexcept override;

    /// Sends the delayed progress update if it is due. Returns the time at which the next update is
    /// due, or `never`.
    TimePoint on_time(TimePoint now);
    TimePoint next_due() const noexcept { return progress_ ? progress_->next_due() : never; }

private:
    rpc::Responder& leave() noexcept;
    void send_progress(rpc::ProgressUpdate const& update);
    void finish_progress();

    StatelessHost* host_ = nullptr;
    rpc::Responder* carrier_ = nullptr;  // set while the request is open
    rpc::InboundWork* work_ = nullptr;
    Version version_{};
    std::optional<rpc::ProgressSender> progress_;
};

}  // namespace lanyard::server
