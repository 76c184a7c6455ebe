#include "http/message/head_buffer.hpp"

namespace lanyard::http {

void HeadBuffer::clear() noexcept {
    bytes_.clear();
    fields_begin_ = line_begin_ = 0;
}

void HeadBuffer::release() noexcept {
    bytes_ = rpc::PartialMessage(max_bytes_);
    fields_begin_ = line_begin_ = 0;
}

void HeadBuffer::replace(std::size_t at, std::string_view bytes) noexcept {
    // The const_cast is safe: the bytes belong to this object, and only view() adds the const.
    bytes.copy(const_cast<char*>(bytes_.view().data()) + at, bytes.size());
}

std::string_view HeadBuffer::start_line() const noexcept {
    return bytes_.view().substr(0, fields_begin_ - 2);
}

std::string_view HeadBuffer::field_lines() const noexcept {
    return bytes_.view().substr(fields_begin_, line_begin_ - fields_begin_);
}

// Checks the line that ends here. `first` is its first character, `size` includes the LF, and
// `has_cr` is whether a CR precedes the LF.
HeadBuffer::Step HeadBuffer::end_line(char first, std::size_t size, bool has_cr) noexcept {
    if (!has_cr) {
        fault_ = "a line of the head does not end with CR LF";
        return Step::malformed;
    }
    bool const last = size == 2;
    if (!has_start_line()) {
        if (last) {
            fault_ = "the message begins with an empty line";
            return Step::malformed;
        }
        fields_begin_ = size;
    } else if (first == ' ' || first == '\t') {
        fault_ = "a header line is folded";
        return Step::malformed;
    }
    if (last) return Step::complete;
    line_begin_ += size;
    return Step::more;
}

HeadBuffer::Step HeadBuffer::take(std::string_view& input) {
    // Positions count from the beginning of the head. The first `held` bytes were taken by earlier
    // calls; the bytes after them are in `input`.
    auto const held = bytes_.size();
    auto const room = max_bytes_ - held;
    auto const at = [&](std::size_t position) {
        return position < held ? bytes_.view()[position] : input[position - held];
    };
    auto step = Step::more;
    std::size_t used = 0;
    while (step == Step::more && used < input.size()) {
        auto const end = input.find('\n', used);
        bool const complete = end != input.npos;
        used = complete ? end + 1 : input.size();
        if (used > room) return Step::too_long;
        if (!complete) break;
        auto const size = held + used - line_begin_;
        step = end_line(at(line_begin_), size, size >= 2 && at(held + end - 1) == '\r');
    }
    bytes_.append(input.substr(0, used));
    input.remove_prefix(used);
    return step;
}

}  // namespace lanyard::http
