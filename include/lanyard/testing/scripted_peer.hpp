// ScriptedPeer: one side of a connection, controlled step by step by a test.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <lanyard/json/document.hpp>
#include <lanyard/rpc/message.hpp>
#include <lanyard/time_source.hpp>
#include <lanyard/transport.hpp>

namespace lanyard::testing {

/// Thrown when a step of a script fails. what() shows the expected message, the received one, and
/// all earlier messages.
class ScriptError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Checks a message. Returns nullopt if the message is accepted, otherwise a sentence that
/// describes the problem.
using Matcher = std::function<std::optional<std::string>(Json const& message)>;

/// Plays a client or a server that sends exactly what the test specifies, valid or not, over any
/// transport; memory_pair() creates such a transport.
///
///     ScriptedPeer client(std::move(end));
///     co_await client.send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
///     co_await client.expect(R"({"jsonrpc":"2.0","id":1,"result":{}})");
///
/// The tasks of this class run on the transport's executor, one at a time. They throw ScriptError
/// and support Asio cancellation of type `terminal`.
class ScriptedPeer {
public:
    /// Each step that waits fails after `timeout`, to guard against hangs. `timeout` is measured
    /// in real time, even if the other side uses fake time.
    explicit ScriptedPeer(std::unique_ptr<Transport> transport,
                          Duration timeout = std::chrono::seconds(10));
    ScriptedPeer(ScriptedPeer&&) = default;
    ScriptedPeer& operator=(ScriptedPeer&&) = default;
    ~ScriptedPeer() = default;

    /// Sends the text as one message, without checking the text. Completes when the transport has
    /// sent or buffered the message.
    Task<> send(std::string text);
    Task<> send_message(rpc::Message message);

    /// Returns the next message, which must be JSON.
    Task<Json> receive();
    /// Returns the next message, which must equal this JSON value; the order of members does not
    /// matter.
    Task<Json> expect(std::string json);
    /// Returns the next message, which must have at least the members of this JSON object, at every
    /// depth.
    Task<Json> expect_like(std::string json);
    /// Returns the next message, which the matcher must accept.
    Task<Json> expect_that(Matcher matcher);
    /// Returns the next message, which must be a request for this method.
    Task<rpc::Request> expect_request(std::string method);
    Task<rpc::Notification> expect_notification(std::string method);
    /// Succeeds if the other side ends the connection without another message.
    Task<> expect_end();

    /// Closes the sending direction; messages can still be received.
    void half_close() noexcept { transport_->close_output(); }
    void close() noexcept { transport_->close(); }
    /// Completes when all resources of the connection are released. close() must have been called.
    Task<> closed() { return transport_->closed(); }

    Transport& transport() noexcept { return *transport_; }

private:
    Task<bool> fill(std::string const& wanted);
    Task<std::string> take(std::string const& wanted);
    Task<Json> take_json(std::string const& wanted);
    Task<rpc::Message> take_message(std::string const& wanted);
    [[noreturn]] void fail(std::string const& expected, std::string const& came) const;

    std::unique_ptr<Transport> transport_;
    Duration timeout_;
    std::deque<std::string> received_;    // messages that were read, but not returned yet
    std::vector<std::string> exchanged_;  // all messages, oldest first, for error messages
};

/// Returns a description of the first difference between two JSON values, such as /params/name:
/// expected "a", came "b". Returns nullopt if the values are equal.
std::optional<std::string> first_difference(Json const& expected, Json const& came);
/// Same as first_difference(), but ignores members that only the received value has.
std::optional<std::string> first_missing(Json const& expected, Json const& came);

}  // namespace lanyard::testing
