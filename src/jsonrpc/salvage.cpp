#include "jsonrpc/salvage.hpp"

#include <algorithm>
#include <vector>

#include "json/text.hpp"
#include "lanyard/protocol/meta.hpp"

namespace lanyard::rpc {

namespace {

constexpr bool begins_number(char c) noexcept {
    return c == '-' || (c >= '0' && c <= '9');
}

constexpr bool ends_token(char c) noexcept {
    return json::is_space(c) || c == ',' || c == '}' || c == ']' || c == ':' || c == '"' ||
           c == '{' || c == '[';
}

/// Parses an id from a token, which is a number or a string with its quotes.
std::optional<RequestId> read_id(std::string_view token) {
    json::Document document;
    auto const value = document.parse(token);
    if (!value || (value->is_string() && !value->plain_string())) return std::nullopt;
    return to_id(*value);
}

}  // namespace

void RemainsScanner::feed(std::string_view bytes) {
    for (char const c : bytes) {
        if (state_ == State::ended) return;
        take(c);
    }
}

bool RemainsScanner::settled() const noexcept {
    return state_ == State::ended || (id_ && (has_method_ || has_answer_));
}

Remains RemainsScanner::remains() const {
    bool const both = has_method_ && has_answer_;
    auto const id = ambiguous_ || both ? std::nullopt : id_;
    if (both) return {};
    if (has_answer_) return {Intent::response, id};
    if (has_method_ && id) return {Intent::request, id};
    return {Intent::unknown, has_method_ ? std::nullopt : id};
}

void RemainsScanner::note(char c) {
    if (noted_ == note_.size()) {
        too_long_ = true;
    } else {
        note_[noted_++] = c;
    }
}

void RemainsScanner::take(char c) {
    switch (state_) {
        case State::before:
            if (!json::is_space(c)) state_ = c == '{' ? State::key : State::ended;
            break;
        case State::key:
            if (c == '"') {
                noted_ = 0;
                too_long_ = false;
                state_ = State::in_key;
            } else if (!json::is_space(c)) {
                // The object is empty, or no valid name follows the brace or comma.
                state_ = State::ended;
            }
            break;
        case State::in_key:
            if (escaped_) {
                escaped_ = false;
                note(c);
            } else if (c == '"') {
                end_key();
            } else {
                escaped_ = c == '\\';
                note(c);
            }
            break;
        case State::colon:
            if (!json::is_space(c)) state_ = c == ':' ? State::value : State::ended;
            break;
        case State::value:
            if (!json::is_space(c)) begin_value(c);
            break;
        case State::in_string:
            note(c);
            if (escaped_) {
                escaped_ = false;
            } else if (c == '\\') {
                escaped_ = true;
            } else if (c == '"') {
                end_value();
            }
            break;
        case State::in_token:
            if (!ends_token(c)) {
                note(c);
                break;
            }
            end_value();
            take(c);
            break;
        case State::in_nested:
            if (c == '"') {
                state_ = State::nested_string;
            } else if (c == '{' || c == '[') {
                ++depth_;
            } else if ((c == '}' || c == ']') && --depth_ == 0) {
                end_value();
            }
            break;
        case State::nested_string:
            if (escaped_) {
                escaped_ = false;
            } else if (c == '\\') {
                escaped_ = true;
            } else if (c == '"') {
                state_ = State::in_nested;
            }
            break;
        case State::comma:
            if (!json::is_space(c)) state_ = c == ',' ? State::key : State::ended;
            break;
        case State::ended:
            break;
    }
}

void RemainsScanner::end_key() {
    std::string_view const name(note_.data(), too_long_ ? 0 : noted_);
    name_ = name == "id"       ? Name::id
            : name == "method" ? Name::method
            : name == "result" ? Name::result
            : name == "error"  ? Name::error
                               : Name::other;
    state_ = State::colon;
}

void RemainsScanner::begin_value(char c) {
    noted_ = 0;
    too_long_ = false;
    note(c);
    if (name_ == Name::method) has_method_ = true;
    // A null does not count, because some peers write both `result` and `error`, and one of them is
    // null.
    if ((name_ == Name::result || name_ == Name::error) && c != 'n') has_answer_ = true;
    if (c == '"') {
        state_ = State::in_string;
    } else if (c == '{' || c == '[') {
        depth_ = 1;
        state_ = State::in_nested;
    } else if (ends_token(c)) {
        state_ = State::ended;
    } else {
        state_ = State::in_token;
    }
}

void RemainsScanner::end_value() {
    if (name_ == Name::id && state_ != State::in_nested) {
        auto const id = too_long_ ? std::nullopt : read_id({note_.data(), noted_});
        ambiguous_ = ambiguous_ || !id || (id_ && *id_ != *id);
        id_ = id;
    }
    state_ = State::comma;
}

Remains salvage(std::string_view text) {
    RemainsScanner scanner;
    scanner.feed(text);
    auto remains = scanner.remains();
    if (scanner.ended()) return remains;
    return {remains.intent == Intent::response ? Intent::response : Intent::unknown};
}

namespace {

/// Copies a message and replaces the repairable faults in its payload.
class Repair {
public:
    Repair(std::string_view text, std::string& out) : text_(text), out_(out) {}

    bool run() {
        out_.clear();
        out_.reserve(text_.size() + 64);
        while (at_ < text_.size()) {
            if (open_.size() > max_depth) return false;
            step();
        }
        return changed_;
    }

private:
    // The part of the message to which an array, an object or the next value belongs.
    enum class Part : std::uint8_t {
        outside,  // a part in which nothing is replaced
        batch,
        message,
        payload,  // `params` or `result`
        meta,     // `_meta` of the payload
        task,     // `task` of the payload
        inside,   // any other part of the payload
    };

    // The repair gives up at this nesting depth. By default, the parser refuses such a message
    // anyway, because the parser's default limit is 64.
    static constexpr std::size_t max_depth = 4096;

    Part around() const noexcept { return open_.empty() ? Part::batch : open_.back(); }

    void step() {
        char const c = text_[at_];
        if (c == '"') {
            string();
        } else if (c == '{' || c == '[') {
            enter(c);
        } else if (begins_number(c)) {
            number();
        } else {
            if ((c == '}' || c == ']') && !open_.empty()) {
                open_.pop_back();
                next_ = Part::outside;
            }
            if (c == ',' && is_list(around())) next_ = element();
            copy(1);
        }
    }

    static bool is_list(Part part) noexcept { return part == Part::batch || part == Part::inside; }
    Part element() const noexcept { return around() == Part::batch ? Part::message : around(); }

    void enter(char c) {
        // The top level is the message, or the array of a batch.
        Part part = open_.empty() ? (c == '{' ? Part::message : Part::batch) : next_;
        bool const is_structured = part == Part::payload || part == Part::meta ||
                                   part == Part::task || part == Part::message;
        if (c == '[' && is_structured) part = Part::outside;
        open_.push_back(part);
        next_ = c == '[' ? element() : Part::outside;
        copy(1);
    }

    // A string that is followed by a colon is a name.
    void string() {
        auto const end = closing_quote();
        auto const characters = text_.substr(at_ + 1, end - at_ - 1);
        auto const colon = text_.find_first_not_of(" \t\r\n", std::min(end + 1, text_.size()));
        if (colon != std::string_view::npos && text_[colon] == ':') {
            next_ = part_of(characters);
            copy(colon + 1 - at_);
            return;
        }
        if (next_ != Part::inside) {
            copy(std::min(end + 1, text_.size()) - at_);
            return;
        }
        copy(1);
        while (at_ < end) replace_surrogate(end);
        if (at_ < text_.size()) copy(1);
    }

    std::size_t closing_quote() const noexcept {
        auto i = at_ + 1;
        while (i < text_.size() && text_[i] != '"') i += text_[i] == '\\' ? 2 : 1;
        return std::min(i, text_.size());
    }

    Part part_of(std::string_view name) const noexcept {
        auto const whole = around();
        // A name with escapes could stand for any name, so the value of that member is not changed.
        if (whole != Part::inside && name.find('\\') != std::string_view::npos) {
            return Part::outside;
        }
        switch (whole) {
            case Part::message:
                return name == "params" || name == "result" ? Part::payload : Part::outside;
            case Part::payload:
                if (name == "_meta") return Part::meta;
                if (name == "task") return Part::task;
                return is_token(name) ? Part::outside : Part::inside;
            case Part::meta:
            case Part::task:
                return is_token(name) ? Part::outside : Part::inside;
            case Part::inside:
                return Part::inside;
            default:
                return Part::outside;
        }
    }

    static bool is_token(std::string_view name) noexcept {
        return name == "cursor" || name == "nextCursor" || name == "progressToken" ||
               name == "requestId" || name == "taskId" || name == "requestState" ||
               name == meta_key::subscription_id;
    }

    // Processes one piece of a string: copies or replaces an escape, or copies the text before the
    // next escape.
    void replace_surrogate(std::size_t end) {
        auto const rest = text_.substr(at_, end - at_);
        auto const piece = json::first_piece(rest);
        if (piece.lone_surrogate) {
            out_.append("\\ufffd");
            at_ += piece.bytes;
            changed_ = true;
        } else {
            copy(piece.bytes);
        }
    }

    void number() {
        auto end = at_;
        while (end < text_.size() && !ends_token(text_[end])) ++end;
        auto const token = text_.substr(at_, end - at_);
        copy(token.size());
        auto kind = json::Kind::null;
        bool const is_large = next_ == Part::inside &&
                              token.find_first_of(".eE") == std::string_view::npos &&
                              json::check_number(token, true, kind) == json::NumberCheck::ok &&
                              kind == json::Kind::real;
        if (!is_large) return;
        out_.append(".0");
        changed_ = true;
    }

    void copy(std::size_t bytes) {
        out_.append(text_, at_, bytes);
        at_ += bytes;
    }

    std::string_view text_;
    std::string& out_;
    std::size_t at_ = 0;
    std::vector<Part> open_;     // the arrays and objects around the current position
    Part next_ = Part::outside;  // the part to which the next value belongs
    bool changed_ = false;
};

}  // namespace

bool repair_payload(std::string_view text, std::string& out) {
    return Repair(text, out).run();
}

}  // namespace lanyard::rpc
