#include "load/answer.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace lanyard::bench {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool same(std::string_view text, std::string_view lower_case) {
    return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                      [](char a, char b) { return lower(a) == b; });
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

std::size_t number(std::string_view text, int base) {
    std::size_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end == text.data()) {
        throw std::runtime_error("not a length: " + std::string(text));
    }
    return value;
}

}  // namespace

void Answer::clear() {
    input_.clear();
    chunks_.clear();
    session_.clear();
    at_ = left_ = 0;
    stage_ = Stage::head;
    status_ = 0;
    chunked_ = counted_ = events_ = last_ = false;
}

bool Answer::take(std::string_view bytes) {
    input_ += bytes;
    while (stage_ != Stage::complete && advance()) {
    }
    if (stage_ == Stage::complete && at_ != input_.size()) {
        throw std::runtime_error("bytes after the end of an answer");
    }
    return stage_ == Stage::complete;
}

// Advances by one step; returns false if there are not enough bytes for it.
bool Answer::advance() {
    std::string_view line;
    switch (stage_) {
        case Stage::head: {
            auto const end = input_.find("\r\n\r\n");
            if (end == input_.npos) return false;
            read_head(std::string_view(input_).substr(0, end));
            at_ = end + 4;
            if (chunked_) {
                stage_ = Stage::chunk_size;
            } else if (counted_) {
                stage_ = Stage::counted;
            } else if (status_ == 202 || status_ == 204) {
                stage_ = Stage::complete;
            } else {
                throw std::runtime_error("an answer without a length");
            }
            return true;
        }
        case Stage::counted:
            if (input_.size() - at_ < left_) return false;
            at_ += left_;
            stage_ = Stage::complete;
            return true;
        case Stage::chunk_size:
            if (!next_line(line)) return false;
            left_ = number(line, 16);
            stage_ = left_ > 0 ? Stage::chunk : Stage::trailer;
            return true;
        case Stage::chunk: {
            auto const size = std::min(left_, input_.size() - at_);
            chunks_.append(input_, at_, size);
            at_ += size;
            left_ -= size;
            if (left_ > 0) return false;
            stage_ = Stage::chunk_end;
            return true;
        }
        case Stage::chunk_end:
            if (!next_line(line)) return false;
            stage_ = Stage::chunk_size;
            return true;
        case Stage::trailer:
            if (!next_line(line)) return false;
            if (line.empty()) stage_ = Stage::complete;
            return true;
        case Stage::complete:
            break;
    }
    return false;
}

bool Answer::next_line(std::string_view& line) {
    auto const end = input_.find("\r\n", at_);
    if (end == input_.npos) return false;
    line = std::string_view(input_).substr(at_, end - at_);
    at_ = end + 2;
    return true;
}

void Answer::read_head(std::string_view head) {
    if (!head.starts_with("HTTP/1.1 ") || head.size() < 12) {
        throw std::runtime_error("not an HTTP/1.1 answer");
    }
    status_ = static_cast<int>(number(head.substr(9, 3), 10));
    auto at = head.find("\r\n");
    while (at != head.npos) {
        auto const begin = at + 2;
        at = head.find("\r\n", begin);
        auto const line = head.substr(begin, at == head.npos ? at : at - begin);
        auto const colon = line.find(':');
        if (colon == line.npos) throw std::runtime_error("a header without a colon");
        auto const name = line.substr(0, colon);
        auto const value = trimmed(line.substr(colon + 1));
        if (same(name, "content-length")) {
            counted_ = true;
            left_ = number(value, 10);
        } else if (same(name, "transfer-encoding")) {
            chunked_ = same(value, "chunked");
        } else if (same(name, "content-type")) {
            events_ = same(value.substr(0, 17), "text/event-stream");
        } else if (same(name, "mcp-session-id")) {
            session_ = value;
        } else if (same(name, "connection")) {
            last_ = same(value, "close");
        }
    }
}

std::string_view Answer::body() const {
    if (chunked_) return chunks_;
    return counted_ ? std::string_view(input_).substr(input_.find("\r\n\r\n") + 4)
                    : std::string_view();
}

std::string_view Answer::message() const {
    auto rest = body();
    if (!events_) return rest;
    // The last event with data; earlier ones are empty or notifications.
    std::string_view only;
    data_.clear();
    bool ended = true;
    while (!rest.empty()) {
        auto const end = rest.find('\n');
        auto const line = trimmed(rest.substr(0, end));
        rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
        if (line.empty()) {
            ended = true;
        } else if (line.starts_with("data:")) {
            auto const piece = trimmed(line.substr(5));
            if (piece.empty()) continue;
            if (ended) {
                data_.clear();
                only = piece;
                ended = false;
            } else {
                if (data_.empty()) data_ = only;
                data_ += '\n';
                data_ += piece;
            }
        }
    }
    return data_.empty() ? only : std::string_view(data_);
}

}  // namespace lanyard::bench
