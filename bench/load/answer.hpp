// Answer: an HTTP/1.1 response that arrives in pieces: its status, its session id, and the message
// in it, as JSON or as the last event of a stream.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanyard::bench {

class Answer {
public:
    /// Takes the next bytes of a response; returns whether it is complete now. Throws if the bytes
    /// are not HTTP or continue past the end.
    bool take(std::string_view bytes);
    /// Prepares for the next response.
    void clear();

    int status() const { return status_; }
    /// The session id in the response; empty if there is none.
    std::string const& session() const { return session_; }
    /// Whether the server closes the connection after this response.
    bool last() const { return last_; }
    /// The JSON text in the response.
    std::string_view message() const;
    /// The whole body, for error messages.
    std::string_view body() const;

private:
    enum class Stage { head, counted, chunk_size, chunk, chunk_end, trailer, complete };

    void read_head(std::string_view head);
    bool advance();
    bool next_line(std::string_view& line);

    std::string input_;
    std::string chunks_;
    std::size_t at_ = 0;
    std::size_t left_ = 0;
    Stage stage_ = Stage::head;
    int status_ = 0;
    bool chunked_ = false;
    bool counted_ = false;
    bool events_ = false;
    bool last_ = false;
    std::string session_;
    mutable std::string data_;
};

}  // namespace lanyard::bench
