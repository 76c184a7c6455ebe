// Outbox: outgoing messages in one buffer that most transports can send unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/protocol/era.hpp>

namespace lanyard::rpc {

/// The data that a transport needs to send a message of an Outbox. `origin` and `kind` select the
/// channel, if the transport has several channels to the same peer. The other members repeat parts
/// of the message that an HTTP transport needs for headers, so that the transport need not parse
/// the message.
struct Route {
    enum class Kind : std::uint8_t {
        notification,
        request,
        /// The answer to the request that has this origin.
        answer,
        /// Not a message: the request with this origin has ended without an answer.
        none,
    };

    /// The origin (Frame::origin) of the request that this message belongs to; 0 if this message
    /// belongs to no request.
    std::uint64_t origin = 0;
    Kind kind = Kind::notification;

    /// The method of a request, or of a notification that cancels a request; empty for other
    /// messages. Set only for HTTP connections. If `method` is empty, the members below are not set
    /// either, and a transport that needs their values must parse the message.
    std::string_view method{};
    /// The id of this request, or of the request that this notification cancels.
    std::optional<std::int64_t> id{};
    /// The tool, prompt, resource or task that the request names; empty if it names none.
    std::string_view name{};
    /// The protocol version that the request itself contains (since protocol revision 2026-07-28).
    std::optional<Version> version{};

    /// Whether this is the last message with its origin.
    bool last() const noexcept { return kind == Kind::answer || kind == Kind::none; }
    bool operator==(Route const&) const = default;
};

/// Messages waiting to be sent, in order. Each message is one line and ends with LF in the buffer,
/// so that a newline-delimited transport can send any number of them with one write. Not
/// thread-safe.
class Outbox {
public:
    /// Returns the buffer to append the next message to (one JSON text on a single line). Call
    /// end() when the message is complete.
    std::string& begin() noexcept { return bytes_; }
    void end(Route const& route = {}) {
        bytes_.push_back('\n');
        bool const detailed = !route.method.empty();
        if (detailed) keep_details(route);
        ends_.push_back({bytes_.size(), route.origin, route.kind, detailed});
    }
    /// Same as end() with a Route, but cheaper, for a route that has only these two members.
    void end(std::uint64_t origin, Route::Kind kind) {
        bytes_.push_back('\n');
        ends_.push_back({bytes_.size(), origin, kind, false});
    }
    /// Discards the text that was appended since the last end().
    void discard() { bytes_.resize(ends_.empty() ? sent_ : ends_.back().at); }
    /// Records that the request with this origin has ended without an answer: adds an entry of
    /// Kind::none, whose text is empty. Does nothing for origin 0.
    void end_origin(std::uint64_t origin) {
        if (origin != 0) ends_.push_back({bytes_.size(), origin, Route::Kind::none, false});
    }

    bool empty() const noexcept { return ends_.size() == first_; }
    /// The number of complete messages that have not been sent.
    std::size_t count() const noexcept { return ends_.size() - first_; }

    /// All complete messages, each with its LF, except for the bytes that consume() has removed.
    std::string_view bytes() const noexcept {
        return empty() ? std::string_view()
                       : std::string_view(bytes_).substr(sent_, ends_.back().at - sent_);
    }
    /// The number of bytes that follow the first message.
    std::size_t bytes_behind_front() const noexcept {
        return empty() ? 0 : ends_.back().at - ends_[first_].at;
    }
    /// The first message without its LF. The outbox must not be empty.
    std::string_view front() const noexcept {
        auto const& end = ends_[first_];
        if (end.kind == Route::Kind::none) return {};
        return std::string_view(bytes_).substr(sent_, end.at - sent_ - 1);
    }
    /// The route of the first message. The strings in the route are valid until the outbox is
    /// changed.
    Route front_route() const noexcept {
        auto const& end = ends_[first_];
        Route route{end.origin, end.kind};
        if (end.detailed) add_details(route);
        return route;
    }

    /// Removes this many bytes from the start of bytes().
    void consume(std::size_t bytes) noexcept;
    /// Removes front().
    void pop() noexcept;
    void clear() noexcept;

private:
    struct End {
        std::size_t at;  // offset of the byte after the message's LF
        std::uint64_t origin;
        Route::Kind kind;
        bool detailed;  // whether the message has an entry in `details_`
    };
    // The members of a Route that only few messages have.
    struct Details {
        std::optional<std::int64_t> id;
        std::optional<Version> version;
        std::size_t method_at;  // offset of the method in `names_`; the name follows it
        std::size_t method_size;
        std::size_t name_size;
    };

    void keep_details(Route const& route);
    void add_details(Route& route) const noexcept;

    std::string bytes_;
    std::vector<End> ends_;
    std::string names_;
    std::vector<Details> details_;
    std::size_t first_details_ = 0;  // index in details_ of the first entry of an unsent message
    std::size_t first_ = 0;          // index in ends_ of the first message that is not sent
    std::size_t sent_ = 0;           // number of bytes at the start of bytes_ that are already sent
};

}  // namespace lanyard::rpc
