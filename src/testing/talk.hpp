// Talk: a client that sends and receives raw JSON-RPC, for checks of servers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lanyard/json.hpp"
#include "testing/check_tools.hpp"

namespace lanyard::testing::checks {

/// The functions throw Broken if the server does not behave as expected.
class Talk {
public:
    /// The `_meta` member of the params, which describes the sender of a stateless request (from
    /// protocol revision 2026-07-28 on).
    static constexpr std::string_view metadata =
        R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientInfo":{"name":"validate_transport","version":"1"},)"
        R"("io.modelcontextprotocol/clientCapabilities":{}})";

    Talk(Bench& bench, std::shared_ptr<Link> link)
        : bench_(bench), link_(std::move(link)), receiver_(*link_->near, bench) {}

    Transport& transport() const noexcept { return *link_->near; }
    Task<> say(std::string text) { return send_one(bench_, *link_->near, std::move(text)); }
    Task<> send_all(rpc::Outbox& outbox) { return send(bench_, *link_->near, outbox); }

    /// Returns the next response; skips other messages of the server.
    Task<Json> response(std::string_view to_what);
    /// Sends a request and returns the response. Throws Broken if the response is not a JSON object
    /// or does not have the id of the request.
    Task<Json> ask(std::string_view method, std::string_view params = "{}");
    Task<> expect_result(std::string_view method, std::string_view params = "{}");
    Task<> expect_error(std::string_view method, std::string_view params = "{}",
                        std::optional<std::int64_t> code = std::nullopt);
    Task<> initialize();
    Task<> open_session();

    static void check_error(Json const& answer, std::string const& what,
                            std::optional<std::int64_t> code);

private:
    Bench& bench_;
    std::shared_ptr<Link> link_;
    Receiver receiver_;
    std::int64_t last_id_ = 0;
};

/// The parameters of initialize.
inline constexpr std::string_view initialize_params =
    R"({"protocolVersion":"2025-11-25","capabilities":{},)"
    R"("clientInfo":{"name":"validate_transport","version":"1"}})";
inline constexpr std::string_view initialized =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

/// Returns the start of a message, for error texts.
std::string shown(Json const& json);

/// Returns the text of a request.
std::string request_text(std::string_view id, std::string_view method, std::string_view params);

}  // namespace lanyard::testing::checks
