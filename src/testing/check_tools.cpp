#include "testing/check_tools.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "lanyard/error.hpp"
#include "testing/read_within.hpp"

namespace lanyard::testing::checks {

namespace {

using Kind = rpc::Frame::Kind;

// Echoes every message until the connection ends.
Task<> echo(std::shared_ptr<Link> link) {
    rpc::Outbox outbox;
    try {
        while (auto const frames = co_await link->far->read()) {
            for (auto const& frame : *frames) {
                if (frame.kind == Kind::message) put(outbox, frame.text);
            }
            co_await link->far->write(outbox);
        }
    } catch (std::exception const&) {
        // Errors of this end are ignored. The check itself runs at the other end, which detects the
        // failure.
    }
    link->far->close();
}

}  // namespace

void put(rpc::Outbox& outbox, std::string_view text) {
    outbox.begin().append(text);
    outbox.end();
}

void require(bool holds, std::string const& otherwise) {
    if (!holds) throw Broken(otherwise);
}

Task<> send(Bench& bench, Transport& transport, rpc::Outbox& outbox) {
    std::string failure;
    try {
        co_await write_within(transport, outbox, bench.promises.timeout(), bench.promises.time());
    } catch (Error const& error) {
        failure = error.is(Errc::timeout) ? "write did not complete " + error.message()
                                          : "write failed: " + error.message();
    }
    if (!failure.empty()) throw Broken(failure);
    require(outbox.empty(), "write completed and left messages in the outbox");
}

Task<> send_one(Bench& bench, Transport& transport, std::string text) {
    rpc::Outbox outbox;
    put(outbox, text);
    co_await send(bench, transport, outbox);
}

Task<std::string> Receiver::next(std::string_view what) {
    while (at_ == texts_.size()) {
        std::string failure;
        try {
            auto const frames =
                co_await read_within(transport_, bench_.promises.timeout(), bench_.promises.time());
            if (!frames) throw Broken("the connection ended instead of " + std::string(what));
            texts_.clear();
            at_ = 0;
            for (auto const& frame : *frames) {
                if (frame.kind == Kind::failed) {
                    throw Broken(std::string(what) +
                                 " did not come: " + frame.failure->error.message());
                }
                require(frame.kind == Kind::message, "read reported: " + std::string(frame.text));
                texts_.emplace_back(frame.text);
            }
        } catch (Error const& error) {
            failure = error.is(Errc::timeout)
                          ? std::string(what) + " did not come " + error.message()
                          : std::string(what) + " did not come: " + error.what();
        }
        if (!failure.empty()) throw Broken(failure);
    }
    co_return std::move(texts_[at_++]);
}

Task<> Receiver::expect(std::string text) {
    auto const came = co_await next("a message");
    require(came == text,
            "expected the message " + text.substr(0, 200) + ", came " + came.substr(0, 200));
}

Task<std::size_t> read_to_end(Bench& bench, Transport& transport) {
    std::size_t count = 0;
    std::string failure;
    try {
        while (auto const frames = co_await read_within(transport, bench.promises.timeout(),
                                                        bench.promises.time())) {
            count += frames->size();
        }
    } catch (Error const& error) {
        failure = error.is(Errc::timeout) ? "read did not end " + error.message()
                                          : "read failed instead of ending: " + error.message();
    }
    if (!failure.empty()) throw Broken(failure);
    co_return count;
}

Task<std::shared_ptr<Link>> Bench::open() {
    auto made = co_await make();
    require(made.near != nullptr, "nothing was opened");
    co_return links.emplace_back(std::make_shared<Link>(std::move(made)));
}

Task<std::shared_ptr<Link>> Bench::open_echo() {
    auto link = co_await open();
    if (link->far) {
        auto const executor = co_await boost::asio::this_coro::executor;
        boost::asio::co_spawn(executor, echo(link), boost::asio::detached);
    }
    co_return link;
}

Task<std::shared_ptr<Link>> Bench::open_served(std::shared_ptr<Endpoint> endpoint) {
    auto link = co_await open();
    if (!link->far) throw Skipped("the peer is not in this process");
    auto const serve = [](std::shared_ptr<Endpoint> server,
                          std::unique_ptr<Transport> transport) -> Task<> {
        co_await server->serve(std::move(transport));
    };
    auto const executor = co_await boost::asio::this_coro::executor;
    boost::asio::co_spawn(executor, serve(std::move(endpoint), std::move(link->far)),
                          boost::asio::detached);
    co_return link;
}

}  // namespace lanyard::testing::checks
