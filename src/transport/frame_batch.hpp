// FrameBatch: the frames of one read, valid until the next read.
#pragma once

#include <list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jsonrpc/salvage.hpp"
#include "lanyard/rpc/frame.hpp"

namespace lanyard::transport {

/// A frame reader reuses its own memory for the next frame, so the batch copies a message that is
/// stored in that memory. A message in the transport's buffer is not copied.
class FrameBatch {
public:
    void clear() noexcept {
        frames_.clear();
        first_ = 0;
        if (!remains_.empty()) remains_.clear();
        constexpr std::size_t worth_keeping = std::size_t{64} * 1024;
        if (carried_.capacity() > worth_keeping) std::string().swap(carried_);
    }
    bool empty() const noexcept { return frames_.size() == first_; }
    std::span<rpc::Frame const> view() const noexcept {
        return std::span<rpc::Frame const>(frames_).subspan(first_);
    }
    void drop_front() noexcept { ++first_; }

    /// Adds a frame whose last byte is in `buffer`; its first byte may have been in an earlier
    /// buffer.
    void add(rpc::Frame::Kind kind, std::string_view text, std::string_view buffer,
             rpc::Remains const* remains = nullptr) {
        bool const in_place =
            text.data() >= buffer.data() && text.data() < buffer.data() + buffer.size();
        if (!in_place && kind == rpc::Frame::Kind::message) {
            // The text is in the reader's own memory, which the reader reuses, so the text is
            // copied. One string is enough: only the first message in a buffer can have begun in an
            // earlier buffer. The text of other kinds of frames stays valid without a copy.
            carried_.assign(text);
            text = carried_;
        }
        auto& frame = frames_.emplace_back();
        frame.kind = kind;
        frame.text = text;
        if (remains != nullptr) frame.remains = &remains_.emplace_back(*remains);
    }
    /// Clears the batch, and frees the memory for the copied message if it is larger than `bytes`.
    void shrink(std::size_t bytes) noexcept {
        clear();
        if (carried_.capacity() > bytes) std::string().swap(carried_);
    }

private:
    std::vector<rpc::Frame> frames_;
    std::size_t first_ = 0;
    std::string carried_;  // a message that began in an earlier buffer
    std::list<rpc::Remains> remains_;
};

}  // namespace lanyard::transport
