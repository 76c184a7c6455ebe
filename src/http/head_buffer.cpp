#include "http/head_buffer.hpp"

namespace lanyard::http {

void HeadBuffer::clear() noexcept {
    bytes_.clear();
    fields_begin_ = line_begin_ = 0;
}

void HeadBuffer::release() noexcept {
    bytes_ = rpc::PartialMessage(max_bytes_);
    fields_begin_ = line_begin_ = 0;
}

std::string_view HeadBuffer::start_line() const noexcept {
    return bytes_.view().substr(0, fields_begin_ - 2);
}

std::string_view HeadBuffer::field_lines() const noexcept {
    return bytes_.view().substr(fields_begin_, line_begin_ - fields_begin_);
}

// The bytes end with LF.
HeadBuffer::Step HeadBuffer::end_line() {
    auto const line = bytes_.view().substr(line_begin_);
    if (!line.ends_with("\r\n")) {
        fault_ = "a line of the head does not end with CR LF";
        return Step::malformed;
    }
    bool const last = line.size() == 2;
    if (!has_start_line()) {
        if (last) {
            fault_ = "the message begins with an empty line";
            return Step::malformed;
        }
        fields_begin_ = line.size();
    } else if (line[0] == ' ' || line[0] == '\t') {
        fault_ = "a header line is folded";
        return Step::malformed;
    }
    if (last) return Step::complete;
    line_begin_ += line.size();
    return Step::more;
}

HeadBuffer::Step HeadBuffer::take(std::string_view& input) {
    while (!input.empty()) {
        auto const end = input.find('\n');
        bool const complete = end != input.npos;
        auto const piece = complete ? input.substr(0, end + 1) : input;
        if (piece.size() > max_bytes_ - bytes_.size()) return Step::too_long;
        bytes_.append(piece);
        input.remove_prefix(piece.size());
        if (complete) {
            if (auto const step = end_line(); step != Step::more) return step;
        }
    }
    return Step::more;
}

}  // namespace lanyard::http
