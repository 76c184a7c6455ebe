#include "lanyard/client/connections.hpp"

#include "client/stop_all.hpp"

namespace lanyard {

// Reserves a name for a client that is being opened.
class Connections::Place {
    // Returns the entry of the reserved name; end() if the entry was removed. The mutex must be
    // held.
    auto find() const {
        auto const entry = owner_.clients_.find(name_);
        bool const own = entry != owner_.clients_.end() && entry->second.number == number_;
        return own ? entry : owner_.clients_.end();
    }

public:
    Place(Connections& owner, std::string name) : owner_(owner), name_(std::move(name)) {
        std::scoped_lock const lock(owner_.mutex_);
        auto const [entry, added] = owner_.clients_.try_emplace(name_);
        if (!added) {
            throw Error(Errc::invalid_argument, "there is a client named " + name_ + " already");
        }
        number_ = entry->second.number = ++owner_.last_number_;
    }
    ~Place() {
        if (taken_) return;
        std::scoped_lock const lock(owner_.mutex_);
        if (auto const entry = find(); entry != owner_.clients_.end()) owner_.clients_.erase(entry);
    }
    Place(Place const&) = delete;
    Place& operator=(Place const&) = delete;

    void take(Client client) {
        std::scoped_lock const lock(owner_.mutex_);
        taken_ = true;
        // If the name was removed meanwhile, the client is not stored.
        auto const entry = find();
        if (entry != owner_.clients_.end()) entry->second.client = std::move(client);
    }

private:
    Connections& owner_;
    std::string name_;
    std::uint64_t number_ = 0;
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
    return found != clients_.end() ? found->second.client : std::nullopt;
}

Client Connections::get(std::string_view name) const {
    if (auto client = find(name)) return *std::move(client);
    throw Error(Errc::unavailable, "there is no client named " + std::string(name));
}

std::vector<std::string> Connections::names() const {
    std::scoped_lock const lock(mutex_);
    std::vector<std::string> names;
    for (auto const& [name, entry] : clients_) {
        if (entry.client) names.push_back(name);
    }
    return names;
}

std::size_t Connections::size() const {
    return names().size();
}

bool Connections::remove(std::string_view name) {
    // Declared before the lock, so that the client is destroyed after the mutex is unlocked.
    std::optional<Client> removed;
    std::scoped_lock const lock(mutex_);
    auto const found = clients_.find(name);
    if (found == clients_.end()) return false;
    removed = std::move(found->second.client);
    clients_.erase(found);
    return true;
}

std::vector<Client> Connections::take_all() {
    std::vector<Client> taken;
    std::scoped_lock const lock(mutex_);
    taken.reserve(clients_.size());
    for (auto& [name, entry] : clients_) {
        if (entry.client) taken.push_back(*std::move(entry.client));
    }
    clients_.clear();
    return taken;
}

void Connections::close() noexcept {
    decltype(clients_) all;
    {
        std::scoped_lock const lock(mutex_);
        all.swap(clients_);
    }
    for (auto const& [name, entry] : all) {
        if (entry.client) entry.client->close();
    }
}

Task<> Connections::stop(Duration grace) {
    return client::stop_all(take_all(), grace);
}

}  // namespace lanyard
