#include "http/mcp/websocket_server.hpp"

#include <boost/asio/co_spawn.hpp>

#include <sys/socket.h>

#include "base/ascii.hpp"
#include "crypto/random_id.hpp"
#include "http/mcp/error_reply.hpp"
#include "http/mcp/request_info.hpp"
#include "http/mcp/session_shared.hpp"
#include "http/server/server_loop.hpp"
#include "lanyard/base64.hpp"

namespace lanyard::http {
namespace {

constexpr std::size_t key_bytes = 16;
constexpr std::size_t buffer_bytes = std::size_t{64} * 1024;

Unexpected<UpgradeRefusal> refuse(Status status, std::string_view reason,
                                  std::string_view more = {}) noexcept {
    return Unexpected(UpgradeRefusal{status, reason, more});
}

bool is_key(std::string_view text) noexcept {
    try {
        auto const decoded = base64::decode(text);
        return decoded && decoded->size() == key_bytes;
    } catch (std::bad_alloc const&) {
        return false;  // the request is refused
    }
}

bool lists(std::string_view elements, std::string_view wanted) noexcept {
    while (!elements.empty()) {
        auto const comma = elements.find(',');
        if (ascii::trim(elements.substr(0, comma)) == wanted) return true;
        elements = comma == elements.npos ? std::string_view() : elements.substr(comma + 1);
    }
    return false;
}

// A WebSocket in the list of a ServerLoop, in place of the HTTP connection from which it was
// upgraded.
class ServedWebSocket final : public LoopMember {
public:
    ServedWebSocket(std::string address, std::shared_ptr<WebSocketLink> link)
        : LoopMember(std::move(address)), link_(std::move(link)) {}

    void tick(TimePoint now) override { link_->tick(now); }
    // Does nothing. The server's session closes the WebSocket when the session's calls have ended.
    // If they have not ended after the grace period, the ServerLoop closes the WebSocket.
    void stop() override {}
    void close() noexcept override { link_->abandon(); }

private:
    std::shared_ptr<WebSocketLink> link_;
};

class WebSocketUpgrade final : public Upgrade {
public:
    WebSocketUpgrade(Endpoint& endpoint, std::shared_ptr<SessionShared> sessions,
                     std::shared_ptr<WebSocketShared> shared, WebSocketOffer const& offer,
                     std::shared_ptr<PeerInfo const> info)
        : endpoint_(endpoint),
          sessions_(std::move(sessions)),
          shared_(std::move(shared)),
          key_(offer.key),
          extensions_(offer.extensions),
          protocol_(offer.protocol),
          info_(std::move(info)) {
        ++shared_->counters.open;
    }
    ~WebSocketUpgrade() override {
        if (!link_) --shared_->counters.open;
    }

    std::shared_ptr<LoopMember> take(LeavingConnection departure) override {
        WebSocketLink::Socket socket(sessions_->executor);
        // The family AF_INET may be wrong, but does not matter for the operations used on this
        // socket.
        socket.assign(boost::asio::generic::stream_protocol(AF_INET, 0), departure.socket.get());
        departure.socket.release();
        auto const link =
            std::make_shared<WebSocketLink>(shared_, std::move(socket), std::move(departure.tls),
                                            departure.loop->time(), std::move(departure.peer));
        auto member = std::make_shared<ServedWebSocket>(std::move(departure.address), link);
        unread_ = std::move(departure.unread);
        link->on_released([shared = shared_, loop = std::move(departure.loop),
                           left = std::weak_ptr<LoopMember>(member)] {
            --shared->counters.open;
            // If the ServerLoop has not added the member to its list, the member no longer exists,
            // and there is nothing to remove.
            if (auto const kept = left.lock()) loop->remove(*kept);
            loop->check_stopped();
        });
        link_ = link;
        return member;
    }

    void start() override {
        ++shared_->counters.opened;
        try {
            link_->accept({.key = key_, .extensions = extensions_, .protocol = protocol_}, unread_);
            serve();
        } catch (...) {
            link_->abandon();
            throw;
        }
    }

private:
    void serve() {
        auto serving =
            endpoint_.serve(std::make_unique<WebSocketTransport>(link_, std::move(info_)));
        auto const released = [sessions = sessions_](std::exception_ptr const&) {
            --sessions->served;
            if (sessions->owner != nullptr) sessions->owner->on_released();
        };
        ++sessions_->served;
        try {
            boost::asio::co_spawn(sessions_->executor, std::move(serving), released);
        } catch (...) {
            --sessions_->served;
            throw;
        }
    }

    Endpoint& endpoint_;
    std::shared_ptr<SessionShared> sessions_;
    std::shared_ptr<WebSocketShared> shared_;
    std::string key_;
    std::string extensions_;
    std::string protocol_;
    std::shared_ptr<PeerInfo const> info_;
    std::string unread_;
    std::shared_ptr<WebSocketLink> link_;
};

std::shared_ptr<PeerInfo const> peer_info_of(HttpRequest const& request, Random& random) {
    auto info = std::make_shared<PeerInfo>(*request_info(request, {}));
    info->session_id = crypto::random_id(random);
    info->transport = "websocket";
    info->headers_of_request = false;
    return info;
}

}  // namespace

Result<WebSocketOffer, UpgradeRefusal> read_offer(RequestHead const& head) noexcept {
    auto const& fields = head.fields;
    if (head.old) return refuse(Status::bad_request, "a WebSocket needs HTTP/1.1");
    if (!fields.lists(FieldName::upgrade, "websocket") ||
        !fields.lists(FieldName::connection, "upgrade")) {
        return refuse(Status::upgrade_required, "this is for WebSockets",
                      "Upgrade: websocket\r\nConnection: upgrade\r\n");
    }
    if (fields.count("Sec-WebSocket-Version") != 1 ||
        fields.find("Sec-WebSocket-Version") != "13") {
        return refuse(Status::upgrade_required, "Sec-WebSocket-Version must be 13",
                      "Sec-WebSocket-Version: 13\r\n");
    }
    auto const key = fields.find("Sec-WebSocket-Key").value_or("");
    if (fields.count("Sec-WebSocket-Key") != 1 || !is_key(key)) {
        return refuse(Status::bad_request, "Sec-WebSocket-Key must be 16 bytes in base64");
    }
    WebSocketOffer offer{.key = key, .extensions = {}, .protocol = {}};
    offer.extensions = fields.find("Sec-WebSocket-Extensions").value_or("");
    bool offers = false;
    for (auto const& field : fields.all()) {
        if (!ascii::equals_ignoring_case(field.name, "Sec-WebSocket-Protocol")) continue;
        offers = true;
        if (lists(field.value, websocket_protocol)) offer.protocol = websocket_protocol;
    }
    if (offers && offer.protocol.empty()) {
        return refuse(Status::bad_request, "the only subprotocol is mcp");
    }
    return offer;
}

WebSocketServer::WebSocketServer(Endpoint& endpoint, std::shared_ptr<SessionShared> sessions)
    : endpoint_(endpoint),
      sessions_(std::move(sessions)),
      shared_(std::make_shared<WebSocketShared>(sessions_->options.websocket_options(),
                                                buffer_bytes,
                                                sessions_->options.max_websocket_bytes_total())) {}

void WebSocketServer::on_request(HttpRequest const& request, Reply& reply) {
    auto const offer = read_offer(request.head);
    if (!offer) {
        auto const& [status, reason, more] = offer.error();
        reply.whole({.status = status, .content = Content::text, .more = more}, reason);
        return;
    }
    bool const full = shared_->counters.open >= sessions_->options.max_websockets();
    if (full || sessions_->stopping()) {
        if (full) ++shared_->counters.refused;
        reply_error(reply, wire::translate(wire::Condition::overloaded, Version::v2025_11_25,
                                           {.message = full ? "there are too many WebSockets"
                                                            : "the server is shutting down"}));
        return;
    }
    reply.upgrade(std::make_unique<WebSocketUpgrade>(endpoint_, sessions_, shared_, *offer,
                                                     peer_info_of(request, endpoint_.random())));
}

}  // namespace lanyard::http
