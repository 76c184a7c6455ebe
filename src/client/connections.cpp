#include "lanyard/client/connections.hpp"

#include "client/stop_all.hpp"

namespace lanyard {

// Reserves a name for a client that is being opened.
class Connections::Place {
public:
    Place(Connections& owner, std::string name) : owner_(owner), name_(std::move(name)) {
        std::scoped_lock const lock(owner_.mutex_);
        if (!owner_.clients_.emplace(name_, std::nullopt).second) {
            throw Error(Errc::invalid_argument, "there is a client named " + name_ + " already");
        }
    }
    ~Place() {
        if (!taken_) owner_.remove(name_);
    }
    Place(Place const&) = delete;
    Place& operator=(Place const&) = delete;

    void take(Client client) {
        std::scoped_lock const lock(owner_.mutex_);
        taken_ = true;
        // If the name was removed meanwhile, the client is not stored.
        if (auto const found = owner_.clients_.find(name_); found != owner_.clients_.end()) {
            found->second = std::move(client);
        }
    }

private:
    Connections& owner_;
    std::string name_;
    bool taken_ = false;
};

void Connections::add(std::string name, Client client) {
    Place(*this, std::move(name)).take(std::move(client));
}

Task<Client> Connections::open(std::string name, std::unique_ptr<Connector> connector,
                               ClientOptions const& options) {
    auto const opening = [](Connections& self, std::string its_name,
                            Task<Client> connecting) -> Task<Client> {
        Place place(self, std::move(its_name));
        auto client = co_await std::move(connecting);
        place.take(client);
        co_return client;
    };
    return opening(*this, std::move(name), connect(std::move(connector), options));
}

std::optional<Client> Connections::find(std::string_view name) const {
    std::scoped_lock const lock(mutex_);
    auto const found = clients_.find(name);
    return found != clients_.end() ? found->second : std::nullopt;
}

Client Connections::get(std::string_view name) const {
    if (auto client = find(name)) return *std::move(client);
    throw Error(Errc::unavailable, "there is no client named " + std::string(name));
}

std::vector<std::string> Connections::names() const {
    std::scoped_lock const lock(mutex_);
    std::vector<std::string> names;
    for (auto const& [name, client] : clients_) {
        if (client) names.push_back(name);
    }
    return names;
}

std::size_t Connections::size() const {
    return names().size();
}

bool Connections::remove(std::string_view name) {
    std::optional<Client> removed;  // destroyed after the lock is released
    std::scoped_lock const lock(mutex_);
    auto const found = clients_.find(name);
    if (found == clients_.end()) return false;
    removed = std::move(found->second);
    clients_.erase(found);
    return removed.has_value();
}

std::vector<Client> Connections::take_all() noexcept {
    std::vector<Client> taken;
    std::scoped_lock const lock(mutex_);
    for (auto& [name, client] : clients_) {
        if (client) taken.push_back(*std::move(client));
    }
    clients_.clear();
    return taken;
}

void Connections::close() noexcept {
    for (auto const& client : take_all()) client.close();
}

Task<> Connections::stop(Duration grace) {
    return client::stop_all(take_all(), grace);
}

}  // namespace lanyard
