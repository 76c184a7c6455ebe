#include "lanyard/client/blocking.hpp"

#include <future>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "runtime/loop.hpp"

namespace lanyard::blocking {

namespace detail {

// Handlers run on threads of the loop. When a handler blocks its thread, the loop uses another
// thread (docs/design/loops.md).
struct BlockingLoop::Context {
    std::shared_ptr<runtime::Loop> loop = std::make_shared<runtime::Loop>();
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work =
        boost::asio::make_work_guard(loop->context());
};

BlockingLoop::BlockingLoop() : context_(std::make_unique<Context>()) {
    context_->loop->start();
}

BlockingLoop::~BlockingLoop() {
    context_->work.reset();
    auto const loop = context_->loop;
    if (loop->runs_here()) {
        // A handler has released the last client, so this code runs on a thread of the loop. Such a
        // thread cannot wait for the loop's end, so a separate thread does.
        std::thread([loop] { loop->join(); }).detach();
    } else {
        loop->join();
    }
}

void BlockingLoop::run(Task<> task) {
    if (context_->loop->runs_here()) {
        throw Error(Errc::invalid_phase,
                    "a handler cannot make a blocking call: it would wait for itself");
    }
    // The promise is shared with the loop's thread. Otherwise the waiting thread could destroy the
    // promise before the loop's thread has returned from set_value().
    auto const ended = std::make_shared<std::promise<void>>();
    auto end = ended->get_future();
    auto const finish = [ended](std::exception_ptr const& failure) {
        if (failure) {
            ended->set_exception(failure);
        } else {
            ended->set_value();
        }
    };
    boost::asio::co_spawn(context_->loop->context(), std::move(task), finish);
    end.get();
}

}  // namespace detail

struct Client::State {
    State(std::shared_ptr<detail::BlockingLoop> its_loop, lanyard::Client its_client, bool keeps_it)
        : loop(std::move(its_loop)), client(std::move(its_client)), keeps(keeps_it) {}
    ~State() {
        if (!keeps) return;
        client.close();
        try {
            loop->run(client.closed());
        } catch (std::exception const&) {
            // On a thread of the loop, run() throws. The client is then closed without waiting.
        }
    }
    State(State const&) = delete;
    State& operator=(State const&) = delete;

    std::shared_ptr<detail::BlockingLoop> loop;
    lanyard::Client client;
    bool keeps;
};

Client::Client(std::shared_ptr<detail::BlockingLoop> loop, lanyard::Client client)
    : state_(std::make_shared<State>(std::move(loop), std::move(client), true)) {}

Client Client::borrowed(std::shared_ptr<detail::BlockingLoop> loop, lanyard::Client client) {
    return Client(std::make_shared<State>(std::move(loop), std::move(client), false));
}

lanyard::Client const& Client::async() const noexcept {
    return state_->client;
}

std::shared_ptr<detail::BlockingLoop> const& Client::loop() const noexcept {
    return state_->loop;
}

namespace {

template <class Source>
Client connect_to(std::unique_ptr<Source> source, ClientOptions const& options) {
    auto loop = std::make_shared<detail::BlockingLoop>();
    auto client = loop->get(lanyard::connect(std::move(source), options));
    return {std::move(loop), std::move(client)};
}

}  // namespace

Client connect(std::unique_ptr<Connector> connector, ClientOptions const& options) {
    return connect_to(std::move(connector), options);
}

Client start_client(std::unique_ptr<Connector> connector, ClientOptions const& options) {
    auto loop = std::make_shared<detail::BlockingLoop>();
    auto client = loop->get(lanyard::start_client(std::move(connector), options));
    return {std::move(loop), std::move(client)};
}

Client connect(std::unique_ptr<Transport> transport, ClientOptions const& options) {
    return connect_to(std::move(transport), options);
}

}  // namespace lanyard::blocking
