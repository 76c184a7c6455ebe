#include "peer/progress.hpp"

#include <cmath>
#include <utility>

#include "lanyard/json/writer.hpp"

namespace lanyard::rpc {

ProgressUpdate ProgressUpdate::of(double progress, std::optional<double> total,
                                  std::string_view message) {
    ProgressUpdate update;
    update.progress = progress;
    update.total = total;
    static_cast<void>(message);
    return update;
}

void append_progress_params(std::string& out, ProgressToken const& token,
                            ProgressUpdate const& update, Version version) {
    json::Writer params(out);
    params.begin_object().key("progressToken");
    if (auto const* text = token.string()) {
        params.string(*text);
    } else {
        params.integer(*token.integer());
    }
    params.key("progress").real(update.progress);
    if (update.total) params.key("total").real(*update.total);
    if (update.message && version >= Version::v2025_03_26) {
        params.key("message").string(*update.message);
    }
    params.end_object();
}

ReportDecision ProgressSender::report(ProgressUpdate&& update, TimePoint now) {
    if (finished_) return ReportDecision::finished;
    if (!std::isfinite(update.progress) || (last_ && update.progress <= *last_)) {
        return ReportDecision::not_increasing;
    }
    last_ = update.progress;
    if (bucket_.take(now)) {
        held_.reset();
        return ReportDecision::send;
    }
    due_ = after(now, bucket_.wait(now));
    held_ = std::move(update);
    return ReportDecision::held;
}

std::optional<ProgressUpdate> ProgressSender::take_due(TimePoint now) {
    if (now < next_due()) return std::nullopt;
    bucket_.take(now);
    return std::exchange(held_, std::nullopt);
}

std::optional<ProgressUpdate> ProgressSender::finish() {
    finished_ = true;
    return std::exchange(held_, std::nullopt);
}

}  // namespace lanyard::rpc
