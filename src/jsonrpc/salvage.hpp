// Handles texts that are not acceptable messages. RemainsScanner and salvage() find the id and kind
// of the message; repair_payload() repairs a payload whose only faults are lone surrogates and
// large integers.
//
// All of them work on the raw bytes, because there is no parsed document. They take time linear in
// the size of the text, whatever the text contains.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lanyard/rpc/message.hpp"

namespace lanyard::rpc {

/// Looks for the id and kind of a message that arrives in pieces. The message must begin with an
/// object, but need not be valid JSON. Only the members of that object are examined. Names and ids
/// that are written with escapes are not recognised.
class RemainsScanner {
public:
    /// Longer ids are not recognised.
    static constexpr std::size_t max_id_bytes = 256;

    void feed(std::string_view bytes);
    /// Returns the information found so far.
    Remains remains() const;
    /// Whether the scan can stop: the object has ended, the text is not an object, or both the id
    /// and the kind of the message are known.
    bool settled() const noexcept;
    /// Whether the object has ended, or the text is not an object.
    bool ended() const noexcept { return state_ == State::ended; }

private:
    enum class State : std::uint8_t {
        before,         // the object has not begun
        key,            // a name is expected
        in_key,         // inside a name
        colon,          // after a name
        value,          // a value is expected
        in_token,       // inside a number or literal
        in_string,      // inside a string that is a value
        in_nested,      // inside an array or object
        nested_string,  // inside a string in an array or object
        comma,          // after a value
        ended,          // the object has ended, or the text is not an object
    };
    enum class Name : std::uint8_t { other, id, method, result, error };

    void take(char c);
    void begin_value(char c);
    void end_key();
    void end_value();
    void note(char c);

    State state_ = State::before;
    Name name_ = Name::other;
    bool escaped_ = false;  // the next byte of a string belongs to an escape
    bool has_method_ = false;
    bool has_answer_ = false;
    bool ambiguous_ = false;
    bool too_long_ = false;  // the name or id being read is too long for note_
    std::size_t depth_ = 0;  // nesting depth of arrays and objects inside the value
    std::size_t noted_ = 0;
    std::array<char, max_id_bytes> note_;  // the name or id being read
    std::optional<RequestId> id_;
};

/// Returns the id and kind of the message in a complete text. If the text ends inside the object,
/// the connection ended before the whole message had arrived. The result then contains no id.
Remains salvage(std::string_view text);

/// Writes the message into `out`. Every lone surrogate escape is replaced by the escape of U+FFFD,
/// and every integer beyond 64 bits is written as a real number. Changes only the payload, that is,
/// values inside `params` and `result`. Member names, cursors, progress tokens, request ids, task
/// ids and request states are not changed. Returns false if there is nothing to replace or the text
/// is nested too deeply. The rest of the text need not be valid.
bool repair_payload(std::string_view text, std::string& out);

}  // namespace lanyard::rpc
