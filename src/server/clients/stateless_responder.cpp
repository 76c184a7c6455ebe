#include "server/clients/stateless_responder.hpp"

#include <utility>

#include "lanyard/protocol/methods.hpp"

namespace lanyard::server {

bool StatelessResponder::open(StatelessHost& host, rpc::Responder& carrier,
                              rpc::Envelope const& request, Version version) {
    host_ = &host;
    work_ = nullptr;
    version_ = version;
    progress_.reset();
    if (auto const token = request.meta->find("progressToken")) {
        if (auto id = rpc::to_id(*token)) progress_.emplace(*std::move(id));
    }
    if (!carrier.attach(*this)) return false;
    carrier_ = &carrier;
    return true;
}

bool StatelessResponder::attach(rpc::InboundWork& work) {
    work_ = &work;
    return carrier_ != nullptr;
}

void StatelessResponder::on_cancel(std::string_view reason) noexcept {
    leave();
    if (work_ != nullptr) work_->on_cancel(reason);
}

void StatelessResponder::give_up() noexcept {
    if (carrier_ != nullptr) leave();
}

rpc::Responder& StatelessResponder::leave() noexcept {
    host_->on_ended(*this);
    return *std::exchange(carrier_, nullptr);
}

std::string* StatelessResponder::begin_result() {
    if (carrier_ == nullptr) return nullptr;
    finish_progress();
    auto* const out = carrier_->begin_result();
    if (out == nullptr) leave();
    return out;
}

void StatelessResponder::fail(wire::WireError const& error) {
    if (carrier_ == nullptr) return;
    finish_progress();
    leave().fail(error);
}

void StatelessResponder::abandon() {
    if (carrier_ != nullptr) leave().abandon();
}

void StatelessResponder::notify(std::string_view method, std::string_view params) {
    if (carrier_ != nullptr) carrier_->notify(method, params);
}

void StatelessResponder::flush() {
    if (carrier_ != nullptr) carrier_->flush();
}

void StatelessResponder::progress(rpc::ProgressUpdate update) {
    if (carrier_ == nullptr || !progress_) return;
    bool const waits = progress_->next_due() != never;
    switch (progress_->report(std::move(update), host_->now())) {
        case rpc::ReportDecision::send:
            // NOLINTNEXTLINE(bugprone-use-after-move): report() moves only held updates.
            send_progress(update);
            break;
        case rpc::ReportDecision::held:
            if (!waits) host_->on_held(*this);
            break;
        default:
            break;
    }
}

TimePoint StatelessResponder::on_time(TimePoint now) {
    if (auto const update = progress_->take_due(now)) {
        send_progress(*update);
        flush();
    }
    return progress_->next_due();
}

void StatelessResponder::finish_progress() {
    if (!progress_) return;
    if (auto const last = progress_->finish()) send_progress(*last);
}

void StatelessResponder::send_progress(rpc::ProgressUpdate const& update) {
    std::string params;
    rpc::append_progress_params(params, progress_->token(), update, version_);
    carrier_->notify(methods::Progress::info.name, params);
}

Result<std::int64_t> StatelessResponder::ask(std::string_view, std::string_view, rpc::AnswerSink&,
                                             rpc::RequestSettings const&) {
    return Unexpected(Error(Errc::unsupported_in_era, "this client cannot be asked meanwhile"));
}

}  // namespace lanyard::server
