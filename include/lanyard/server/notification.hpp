// Notifications of clients, and the functions that receive them.
#pragma once

#include <functional>
#include <string>

#include <lanyard/json/raw_json.hpp>
#include <lanyard/peer_info.hpp>
#include <lanyard/protocol/base.hpp>

namespace lanyard {

/// A notification that a client has sent.
struct ClientNotification {
    std::string method;
    RawJson params;         ///< the parameters; `{}` if there are none
    PeerInfo sender;        ///< the session, the authenticated principal and the transport
    Implementation client;  ///< name and version; empty if the client has not sent them
    std::string version;    ///< the protocol revision, for example "2025-11-25"
};

using NotificationHandler = std::function<void(ClientNotification const& notification)>;

}  // namespace lanyard
