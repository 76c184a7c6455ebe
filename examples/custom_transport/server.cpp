// A server on a custom transport.
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <lanyard/server.hpp>

#include "netstring_transport.hpp"

// Serves the client at the other end of a socket that this process has inherited.
class Inherited : public lanyard::Listener {
public:
    explicit Inherited(int descriptor) : descriptor_(descriptor) {}

    lanyard::Task<> run(lanyard::Endpoint& endpoint) override {
        auto const executor = co_await boost::asio::this_coro::executor;
        netstring::Socket socket(executor);
        boost::system::error_code error;
        socket.assign(boost::asio::local::stream_protocol(), descriptor_, error);
        if (error) throw lanyard::Error(lanyard::Errc::unavailable, error.message());
        co_await endpoint.serve(std::make_unique<netstring::Transport>(std::move(socket)));
    }
    // There is one connection, and the server ends it.
    void stop() noexcept override {}
    std::string describe() const override { return "an inherited socket"; }

private:
    int descriptor_;
};

struct Echo {
    std::string text;
};
LANYARD_STRUCT(Echo, text)

int main() {
    lanyard::Server server{"echo", "1.0.0"};
    server.tool("echo", "Say it again", [](Echo in) { return in.text; });
    return server.run(std::make_unique<Inherited>(3));
}
