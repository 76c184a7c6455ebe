#include "http/client/client_network.hpp"

#include <charconv>
#include <system_error>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/at_end.hpp"
#include "base/deadline.hpp"
#include "base/scratch.hpp"
#include "sockets/byte_channel.hpp"

namespace lanyard::http {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

using Input = sockets::ByteChannel::Input;
using Output = sockets::ByteChannel::Output;

constexpr std::size_t read_size = std::size_t{16} * 1024;
// The maximum number of consecutive reads from one connection. After that, other connections get
// their turn.
constexpr int reads_at_a_time = 4;
// Nothing is read while more than this many bytes of messages wait for the session to take them.
constexpr std::size_t max_inbox_bytes = std::size_t{1024} * 1024;
// Streams are not read while more than this many bytes of messages, or more than max_queued()
// messages, wait for the server to accept them. Reading on could make the client send still more
// messages.
constexpr std::size_t max_unaccepted_bytes = std::size_t{1024} * 1024;

// Returns how long an idle connection may be kept: a little less than the timeout in the server's
// Keep-Alive header, so that the server does not close the connection just when the client uses it
// again.
Duration idle_limit_of(Fields const& fields, Duration limit) {
    auto const text = fields.find("Keep-Alive").value_or("");
    constexpr std::string_view name = "timeout=";
    auto const at = text.find(name);
    if (at == text.npos) return limit;
    int seconds = 0;
    auto const digits = text.substr(at + name.size());
    auto const [end, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    if (fault != std::errc() || seconds < 0) return limit;
    return std::min(limit, Duration(std::chrono::seconds(std::min(seconds, 86'400)) -
                                    std::chrono::milliseconds(500)));
}

}  // namespace

// One connection, and the HTTP call that it carries.
struct ClientNetwork::Link {
    Link(LinkId number, asio::any_io_executor const& executor, ClientWireOptions const& options)
        : id(number), dialer(executor), socket(executor), wire(options), buffer(read_size) {}

    LinkId id;
    sockets::Dialer dialer;
    tcp::socket socket;
    sockets::ByteChannel channel{-1};  // without TLS, because `wire` encrypts and decrypts
    ClientWire wire;
    Scratch buffer;
    std::unique_ptr<Alarm> alarm;  // limits the time for connecting, and the idle time
    CallId call = 0;
    std::string request;         // the request of the current call, until it is passed to `wire`
    std::optional<Error> fault;  // why connecting failed
    Duration idle_limit{};
    bool request_left = false;  // at least one byte of the request was sent
    bool used = false;          // the connection has carried another call before
    bool streams = false;       // the answer is a stream
    bool timed_out = false;
    bool cut = false;
};

ClientNetwork::ClientNetwork(asio::any_io_executor executor, ClientRoute route,
                             HttpClientOptions const& options)
    : executor_(std::move(executor)),
      route_(std::move(route)),
      options_(options),
      time_(options.time()),
      machine_(route_.url, route_.machine, *this, inbox_, system_random()),
      pool_({options.max_connections(), 4, options.max_queued(), options.max_connections()}),
      arrived_(executor_),
      taken_(executor_),
      released_(executor_),
      info_{.kind = "http", .peer = route_.url.to_string()} {
    alarm_ = time_.make_alarm(executor_, [this] {
        try {
            machine_.on_time(time_.now());
            after();
        } catch (std::exception const&) {
            fail(std::current_exception());
        }
    });
}

ClientNetwork::~ClientNetwork() = default;

void ClientNetwork::send(rpc::Outbox& outbox) noexcept {
    try {
        while (!outbox.empty()) {
            auto const message = outbox.front();
            if (!message.empty()) {
                ++info_.messages_out;
                machine_.send(message, outbox.front_route(), time_.now());
            }
            outbox.pop();
        }
        if (machine_.unaccepted_bytes() > options_.hard_unsent_bytes() && !failure_) {
            failure_ = std::make_exception_ptr(
                Error(Errc::busy, "the server does not accept the answers it asks for"));
            arrived_.notify();
        }
        after();
    } catch (std::exception const&) {
        fail(std::current_exception());
    }
}

// Whether reading from streams must pause, because too many received messages wait for the session,
// or too many sent messages wait for the server to accept them.
bool ClientNetwork::is_behind() const noexcept {
    return inbox_.bytes() > max_inbox_bytes || inbox_.count() > options_.max_queued() ||
           machine_.unaccepted() > options_.max_queued() ||
           machine_.unaccepted_bytes() > max_unaccepted_bytes;
}

// Completes when is_behind() returns false, or when the link or the client is closed.
Task<> ClientNetwork::await_room(Link& link) {
    ++holding_;
    while (is_behind() && !closed_ && !link.cut) co_await taken_.wait();
    --holding_;
}

Task<std::optional<std::span<rpc::Frame const>>> ClientNetwork::read() {
    while (inbox_.empty() && !closed_ && !failure_) co_await arrived_.wait();
    if (closed_) co_return std::nullopt;
    if (failure_) std::rethrow_exception(failure_);
    auto const frames = inbox_.take();
    info_.messages_in += frames.size();
    taken_.notify();
    co_return frames;
}

void ClientNetwork::close() noexcept {
    if (closed_) return;
    closed_ = true;
    try {
        machine_.close(time_.now());
        after();
        arrived_.notify();
        taken_.notify();
    } catch (...) {
        // Out of memory: closes without notifying the server.
        end_all();
    }
}

void ClientNetwork::abandon() noexcept {
    closed_ = true;
    end_all();
}

// Ends all calls and connections.
void ClientNetwork::end_all() noexcept {
    machine_.abandon();
    for (auto const& [id, link] : links_) cut(*link);
    // Wakes everything that waits, so that it ends, too.
    arrived_.notify();
    taken_.notify();
    released_.notify();
}

// Called if a step has thrown, because memory has run out. The machine may have lost a call in that
// step, so the whole client ends: read() throws this exception.
void ClientNetwork::fail(std::exception_ptr why) noexcept {
    if (!failure_) failure_ = std::move(why);
    end_all();
}

Task<> ClientNetwork::closed() {
    while (!machine_.idle() || !links_.empty()) co_await released_.wait();
    alarm_->set(TimePoint::max());
}

void ClientNetwork::start(CallId id, HttpCall call) {
    auto const request = requests_.insert_or_assign(id, std::move(call.bytes)).first;
    if (pool_.submit(id, call.lane, call.fresh)) return;
    requests_.erase(request);
    refused_.push_back(id);
}

void ClientNetwork::abort(CallId id) noexcept {
    requests_.erase(id);
    auto const link = pool_.withdraw(id);
    if (!link) return;
    auto const found = links_.find(*link);
    if (found == links_.end()) return;
    found->second->call = 0;
    cut(*found->second);
}

// Called after every event. Starts calls, sets the timer and wakes waiting coroutines, as the new
// state requires.
void ClientNetwork::after() {
    pump();
    alarm_->set(machine_.next_deadline());
    if (!inbox_.empty()) arrived_.notify();
    if (holding_ > 0 && !is_behind()) taken_.notify();
    if (!closed_ || !machine_.idle()) return;
    for (auto const& [id, link] : links_) cut(*link);
    released_.notify();
}

void ClientNetwork::pump() {
    if (pumping_) return;
    pumping_ = true;
    AtEnd const done([this] { pumping_ = false; });
    while (!refused_.empty()) {
        auto const call = refused_.front();
        refused_.pop_front();
        CallLoss const loss{CallLoss::Stage::unsent,
                            Error(Errc::busy, "too many requests wait for a connection")};
        machine_.on_lost(call, loss, time_.now());
    }
    while (auto const assigned = pool_.next()) {
        if (assigned->open) {
            open(*assigned);
        } else {
            auto const& link = links_.at(assigned->link);
            link->used = true;
            give(*link, assigned->call);
            link->wire.send(link->request);
            flush(link);
        }
    }
}

// Opens a connection for the call.
void ClientNetwork::open(CallPool::Assignment const& assigned) {
    auto const link = std::make_shared<Link>(assigned.link, executor_, route_.wire);
    links_.emplace(link->id, link);
    try {
        give(*link, assigned.call);
        asio::co_spawn(executor_, run(shared_from_this(), link), asio::detached);
    } catch (...) {
        links_.erase(link->id);
        throw;
    }
}

void ClientNetwork::give(Link& link, CallId call) {
    auto const request = requests_.find(call);
    link.call = call;
    link.request = std::move(request->second);
    link.request_left = false;
    link.streams = false;
    requests_.erase(request);
    if (link.alarm) link.alarm->set(TimePoint::max());
}

Task<> ClientNetwork::run(std::shared_ptr<ClientNetwork> self, std::shared_ptr<Link> link) {
    // Asio destroys this coroutine if there is no memory to continue it.
    auto const remove = [&] {
        if (!self->links_.contains(link->id)) return;
        self->remove(*link);
        self->fail(std::make_exception_ptr(std::bad_alloc()));
    };
    AtEnd const destroyed(remove);
    try {
        try {
            co_await self->connect(*link);
            if (!link->fault && !link->cut) co_await self->converse(link);
        } catch (std::bad_alloc const&) {
            throw;
        } catch (std::exception const& error) {
            if (!link->fault) link->fault = Error(Errc::transport_down, error.what());
        }
        self->remove(*link);
        if (link->call != 0) {
            auto const error =
                link->fault.value_or(Error(Errc::transport_down, "the connection was closed"));
            self->lose(*link, error);
        }
        self->after();
    } catch (std::exception const&) {
        self->remove(*link);
        self->fail(std::current_exception());
    }
}

void ClientNetwork::remove(Link& link) noexcept {
    cut(link);
    link.alarm.reset();
    pool_.on_gone(link.id);
    links_.erase(link.id);
    if (closed_) released_.notify();
}

// Cuts the link if it is still in its present state (connecting or idle) after the time `limit`.
void ClientNetwork::watch(Link& link, Duration limit) {
    if (!link.alarm) {
        link.alarm = time_.make_alarm(executor_, [this, &link] {
            link.timed_out = true;
            cut(link);
        });
    }
    link.alarm->set(lanyard::after(time_.now(), limit));
}

Task<> ClientNetwork::connect(Link& link) {
    watch(link, options_.connect_timeout());
    try {
        auto dialed = co_await link.dialer.dial(route_.host, route_.port);
        link.socket = std::move(dialed);
    } catch (Error const& error) {
        link.fault = error;
    }
    if (link.timed_out) {
        link.fault = Error(Errc::unavailable, "no connection to " + route_.host + ":" +
                                                  std::to_string(route_.port) + " in time");
    }
    if (link.fault || link.cut) co_return;
    boost::system::error_code ignored;
    link.socket.set_option(tcp::no_delay(true), ignored);
    link.socket.set_option(tcp::socket::keep_alive(true), ignored);
    link.channel = sockets::ByteChannel(link.socket.native_handle());
    link.wire.start();
}

Task<> ClientNetwork::converse(std::shared_ptr<Link> link) {
    take_events(link);
    int reads = 0;  // since the last wait
    while (!link->cut) {
        flush(link);
        while (inbox_.bytes() > max_inbox_bytes && !closed_ && !link->cut) co_await taken_.wait();
        if (link->channel.input() == Input::drained || reads == reads_at_a_time) {
            reads = 0;
            boost::system::error_code error;
            co_await link->socket.async_wait(tcp::socket::wait_read,
                                             asio::redirect_error(asio::use_awaitable, error));
            if (error && !link->cut) {
                link->fault = Error(Errc::transport_down, error.message());
                co_return;
            }
            link->channel.on_readable();
        }
        if (link->cut) break;
        ++reads;
        auto const bytes = link->channel.receive(link->buffer);
        if (bytes.empty()) {
            if (link->channel.is_input_open()) continue;
            on_end_of_input(*link);
            co_return;
        }
        // The server has sent data although there is no request: close the connection.
        if (link->call == 0) co_return;
        info_.bytes_in += bytes.size();
        // If too many messages wait, a stream is processed only after await_room(), because a
        // stream can deliver any number of messages. Any other response is processed at once: it
        // contains at most one message, or confirms that the server has accepted one.
        if (link->streams && is_behind()) {
            co_await await_room(*link);
            if (link->cut) break;
        }
        link->wire.receive(bytes);
        take_events(link);
        after();
    }
    if (link->timed_out && !link->wire.is_ready()) {
        link->fault = Error(Errc::unavailable, "the connection was not ready in time");
    }
}

// Ends the call if the end of the connection completes its response; otherwise sets the fault.
void ClientNetwork::on_end_of_input(Link& link) {
    if (link.channel.input() == Input::failed) {
        auto const error = link.channel.input_error();
        link.fault = Error(Errc::transport_down, std::generic_category().message(error));
    } else if (link.call != 0 && link.wire.finish() == ClientWire::Event::done) {
        end_call(link);
    } else if (link.call != 0) {
        link.fault = link.wire.fault();
    }
}

void ClientNetwork::take_events(std::shared_ptr<Link> const& link) {
    while (!link->cut) {
        auto const now = time_.now();
        switch (link->wire.next()) {
            case ClientWire::Event::need_more:
                return;
            case ClientWire::Event::ready:
                link->alarm->set(TimePoint::max());
                if (link->call == 0) return;
                link->wire.send(link->request);
                break;
            case ClientWire::Event::head: {
                auto const& head = link->wire.head();
                if (head.ok() && head.content == ResponseHead::Content::event_stream) {
                    link->streams = true;
                    pool_.on_stream(link->call);
                }
                link->idle_limit = idle_limit_of(head.fields, options_.idle_expiry());
                machine_.on_head(link->call, head, now);
                break;
            }
            case ClientWire::Event::body:
                machine_.on_body(link->call, link->wire.body(), now);
                break;
            case ClientWire::Event::done:
                end_call(*link);
                return;
            case ClientWire::Event::failed:
                link->fault = link->wire.fault();
                cut(*link);
                return;
        }
    }
}

// Called when the response is complete. Keeps the connection for later calls if possible.
void ClientNetwork::end_call(Link& link) {
    auto const call = std::exchange(link.call, 0);
    bool const keeps = link.wire.reusable() && link.idle_limit > Duration::zero();
    if (keeps && pool_.on_free(link.id)) {
        watch(link, link.idle_limit);
    } else {
        pool_.on_gone(link.id);
        cut(link);
    }
    machine_.on_done(call, time_.now());
}

void ClientNetwork::lose(Link& link, Error const& error) {
    using Stage = CallLoss::Stage;
    CallLoss loss{Stage::unsent, error, link.used};
    if (link.request_left) {
        loss.stage = link.wire.answer_begun() ? Stage::answering : Stage::unanswered;
    }
    machine_.on_lost(std::exchange(link.call, 0), loss, time_.now());
}

void ClientNetwork::flush(std::shared_ptr<Link> const& link) {
    // If the socket is full, a wait is pending that will call this function again. A write error is
    // not handled here: the next reads first return the response that the server may have sent, and
    // then fail, too.
    if (link->cut || link->channel.output() != Output::open) return;
    auto const sent_before = link->channel.bytes_sent();
    while (auto const taken = link->channel.send(link->wire.output())) link->wire.consume(taken);
    if (auto const sent = link->channel.bytes_sent() - sent_before; sent > 0) {
        info_.bytes_out += sent;
        if (link->wire.is_ready() && link->call != 0) link->request_left = true;
    }
    if (link->channel.output() != Output::full) return;
    link->socket.async_wait(tcp::socket::wait_write,
                            [self = shared_from_this(), link](boost::system::error_code error) {
                                link->channel.on_writable();
                                try {
                                    if (!error) self->flush(link);
                                } catch (std::exception const&) {
                                    self->fail(std::current_exception());
                                }
                            });
}

void ClientNetwork::cut(Link& link) noexcept {
    if (link.cut) return;
    link.cut = true;
    taken_.notify();
    link.dialer.cancel();
    boost::system::error_code ignored;
    link.socket.close(ignored);
    link.channel.close();
}

}  // namespace lanyard::http
