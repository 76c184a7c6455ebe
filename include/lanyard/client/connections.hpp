// Connections: clients by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/client/client.hpp>

namespace lanyard {

/// A set of clients by name. A program may have several sets; destroying a set releases its
/// clients. Thread-safe.
class Connections {
public:
    Connections() = default;
    Connections(Connections const&) = delete;
    Connections& operator=(Connections const&) = delete;
    ~Connections() = default;

    /// Adds a client. Throws Error (invalid_argument) if the name is in use.
    void add(std::string name, Client client);
    /// Calls connect(), then add(). The name is reserved at once; if connecting fails, it becomes
    /// free again. This object must outlive the task.
    Task<Client> open(std::string name, std::unique_ptr<Connector> connector,
                      ClientOptions const& options = {});

    /// Returns the client of this name, or nullopt if there is no such client or it is still being
    /// opened.
    std::optional<Client> find(std::string_view name) const;
    /// Same as find(), but throws Error (unavailable) where find() returns nullopt.
    Client get(std::string_view name) const;
    /// Returns all names, sorted.
    std::vector<std::string> names() const;
    std::size_t size() const;

    /// Removes the client of this name. The client is closed if no other copy of it exists. Returns
    /// false if there is no such name. If the client is still being opened, open() completes, but
    /// does not add the client.
    bool remove(std::string_view name);
    /// Closes all clients immediately, as Client::close() does, and removes them.
    void close() noexcept;
    /// Stops all clients concurrently, as Client::stop() does, and removes them. Completes when
    /// everything is released.
    Task<> stop(Duration grace = std::chrono::seconds(5));

private:
    class Place;
    std::vector<Client> take_all();

    mutable std::mutex mutex_;
    struct Entry {
        std::uint64_t number = 0;      // differs from the number of every earlier entry
        std::optional<Client> client;  // empty while the client is being opened
    };
    std::map<std::string, Entry, std::less<>> clients_;
    std::uint64_t last_number_ = 0;
};

}  // namespace lanyard
