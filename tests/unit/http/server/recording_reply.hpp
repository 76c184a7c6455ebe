// A Reply that records the answer, so that code which answers can be tested without connections.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "http/server/loop_member.hpp"
#include "http/server/reply.hpp"

namespace lanyard::test {

class RecordingReply final : public http::Reply {
public:
    enum class State {
        pending,    ///< not answered yet
        whole,      ///< answered as a whole
        streaming,  ///< the head of a stream was written
        finished,   ///< the end of the stream was written
        upgraded,
        cut,
        gone,  ///< disconnect() was called
    };

    void watch(http::ReplyWatcher* watcher) noexcept override { watcher_ = watcher; }

    std::string& begin_full(http::ReplyHead const& head) override {
        keep(head);
        return body_;
    }
    void end_full() override { end(State::whole); }

    void begin_stream(http::ReplyHead const& head) override {
        keep(head);
        state_ = State::streaming;
    }
    std::string& begin_chunk() override {
        chunk_begin_ = body_.size();
        return body_;
    }
    void end_chunk() override {
        if (body_.size() > chunk_begin_) chunks_.push_back(body_.substr(chunk_begin_));
    }
    void flush() override {
        ++flushes_;
        flushed_ = body_.size();
    }
    void finish() override { end(State::finished); }
    void copy(std::string_view bytes) override {
        state_ = State::streaming;
        body_.append(bytes);
    }
    void end_copy(bool keep_alive) override {
        keep_alive_ = keep_alive;
        end(State::finished);
    }

    std::size_t unsent() const noexcept override { return unsent_; }
    bool behind() const noexcept override { return behind_; }
    bool open() const noexcept override { return open_; }
    void upgrade(std::unique_ptr<http::Upgrade>) override { end(State::upgraded); }
    void cut() noexcept override { end(State::cut); }

    /// Called when the reply ends; the request may be destroyed then.
    std::function<void()> on_end;

    // Actions of the client.
    void disconnect() {
        open_ = false;
        auto* const watcher = std::exchange(watcher_, nullptr);
        if (watcher != nullptr) watcher->on_gone();
        state_ = State::gone;
    }
    /// Sets the unsent bytes: the client does not read, or has caught up again.
    void set_unsent(std::size_t bytes, bool behind) {
        unsent_ = bytes;
        bool const drained = behind_ && !behind;
        behind_ = behind;
        if (drained && watcher_ != nullptr) watcher_->on_drained();
    }
    void set_open(bool open) { open_ = open; }
    /// Simulates the end of the interval in which nothing was sent.
    void stay_silent() {
        if (watcher_ != nullptr) watcher_->on_silence();
    }

    // The recorded answer.
    State state() const noexcept { return state_; }
    bool ended() const noexcept {
        return state_ == State::whole || state_ == State::finished || state_ == State::cut;
    }
    http::Status status() const noexcept { return status_; }
    http::Content content() const noexcept { return content_; }
    bool keep_alive() const noexcept { return keep_alive_; }
    std::string const& session_id() const noexcept { return session_id_; }
    /// Further header lines.
    std::string const& more() const noexcept { return more_; }
    /// The body, or everything written to the stream so far.
    std::string const& body() const noexcept { return body_; }
    std::vector<std::string> const& chunks() const noexcept { return chunks_; }
    std::size_t flushes() const noexcept { return flushes_; }
    /// The part of the stream that flush() has sent.
    std::string flushed() const { return body_.substr(0, flushed_); }
    /// The number of calls after the end of the reply, which should be 0.
    std::size_t misuses() const noexcept { return misuses_; }
    bool watched() const noexcept { return watcher_ != nullptr; }

private:
    void keep(http::ReplyHead const& head) {
        if (state_ != State::pending) ++misuses_;
        status_ = head.status;
        content_ = head.content;
        keep_alive_ = head.keep_alive;
        session_id_ = head.session_id;
        more_ = head.more;
    }
    void end(State state) noexcept {
        if (ended() || state_ == State::gone) ++misuses_;
        state_ = state;
        watcher_ = nullptr;
        flushed_ = body_.size();
        if (on_end) on_end();
    }

    http::ReplyWatcher* watcher_ = nullptr;
    State state_ = State::pending;
    http::Status status_{};
    http::Content content_{};
    bool keep_alive_ = true;
    std::string session_id_;
    std::string more_;
    std::string body_;
    std::vector<std::string> chunks_;
    std::size_t chunk_begin_ = 0;
    std::size_t flushed_ = 0;
    std::size_t flushes_ = 0;
    std::size_t misuses_ = 0;
    std::size_t unsent_ = 0;
    bool behind_ = false;
    bool open_ = true;
};

}  // namespace lanyard::test
