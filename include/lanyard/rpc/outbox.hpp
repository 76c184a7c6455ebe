// Outbox: messages on their way out, in one buffer that most carriers can send as it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanyard::rpc {

/// Messages waiting to be sent, in order. Each is one line and ends with LF in the buffer, so that
/// a newline-delimited carrier sends any number of them with one write. Not safe for concurrent
/// use.
class Outbox {
public:
    /// Where the next message is to be appended (one JSON text on a single line); end() completes
    /// it.
    std::string& begin() noexcept { return bytes_; }
    void end() {
        bytes_.push_back('\n');
        ends_.push_back(bytes_.size());
    }
    /// Takes back what was appended since the last end().
    void discard() { bytes_.resize(ends_.empty() ? sent_ : ends_.back()); }

    bool empty() const noexcept { return ends_.size() == first_; }
    /// Complete messages that are not sent.
    std::size_t count() const noexcept { return ends_.size() - first_; }

    /// All complete messages, each with its LF; without the part that consume() removed.
    std::string_view bytes() const noexcept {
        return empty() ? std::string_view()
                       : std::string_view(bytes_).substr(sent_, ends_.back() - sent_);
    }
    /// The first message without its LF. There must be one.
    std::string_view front() const noexcept {
        return std::string_view(bytes_).substr(sent_, ends_[first_] - sent_ - 1);
    }

    /// Removes this many bytes of bytes() from its beginning.
    void consume(std::size_t bytes) noexcept;
    /// Removes front().
    void pop() noexcept { consume(ends_[first_] - sent_); }
    void clear() noexcept;

private:
    std::string bytes_;
    std::vector<std::size_t> ends_;  // one past the LF of each message
    std::size_t first_ = 0;          // index in ends_ of the first message that is not sent
    std::size_t sent_ = 0;           // bytes already sent
};

}  // namespace lanyard::rpc
