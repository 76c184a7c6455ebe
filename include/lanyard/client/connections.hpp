// Connections: the clients of a program, by name.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/client/client.hpp>

namespace lanyard {

/// Clients by name. An object like any other: a program may have several, and what it holds goes
/// with it. Safe to use from any number of threads.
class Connections {
public:
    Connections() = default;
    Connections(Connections const&) = delete;
    Connections& operator=(Connections const&) = delete;
    ~Connections() = default;

    /// Throws Error (invalid_argument) where the name is in use.
    void add(std::string name, Client client);
    /// connect(), and then add(). The name is in use from the start; it is free again where
    /// connecting fails. The object must outlive the task.
    Task<Client> open(std::string name, std::unique_ptr<Connector> connector,
                      ClientOptions const& options = {});

    /// The client of this name, or nothing: also while it is being opened.
    std::optional<Client> find(std::string_view name) const;
    /// The same. Throws Error (unavailable) where there is none.
    Client get(std::string_view name) const;
    /// All names, in order.
    std::vector<std::string> names() const;
    std::size_t size() const;

    /// Forgets the client, which is closed when nobody else has it. False where there is none.
    bool remove(std::string_view name);
    /// Closes all clients at once, as Client::close() does, and forgets them.
    void close() noexcept;
    /// Stops all clients side by side, as Client::stop() does, and forgets them. Completes when
    /// everything is released.
    Task<> stop(Duration grace = std::chrono::seconds(5));

private:
    class Place;
    std::vector<Client> take_all() noexcept;

    mutable std::mutex mutex_;
    std::map<std::string, std::optional<Client>, std::less<>> clients_;  // none: being opened
};

}  // namespace lanyard
