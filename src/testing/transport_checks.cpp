#include "testing/transport_checks.hpp"

#include <array>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lanyard/error.hpp"
#include "runtime/event.hpp"
#include "testing/check_tools.hpp"
#include "testing/read_within.hpp"

namespace lanyard::testing::checks {

namespace {

using namespace std::chrono_literals;
using Kind = rpc::Frame::Kind;

std::string numbered(std::size_t number, std::size_t padding = 0) {
    return R"({"n":)" + std::to_string(number) + R"(,"padding":")" + std::string(padding, 'p') +
           "\"}";
}

// Completes when the executor has run all work that was ready at the time of the call.
Task<> yield() {
    auto const executor = co_await boost::asio::this_coro::executor;
    co_await boost::asio::post(executor, boost::asio::use_awaitable);
}

// A write in the background, so that its messages can be read meanwhile. Keeps the link alive until
// the write has ended.
class Sending {
public:
    Sending(std::shared_ptr<Link> link, Transport& from, rpc::Outbox outbox)
        : state_(std::make_shared<State>(from.executor(), std::move(link), std::move(outbox))) {
        auto const on_end = [state = state_](std::exception_ptr failure) {
            state->ended = true;
            state->failed = failure != nullptr;
            state->changed.notify();
        };
        boost::asio::co_spawn(from.executor(), from.write(state_->outbox), on_end);
    }

    Task<> completed() {
        while (!state_->ended) co_await state_->changed.wait();
    }
    Task<> succeeded() {
        co_await completed();
        require(!state_->failed, "a write failed");
        require(state_->outbox.empty(), "write completed and left messages in the outbox");
    }

private:
    struct State {
        State(boost::asio::any_io_executor const& executor, std::shared_ptr<Link> at,
              rpc::Outbox from)
            : changed(executor), link(std::move(at)), outbox(std::move(from)) {}

        runtime::Event changed;
        std::shared_ptr<Link> link;
        rpc::Outbox outbox;
        bool ended = false;
        bool failed = false;
    };

    std::shared_ptr<State> state_;
};

Task<> opens(Bench& bench) {
    auto& time = real_time();
    auto const begin = time.now();
    co_await bench.open();
    auto const took = std::chrono::duration<double>(time.now() - begin);
    require(took <= 5s, "opening took " + std::to_string(took.count()) + " s");
}

Task<> reports_info(Bench& bench) {
    auto const link = co_await bench.open_echo();
    require(!link->near->info().kind.empty(), "info() names no kind");
    std::string const text = numbered(1);
    co_await send_one(bench, *link->near, text);
    Receiver receiver(*link->near, bench);
    co_await receiver.expect(text);
    auto const info = link->near->info();
    require(info.messages_out == 1 && info.messages_in == 1,
            "after one message each way info() counts " + std::to_string(info.messages_out) +
                " sent and " + std::to_string(info.messages_in) + " received");
    require(info.bytes_out >= text.size() && info.bytes_in >= text.size(),
            "info() counts fewer bytes than the messages have");
}

Task<> keeps_messages_apart(Bench& bench) {
    auto const link = co_await bench.open_echo();
    std::vector<std::string> const texts = {
        "{}",
        R"({"text":"two\nlines\r\nand a third"})",
        R"({"text":"quotes \" and \\ and a null \u0000"})",
        "{\"text\":\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 \xE2\x80\xA8\"}",
        "{\"text\":\"Content-Length: 2\\r\\n\\r\\n{}\"}",
        numbered(1, 200'000),
        R"({"spaces" : [ 1 , 2 ]})",
    };
    rpc::Outbox outbox;
    for (auto const& text : texts) put(outbox, text);
    Sending sending(link, *link->near, std::move(outbox));
    Receiver receiver(*link->near, bench);
    for (auto const& text : texts) co_await receiver.expect(text);
    co_await sending.succeeded();
}

Task<> survives_empty_lines(Bench& bench) {
    auto const link = co_await bench.open_echo();
    rpc::Outbox outbox;
    put(outbox, "");
    put(outbox, " ");
    put(outbox, numbered(1));
    co_await send(bench, *link->near, outbox);
    Receiver receiver(*link->near, bench);
    for (;;) {
        auto const text = co_await receiver.next("the message after empty lines");
        if (text.find_first_not_of(' ') == std::string::npos) continue;
        require(text == numbered(1), "after empty lines came " + text);
        co_return;
    }
}

Task<> keeps_the_order(Bench& bench) {
    auto const link = co_await bench.open_echo();
    constexpr std::size_t bursts = 40;
    constexpr std::size_t burst = 50;
    Receiver receiver(*link->near, bench);
    std::size_t number = 0;
    for (std::size_t i = 0; i < bursts; ++i) {
        rpc::Outbox outbox;
        for (std::size_t k = 0; k < burst; ++k) put(outbox, numbered(number + k, k));
        link->near->write_now(outbox);
        Sending sending(link, *link->near, std::move(outbox));
        for (std::size_t k = 0; k < burst; ++k) co_await receiver.expect(numbered(number++, k));
        co_await sending.succeeded();
    }
    // Checks that no message arrives twice. A duplicate would arrive before this last message.
    co_await send_one(bench, *link->near, R"({"last":true})");
    co_await receiver.expect(R"({"last":true})");
}

// The outcome of reading messages of the maximum size and larger messages.
struct LimitFindings {
    std::vector<std::string> came;
    bool reported = false;
    bool ended = false;
};

Task<LimitFindings> read_up_to(Bench& bench, Transport& transport, std::string last) {
    LimitFindings found;
    while (!found.ended && (found.came.empty() || found.came.back() != last)) {
        auto const frames =
            co_await read_within(transport, bench.promises.timeout(), bench.promises.time());
        found.ended = !frames;
        for (std::size_t i = 0; frames && i < frames->size(); ++i) {
            auto const& frame = (*frames)[i];
            if (frame.kind == Kind::message) {
                found.came.emplace_back(frame.text);
            } else {
                found.reported = true;
            }
        }
    }
    co_return found;
}

Task<> refuses_what_is_too_large(Bench& bench) {
    auto const limit = bench.promises.max_message_bytes();
    if (!limit) throw Skipped("no limit is promised");
    auto const link = co_await bench.open();
    auto const overhead = numbered(1).size();
    require(*limit > overhead, "the limit is too small to be checked");
    auto const largest = numbered(1, *limit - overhead);
    auto const too_large = numbered(2, *limit - overhead + 1);
    rpc::Outbox outbox;
    for (auto const& text : {largest, too_large, numbered(3)}) put(outbox, text);
    // If the far end is in another process, it echoes the messages, and the near end refuses the
    // one that is too long.
    Sending sending(link, *link->near, std::move(outbox));
    auto const found =
        co_await read_up_to(bench, link->far ? *link->far : *link->near, numbered(3));
    require(!found.came.empty() && found.came.front() == largest,
            "a message at the limit was not delivered");
    for (auto const& text : found.came) {
        require(text != too_large, "a message beyond the limit was delivered");
    }
    require(found.reported || found.ended, "a message beyond the limit vanished without a report");
    // The reader may close the connection; then the write fails.
    if (!found.ended) co_await sending.completed();
}

Task<> holds_a_writer_back(Bench& bench) {
    auto const link = co_await bench.open_echo();
    constexpr std::size_t size = 16 * 1024;
    std::size_t count = 0;
    rpc::Outbox outbox;
    // The writer counts as blocked if it cannot send anything for `patient_rounds` intervals of
    // length `round`.
    constexpr int patient_rounds = 40;
    constexpr auto round = 5ms;
    for (int waited = 0; waited < patient_rounds;) {
        if (outbox.empty()) put(outbox, numbered(count++, size));
        auto const before = outbox.bytes().size();
        link->near->write_now(outbox);
        require(
            count * size <= bench.promises.max_buffered_bytes(),
            "took " + std::to_string(count * size) + " bytes although the other end does not read");
        if (outbox.bytes().size() < before) {
            waited = 0;
            co_await yield();
            continue;
        }
        ++waited;
        co_await sleep_for(round);
    }
    // Now the near end reads the echoes, so the far end can continue to read, and all messages must
    // arrive.
    Sending sending(link, *link->near, std::move(outbox));
    Receiver receiver(*link->near, bench);
    for (std::size_t i = 0; i < count; ++i) co_await receiver.expect(numbered(i, size));
    co_await sending.succeeded();
}

Task<> ends_a_read_on_close(Bench& bench) {
    auto const link = co_await bench.open();
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const closing = [](std::shared_ptr<Link> at) -> Task<> {
        co_await yield();
        co_await yield();
        at->near->close();
    };
    boost::asio::co_spawn(executor, closing(link), boost::asio::detached);
    co_await read_to_end(bench, *link->near);
    co_await read_to_end(bench, *link->near);
}

Task<> closes_and_releases(Bench& bench) {
    auto const link = co_await bench.open_echo();
    co_await send_one(bench, *link->near, numbered(1));
    link->near->close();
    link->near->close();
    co_await link->near->closed();
    co_await link->near->closed();
}

Task<> refuses_to_write_when_closed(Bench& bench) {
    auto const link = co_await bench.open();
    link->near->close();
    rpc::Outbox outbox;
    put(outbox, numbered(1));
    link->near->write_now(outbox);
    put(outbox, numbered(2));
    std::string wrong = "a write after close() completed";
    try {
        co_await write_within(*link->near, outbox, bench.promises.timeout(), bench.promises.time());
    } catch (Error const& error) {
        wrong = error.is(Errc::transport_down)
                    ? ""
                    : "a write after close() failed with " + std::string(error.what()) +
                          " instead of transport_down";
    }
    require(wrong.empty(), wrong);
}

Task<> sees_the_peer_close(Bench& bench) {
    auto const link = co_await bench.open();
    if (!link->far) throw Skipped("the peer is not in this process");
    rpc::Outbox three;
    for (std::size_t i = 0; i < 3; ++i) put(three, numbered(i));
    Sending sending(link, *link->far, std::move(three));
    Receiver receiver(*link->near, bench);
    co_await receiver.expect(numbered(0));
    co_await receiver.expect(numbered(1));
    // The peer closes when its write has ended. The last message may then still be in transit, but
    // it must arrive.
    co_await sending.succeeded();
    link->far->close();
    co_await receiver.expect(numbered(2));
    auto const more = co_await read_to_end(bench, *link->near);
    require(more == 0, "messages came that were never sent");
    // The transport may accept messages that it cannot deliver, but not for ever.
    rpc::Outbox outbox;
    auto& time = bench.promises.time();
    auto const deadline = time.now() + bench.promises.timeout();
    for (std::size_t i = 0; time.now() < deadline; ++i) {
        put(outbox, numbered(i, 1024));
        try {
            co_await write_within(*link->near, outbox, bench.promises.timeout(),
                                  bench.promises.time());
        } catch (Error const& error) {
            require(!error.is(Errc::timeout), "a write to a closed peer waits for ever");
            co_return;
        }
    }
    throw Broken("writes to a closed peer go on succeeding");
}

Task<> ends_one_direction(Bench& bench) {
    auto const link = co_await bench.open();
    if (!link->far) throw Skipped("the peer is not in this process");
    co_await send_one(bench, *link->near, numbered(1));
    link->near->close_output();
    Receiver at_far(*link->far, bench);
    co_await at_far.expect(numbered(1));
    co_await read_to_end(bench, *link->far);
    rpc::Outbox outbox;
    put(outbox, numbered(2));
    link->far->write_now(outbox);
    link->far->close();
    auto const came = co_await read_to_end(bench, *link->near);
    require(came <= 1, "messages came that were never sent");
}

struct Cancellation {
    boost::asio::cancellation_signal signal;
    bool done = false;
};

Task<> cancel_after(std::size_t turns, std::shared_ptr<Cancellation> cancellation) {
    for (std::size_t i = 0; i < turns; ++i) co_await yield();
    cancellation->signal.emit(boost::asio::cancellation_type::all);
    cancellation->done = true;
}

// Starts a read and cancels it after a few turns of the event loop. Returns the messages that were
// read before the cancellation.
Task<std::vector<std::string>> cancelled_read(std::shared_ptr<Link> link, std::size_t turns) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const cancellation = std::make_shared<Cancellation>();
    boost::asio::co_spawn(executor, cancel_after(turns, cancellation), boost::asio::detached);
    std::vector<std::string> texts;
    try {
        auto const frames = co_await boost::asio::co_spawn(
            executor, link->near->read(),
            boost::asio::bind_cancellation_slot(cancellation->signal.slot(),
                                                boost::asio::use_awaitable));
        for (std::size_t i = 0; frames && i < frames->size(); ++i) {
            texts.emplace_back((*frames)[i].text);
        }
    } catch (std::exception const&) {
        // The read was cancelled before it got a message, so the next read must get the messages.
    }
    while (!cancellation->done) co_await yield();
    co_return texts;
}

Task<> loses_nothing_by_cancelling(Bench& bench) {
    auto const link = co_await bench.open_echo();
    Receiver receiver(*link->near, bench);
    constexpr std::size_t rounds = 100;
    constexpr std::size_t most_turns = 20;
    for (std::size_t i = 0; i < rounds; ++i) {
        co_await send_one(bench, *link->near, numbered(i));
        auto texts = co_await cancelled_read(link, i % most_turns);
        if (texts.empty()) {
            auto text = co_await receiver.next("a message whose read was cancelled");
            texts.push_back(std::move(text));
        }
        require(texts.size() == 1 && texts[0] == numbered(i), "after cancelled reads, message " +
                                                                  std::to_string(i) + " came as " +
                                                                  texts[0].substr(0, 200));
    }
}

Task<> opens_again(Bench& bench) {
    for (int i = 0; i < 3; ++i) {
        auto const link = co_await bench.open_echo();
        co_await send_one(bench, *link->near, numbered(1));
        Receiver receiver(*link->near, bench);
        co_await receiver.expect(numbered(1));
        link->near->close();
        co_await link->near->closed();
    }
}

constexpr auto table = std::to_array<Check>({
    {"opens within five seconds", opens},
    {"reports info", reports_info},
    {"keeps messages apart", keeps_messages_apart},
    {"survives empty lines", survives_empty_lines},
    {"keeps the order, nothing twice", keeps_the_order},
    {"refuses messages that are too large", refuses_what_is_too_large},
    {"holds a writer back", holds_a_writer_back},
    {"loses nothing when a read is cancelled", loses_nothing_by_cancelling},
    {"ends a read on close", ends_a_read_on_close},
    {"closes and releases", closes_and_releases},
    {"refuses to write when closed", refuses_to_write_when_closed},
    {"sees the peer close", sees_the_peer_close},
    {"ends one direction", ends_one_direction},
    {"opens again after an end", opens_again},
});

}  // namespace

std::span<Check const> of_carrier() noexcept {
    return table;
}

}  // namespace lanyard::testing::checks
