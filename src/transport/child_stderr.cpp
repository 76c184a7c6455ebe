#include "transport/child_stderr.hpp"

#include <algorithm>
#include <utility>

#include "runtime/line_writer.hpp"

namespace lanyard::transport {

namespace {

constexpr std::size_t kept_tail = std::size_t{8} * 1024;
// The limits for the text that waits for the sink.
constexpr runtime::UserCalls::Limits queue_limits{.calls = 1'000,
                                                  .bytes = std::size_t{4} * 1024 * 1024};

void pass_to(ChildStderr::Sink const& sink, std::string_view text) noexcept {
    try {
        sink(text);
    } catch (...) {
        // An exception in the sink is ignored.
    }
}

}  // namespace

ChildStderr::ChildStderr(boost::asio::any_io_executor const& executor, Sink sink) {
    if (!sink) return;
    sink_ = std::make_shared<Sink>(std::move(sink));
    queue_ = runtime::UserCalls::make(executor, queue_limits);
}

ChildStderr::~ChildStderr() {
    on_passed_on({});
}

void ChildStderr::on_passed_on(std::function<void()> function) {
    if (queue_) queue_->on_idle(std::move(function));
}

void ChildStderr::take(std::string_view text) {
    tail_.append(text);
    if (tail_.size() > 2 * kept_tail) tail_.erase(0, tail_.size() - kept_tail);
    if (!sink_) {
        print_lines(text);
    } else if (queue_) {
        queue_->push([sink = sink_, copy = std::string(text)] { pass_to(*sink, copy); },
                     text.size());
    } else {
        pass_to(*sink_, text);
    }
}

void ChildStderr::end() {
    if (!line_.empty()) print_line();
}

void ChildStderr::print_lines(std::string_view text) {
    while (!text.empty()) {
        auto const end = text.find('\n');
        auto const part = text.substr(0, end);
        // The line writer truncates longer lines, so the rest of a longer line is not stored.
        auto const room = runtime::LineWriter::max_line_bytes -
                          std::min(line_.size(), runtime::LineWriter::max_line_bytes);
        line_.append(part.substr(0, room));
        if (end == text.npos) return;
        print_line();
        text.remove_prefix(end + 1);
    }
}

void ChildStderr::print_line() {
    auto line = std::string_view(line_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    runtime::standard_error().write(line);
    line_.clear();
}

}  // namespace lanyard::transport
