// Reply: the response to one HTTP request, as a handler writes it. Connections implement it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/server/reply_writer.hpp"

namespace lanyard::http {

class Upgrade;

/// Receives events of a reply. The reply never calls these functions from within its own functions.
class ReplyWatcher {
public:
    /// The client has disconnected, or the server has cut the connection: no response is needed.
    /// The reply must not be used after this returns.
    virtual void on_gone() noexcept = 0;
    /// The handlers that were ready when the request arrived have run, and the request is still
    /// unanswered.
    virtual void on_turn_end() {}
    /// The client has caught up: behind() is false again.
    virtual void on_drained() noexcept {}
    /// Nothing was sent during the keepalive interval. The watcher may begin a stream, which sends
    /// comments and so shows the client that the request is being served. Nothing else may be
    /// done with the reply here.
    virtual void on_silence() {}

protected:
    ~ReplyWatcher() = default;
};

/// The response to one request, used on the executor of its connection.
///
/// A reply ends with exactly one of end_full(), finish(), upgrade() and cut(), or when its
/// watcher's on_gone() returns. After that it must not be used. A handler that does not answer
/// before on_request() returns must set a watcher.
///
/// In a head that is passed in, the connection sets `date`, and `cors_origin` if it is empty;
/// `keep_alive` takes effect only if the connection can be kept alive too.
class Reply {
public:
    /// Replaces the watcher; null removes it.
    virtual void watch(ReplyWatcher* watcher) noexcept = 0;
    /// Whether the request stays valid until ReplyWatcher::on_turn_end().
    virtual bool keeps_request() const noexcept { return false; }

    /// Begins a response that is written as a whole: append the body to the returned string, then
    /// call end_full(), which sends head and body with one write. Nothing else may be called in
    /// between.
    virtual std::string& begin_full(ReplyHead const& head) = 0;
    virtual void end_full() = 0;
    /// Writes a whole response with a body that exists already.
    void whole(ReplyHead const& head, std::string_view body = {}) {
        begin_full(head).append(body);
        end_full();
    }

    /// Begins a response of unknown length: its head, then any number of chunks.
    virtual void begin_stream(ReplyHead const& head) = 0;
    /// Append any number of events to the returned string, then call end_chunk(). Nothing else may
    /// be called in between.
    virtual std::string& begin_chunk() = 0;
    virtual void end_chunk() = 0;
    /// Sends the head and the chunks written so far. Bytes that the socket does not accept are
    /// queued.
    virtual void flush() = 0;
    /// Ends the stream with a final chunk, and sends it.
    virtual void finish() = 0;

    /// Bytes that have not been sent because the client does not read.
    virtual std::size_t unsent() const noexcept = 0;
    /// Whether so much is unsent that optional output should be left out. If more than eight times
    /// as much (by default) is unsent, the connection is cut.
    virtual bool behind() const noexcept = 0;
    /// False once the connection is known to be broken: output is then discarded.
    virtual bool open() const noexcept = 0;

    /// Instead of a response, ends HTTP on this connection and hands the connection to the upgrade.
    virtual void upgrade(std::unique_ptr<Upgrade> upgrade) = 0;

    /// Closes the connection without sending anything more. The watcher is not called.
    virtual void cut() noexcept = 0;

protected:
    ~Reply() = default;
};

}  // namespace lanyard::http
