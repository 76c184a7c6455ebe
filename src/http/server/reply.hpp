// Reply: the interface through which a handler writes the response to one HTTP request. Connection
// implements it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/server/reply_writer.hpp"

namespace lanyard::http {

class Upgrade;

/// Receives events of a reply. The functions of Reply never call the watcher themselves.
class ReplyWatcher {
public:
    /// The client has disconnected, or the server has closed the connection: no response is needed.
    /// The reply must not be used after this function returns.
    virtual void on_gone() noexcept = 0;
    /// Called when all handlers that could run at once have run, but the request is still
    /// unanswered. If Reply::keeps_request() was true, the request's body is valid until this
    /// function returns. May be called more than once for one request.
    virtual void on_turn_end() {}
    /// The client has read more output, and behind() is false again.
    virtual void on_drained() noexcept {}
    /// Nothing was sent during the keepalive interval. The watcher may begin a stream here, but do
    /// nothing else with the reply. The comments that a stream sends show the client that the
    /// request is being served.
    virtual void on_silence() {}

protected:
    ~ReplyWatcher() = default;
};

/// The response to one request, used on the executor of its connection.
///
/// A reply ends with exactly one of end_full(), finish(), end_copy(), upgrade() and cut(), or when
/// its watcher's on_gone() returns. After that it must not be used. A handler that does not answer
/// before on_request() returns must set a watcher.
///
/// The connection completes the heads passed to this object. It sets `date`, sets `cors_origin` if
/// that member is empty, and clears `keep_alive` if the connection cannot be kept alive.
class Reply {
public:
    /// Replaces the watcher; null removes it.
    virtual void watch(ReplyWatcher* watcher) noexcept = 0;
    /// Whether the request's body stays valid until ReplyWatcher::on_turn_end(). If not, it is
    /// valid only until RequestHandler::on_request() returns.
    virtual bool keeps_request() const noexcept { return false; }

    /// Begins a response that is written as a whole. The caller appends the body to the returned
    /// string, then calls end_full(), which sends head and body with one write. Nothing else may be
    /// called in between.
    virtual std::string& begin_full(ReplyHead const& head) = 0;
    virtual void end_full() = 0;
    /// Writes a whole response with a body that exists already.
    void whole(ReplyHead const& head, std::string_view body = {}) {
        begin_full(head).append(body);
        end_full();
    }

    /// Begins a response of unknown length: its head, then any number of chunks.
    virtual void begin_stream(ReplyHead const& head) = 0;
    /// Begins a chunk. The caller appends any number of events to the returned string, then calls
    /// end_chunk(). Nothing else may be called in between.
    virtual std::string& begin_chunk() = 0;
    virtual void end_chunk() = 0;
    /// Sends the head and the chunks written so far. Bytes that the socket does not accept are
    /// queued.
    virtual void flush() = 0;
    /// Ends the stream with a final chunk, and sends it.
    virtual void finish() = 0;

    /// Sends bytes of a response that another connection has written, head included; see
    /// forwarding.hpp. No other function may be used for the same response, except end_copy().
    virtual void copy(std::string_view bytes) = 0;
    /// Ends a response that was sent with copy(). If `keep_alive` is false, closes the connection.
    virtual void end_copy(bool keep_alive) = 0;

    /// The number of bytes not sent yet, because the client does not read fast enough.
    virtual std::size_t unsent() const noexcept = 0;
    /// Whether the unsent output exceeds a limit (by default, 1 MiB). If so, optional messages
    /// should not be added. At a higher limit (by default, 8 MiB) the connection is closed.
    virtual bool behind() const noexcept = 0;
    /// Whether the connection works, as far as is known. If not, output is discarded.
    virtual bool open() const noexcept = 0;

    /// Sends no response. Instead, ends HTTP on this connection and passes the connection to
    /// `upgrade`.
    virtual void upgrade(std::unique_ptr<Upgrade> upgrade) = 0;

    /// Closes the connection without sending anything more. The watcher is not called.
    virtual void cut() noexcept = 0;

protected:
    ~Reply() = default;
};

}  // namespace lanyard::http
