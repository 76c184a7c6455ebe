#include "client/open_session.hpp"

#include "client/lease.hpp"
#include "client/negotiation.hpp"
#include "client/on_executor.hpp"

namespace lanyard::client {

namespace {

Task<> open_first(std::shared_ptr<ClientSession> session, std::unique_ptr<Transport> transport) {
    auto opening = session->keeper().open(std::move(transport));
    co_await std::move(opening);
    session->keeper().hand_out();
}

}  // namespace

Task<std::shared_ptr<ClientSession>> open_session(std::unique_ptr<Transport> transport,
                                                  std::unique_ptr<Connector> connector,
                                                  ClientOptions options) {
    version_options(options);
    if (!transport) {
        auto opening = connector->open();
        transport = co_await std::move(opening);
    }
    auto const session = std::make_shared<ClientSession>(transport->executor(), options);
    session->keeper().set_connector(std::move(connector));
    auto opening = open_first(session, std::move(transport));
    co_await on_executor(session, std::move(opening));
    co_return session;
}

Client start_client_on(boost::asio::any_io_executor executor, std::unique_ptr<Connector> connector,
                       ClientOptions const& options) {
    auto session = std::make_shared<ClientSession>(std::move(executor), options);
    session->keeper().set_connector(std::move(connector));
    session->keeper().hand_out();
    return Lease::open(session);
}

}  // namespace lanyard::client
