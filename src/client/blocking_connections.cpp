#include "lanyard/client/blocking_connections.hpp"

namespace lanyard::blocking {

namespace {

// Stops the connections and waits for their end; ignores errors. On a thread of the loop, does not
// wait, because the thread would wait for itself.
template <class AnyConnections>
void end(detail::BlockingLoop& loop, AnyConnections& connections) noexcept {
    try {
        loop.run(connections.stop(Duration::zero()));
    } catch (std::exception const&) {
        return;
    }
}

}  // namespace

struct ClientPool::State {
    State(std::shared_ptr<detail::BlockingLoop> its_loop, lanyard::ClientPool its_pool)
        : loop(std::move(its_loop)), pool(std::move(its_pool)) {}
    ~State() {
        pool.close();
        end(*loop, pool);
    }
    State(State const&) = delete;
    State& operator=(State const&) = delete;

    std::shared_ptr<detail::BlockingLoop> loop;
    lanyard::ClientPool pool;
};

ClientPool::ClientPool(std::shared_ptr<detail::BlockingLoop> loop, lanyard::ClientPool pool)
    : state_(std::make_shared<State>(std::move(loop), std::move(pool))) {}

lanyard::ClientPool const& ClientPool::async() const noexcept {
    return state_->pool;
}

std::shared_ptr<detail::BlockingLoop> const& ClientPool::loop() const noexcept {
    return state_->loop;
}

ClientPool open_pool(std::function<std::unique_ptr<Connector>()> make_connector,
                     PoolOptions const& options) {
    auto loop = std::make_shared<detail::BlockingLoop>();
    auto pool = loop->get(lanyard::open_pool(std::move(make_connector), options));
    return {std::move(loop), std::move(pool)};
}

Connections::Connections() : loop_(std::make_shared<detail::BlockingLoop>()) {}

Connections::~Connections() {
    end(*loop_, clients_);
}

Client Connections::open(std::string name, std::unique_ptr<Connector> connector,
                         ClientOptions const& options) {
    auto client = loop_->get(clients_.open(std::move(name), std::move(connector), options));
    return Client::borrowed(loop_, std::move(client));
}

std::optional<Client> Connections::find(std::string_view name) const {
    auto client = clients_.find(name);
    if (!client) return std::nullopt;
    return Client::borrowed(loop_, *std::move(client));
}

Client Connections::get(std::string_view name) const {
    return Client::borrowed(loop_, clients_.get(name));
}

bool Connections::remove(std::string_view name) {
    auto const client = clients_.find(name);
    if (!clients_.remove(name)) return false;
    if (client) client->close();
    return true;
}

void Connections::stop(Duration grace) {
    loop_->run(clients_.stop(grace));
}

}  // namespace lanyard::blocking
