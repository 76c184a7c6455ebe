// FrameBatch: the frames of one read, valid until the next read.
#pragma once

#include <list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/rpc/frame.hpp"
#include "rpc/salvage.hpp"

namespace lanyard::transport {

/// Readers of frames reuse their own memory for the next frame, so text in that memory is copied.
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

    /// Adds a frame that was read from the buffer, and perhaps began in an earlier one.
    void add(rpc::Frame::Kind kind, std::string_view text, std::string_view buffer,
             rpc::Remains const* remains = nullptr) {
        bool const in_place =
            text.data() >= buffer.data() && text.data() < buffer.data() + buffer.size();
        if (!in_place && kind == rpc::Frame::Kind::message) {
            // Only the first message of a buffer can have begun in an earlier one. The text of
            // other kinds of frames stays valid.
            carried_.assign(text);
            text = carried_;
        }
        auto& frame = frames_.emplace_back();
        frame.kind = kind;
        frame.text = text;
        if (remains != nullptr) frame.remains = &remains_.emplace_back(*remains);
    }
    /// Clears the batch, and frees the copy of a message if it takes more than this many bytes.
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
