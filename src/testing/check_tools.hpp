// Common parts of the checks of validate_transport().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lanyard/rpc/outbox.hpp"
#include "testing/transport_checks.hpp"

namespace lanyard::testing::checks {

void put(rpc::Outbox& outbox, std::string_view text);

/// If the condition is false, throws Broken with the message `otherwise`.
void require(bool holds, std::string const& otherwise);

/// Sends the whole outbox, within the timeout.
Task<> send(Bench& bench, Transport& transport, rpc::Outbox& outbox);
Task<> send_one(Bench& bench, Transport& transport, std::string text);

/// Reads messages one by one. Throws Broken if anything other than a message arrives, or if no
/// message arrives in time.
class Receiver {
public:
    Receiver(Transport& transport, Bench& bench) : transport_(transport), bench_(bench) {}

    Task<std::string> next(std::string_view what);
    Task<> expect(std::string text);

private:
    Transport& transport_;
    Bench& bench_;
    std::vector<std::string> texts_;
    std::size_t at_ = 0;
};

/// Reads until the connection ends; returns the number of messages.
Task<std::size_t> read_to_end(Bench& bench, Transport& transport);

}  // namespace lanyard::testing::checks
