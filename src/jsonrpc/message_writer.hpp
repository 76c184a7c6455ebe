// Writes JSON-RPC messages by appending to a string: one line each, valid UTF-8, with no allocation
// other than for the output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lanyard/json/document.hpp"
#include "lanyard/rpc/message.hpp"

namespace lanyard::rpc {

/// An id to be written: a value, or the JSON text of an id as received. Does not own the id, so it
/// should exist only as an argument of the function that writes it.
class IdRef {
public:
    IdRef(RequestId const& id) noexcept : id_(&id) {}
    /// An id as received in an envelope; it is written byte for byte.
    IdRef(json::View id) noexcept : text_(id.raw()) {}
    /// An id as JSON text; it is written byte for byte.
    static IdRef text(std::string_view json) noexcept { return IdRef(Text{json}); }

    /// Returns the id if it is a RequestId with a number, otherwise null.
    std::int64_t const* number() const noexcept { return id_ ? id_->integer() : nullptr; }
    /// Returns the id's JSON text if it was given as text, otherwise an empty view.
    std::string_view json() const noexcept { return text_; }
    void append_to(std::string& out) const;

private:
    struct Text {
        std::string_view json;
    };
    explicit IdRef(Text text) noexcept : text_(text.json) {}

    RequestId const* id_ = nullptr;
    std::string_view text_;
};

/// These functions append a whole message. `params` and `result` are JSON texts. Line breaks
/// between their tokens become spaces, so that a message is always one line. Empty params are left
/// out; an empty result is written as {}.
void append_request(std::string& out, IdRef const& id, std::string_view method,
                    std::string_view params);
void append_notification(std::string& out, std::string_view method, std::string_view params);
void append_result(std::string& out, IdRef const& id, std::string_view result);

/// These functions write the parts of a message before and after its payload: call begin_...(),
/// append the payload (one JSON value on a single line), then call end_message().
void begin_notification(std::string& out, std::string_view method);
void begin_result(std::string& out, IdRef const& id);
inline void end_message(std::string& out) {
    out.push_back('}');
}

/// The members of the `error` object of a response.
struct ErrorText {
    std::int64_t code;
    std::string_view message;
    std::string_view data;  // JSON text; left out if empty
};

void append_error(std::string& out, IdRef const& id, ErrorText const& error);
/// Appends the error response to a request whose id could not be read.
void append_error(std::string& out, MissingId missing_id, ErrorText const& error);

void append_message(std::string& out, Message const& message, MissingId missing_id);

}  // namespace lanyard::rpc
