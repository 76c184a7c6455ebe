// Reply: the answer to one HTTP request, as whoever answers sees it. Connections implement it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/reply_writer.hpp"

namespace lanyard::http {

class Upgrade;

/// Hears what becomes of a reply. No function is called from inside of a function of the reply.
class ReplyWatcher {
public:
    /// The client has gone, or the connection was cut: the answer interests nobody. The reply is
    /// not used any more once this returns.
    virtual void on_gone() noexcept = 0;
    /// Handlers that were ready when the request came have run, and it is not answered.
    virtual void on_turn_end() {}
    /// The client has caught up: behind() has become false again.
    virtual void on_drained() noexcept {}
    /// Nothing was said for the interval of the heartbeat: beginning a stream, which has one, shows
    /// that the request is being worked on. Nothing else may be done with the reply.
    virtual void on_silence() {}

protected:
    ~ReplyWatcher() = default;
};

/// The answer to one request, used on the executor of its connection.
///
/// A reply ends with exactly one of end_whole(), finish(), upgrade() and cut(); it is gone once its
/// watcher's on_gone() returns. After either it must not be touched. Who does not answer before
/// on_request() returns has to watch.
///
/// Of a head that is passed in, the connection fills in `date`, and `cors_origin` where it is
/// empty; `keep_alive` holds only where the connection agrees.
class Reply {
public:
    /// Replaces the watcher; null for none.
    virtual void watch(ReplyWatcher* watcher) noexcept = 0;
    /// Whether the request stays in place until ReplyWatcher::on_turn_end().
    virtual bool keeps_request() const noexcept { return false; }

    /// An answer as a whole: append the body to what is returned, then end_whole(), which sends
    /// head and body with one write. Nothing else is called in between.
    virtual std::string& begin_whole(ReplyHead const& head) = 0;
    virtual void end_whole() = 0;
    /// The same for a body that is there already.
    void whole(ReplyHead const& head, std::string_view body = {}) {
        begin_whole(head).append(body);
        end_whole();
    }

    /// An answer that takes as long as it takes: its head, then any number of chunks.
    virtual void begin_stream(ReplyHead const& head) = 0;
    /// Append to what is returned (any number of events), then end_chunk(). Nothing else is called
    /// in between.
    virtual std::string& begin_chunk() = 0;
    virtual void end_chunk() = 0;
    /// Sends the head and the chunks that were written, as far as the client takes them.
    virtual void flush() = 0;
    /// Ends the stream in the orderly way, and sends.
    virtual void finish() = 0;

    /// Bytes that wait because the client does not read.
    virtual std::size_t unsent() const noexcept = 0;
    /// Whether so much waits that nothing should be written that could be left out. Once more than
    /// eight times as much waits, the connection is cut.
    virtual bool behind() const noexcept = 0;
    /// False once the connection is known to be broken: what is written then goes nowhere.
    virtual bool open() const noexcept = 0;

    /// Instead of an answer, ends HTTP on this connection: whatever follows is the upgrade's.
    virtual void upgrade(std::unique_ptr<Upgrade> upgrade) = 0;

    /// Ends the connection without another byte. The watcher hears nothing of it.
    virtual void cut() noexcept = 0;

protected:
    ~Reply() = default;
};

}  // namespace lanyard::http
