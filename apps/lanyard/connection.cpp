#include "connection.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>

#include "lanyard/time_source.hpp"
#include "progress_bar.hpp"
#include "questions.hpp"
#include "roots.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

namespace asio = boost::asio;

/// Cancels the running operation at the first SIGINT or SIGTERM; the second such signal ends the
/// program. Signals that `on_signal` has handled do not count.
class Interrupts {
public:
    Interrupts(asio::any_io_executor const& executor, std::function<bool(int)> on_signal)
        : signals_(executor, SIGINT, SIGTERM), on_signal_(std::move(on_signal)) {
        wait();
    }

    asio::cancellation_slot slot() noexcept { return cancel_.slot(); }
    bool interrupted() const noexcept { return interrupted_; }

private:
    void wait() {
        signals_.async_wait([this](boost::system::error_code failed, int number) {
            if (failed) return;
            if (!interrupted_ && on_signal_ && on_signal_(number)) {
                wait();
                return;
            }
            if (interrupted_) std::_Exit(static_cast<int>(Exit::interrupted));
            interrupted_ = true;
            wait();
            cancel_.emit(asio::cancellation_type::terminal);
        });
    }

    asio::signal_set signals_;
    std::function<bool(int)> on_signal_;
    asio::cancellation_signal cancel_;
    bool interrupted_ = false;
};

/// Erases the progress bar when a request has ended, before the command prints the result, and
/// reports the loss of the connection.
class ConnectionObserver : public ClientObserver {
public:
    ConnectionObserver(ProgressBar& bar, ConnectionHooks const& hooks)
        : bar_(&bar), hooks_(&hooks) {}

    void on_state(ConnectionState from, ConnectionState to,
                  std::optional<Error> const& reason) override {
        bool const lost = from == ConnectionState::ready && to != ConnectionState::closing;
        if (lost && hooks_->on_lost) hooks_->on_lost(reason ? reason->message() : std::string());
    }
    void on_request_ended(Request const&, Duration) override { bar_->clear(); }
    void on_request_failed(Request const&, Duration, Error const&) override { bar_->clear(); }

private:
    ProgressBar* bar_;
    ConnectionHooks const* hooks_;
};

std::string log_line(LoggingMessageParams const& message) {
    auto line = std::string(to_string(message.level)) + ": ";
    if (!message.logger.empty()) line += without_control_characters(message.logger) + ": ";
    return line + without_control_characters(message.data.is_string()
                                                 ? std::string(message.data.get_string())
                                                 : json::serialize(message.data));
}

ClientOptions client_options(TargetOptions const& options, ProgressBar& bar, Roots& roots,
                             ConnectionHooks const& hooks, std::function<bool()>& at_end) {
    auto const timeout = timeout_of(options);
    ClientOptions client;
    client.versions(versions_for(options));
    client.timeout(timeout).initialization_timeout(timeout).ping_timeout(timeout);
    // The probe may take a third of the time. A shorter limit would be wrong for a program that
    // needs seconds to start: a server that does not answer the probe in time is assumed to support
    // only the legacy era.
    client.probe_timeout(timeout / 3);
    client.on_progress([&bar](ProgressParams const& progress) { bar.update(progress); });
    client.observer(std::make_shared<ConnectionObserver>(bar, hooks));
    client.on_log([&bar, &hooks](LoggingMessageParams const& message) {
        bar.clear();
        auto const line = log_line(message);
        if (hooks.print_log) {
            hooks.print_log(line);
        } else {
            std::cerr << line << '\n';
        }
    });
    if (options.verbose) {
        client.on_diagnostic([](std::string_view text) {
            std::cerr << "    " << without_control_characters(text) << '\n';
        });
    }
    if (!options.roots.empty()) client.on_roots([&roots] { return roots.answer(); });
    at_end = answer_questions(client, options, bar);
    if (hooks.configure) hooks.configure(client);
    return client;
}

/// Returns advice if a web server answered, but the URL has no path. The user may have forgotten
/// the path of the MCP server.
std::string path_advice(Error const& error, std::string const& url) {
    if (!url.starts_with("http://") && !url.starts_with("https://")) return {};
    auto const path = url.find_first_of("/?#", url.find("://") + 3);
    if (path != std::string::npos && path + 1 < url.size()) return {};
    bool const answered = error.peer_code().has_value() || error.is(Errc::failed) ||
                          error.is(Errc::protocol_violation) || error.is(Errc::version_mismatch);
    if (!answered) return {};
    return "; the URL has no path, and most servers are at " + url.substr(0, path) + "/mcp";
}

/// Returns the failure for a connection that could not be opened, with advice.
Failure no_connection(Error const& error, std::string const& server, TargetOptions const& options) {
    auto const advice = path_advice(error, server);
    if (error.is(Errc::version_mismatch) && options.era == "modern") {
        return {Exit::protocol_error,
                server +
                    " does not support the modern era of the protocol; use --era auto or --era "
                    "legacy" +
                    advice};
    }
    auto const failure = failure_of(std::make_exception_ptr(error));
    std::string text = failure.what();
    if (text.find(server) == std::string::npos) text = server + ": " + text;
    return failure.with_text(text + advice);
}

Task<Exit> talk(std::unique_ptr<Connector> connector, ClientOptions const& client_options,
                TargetOptions const& options, std::function<Task<Exit>(Client const&)> const& work,
                Roots& roots, std::optional<Client>& client) {
    auto const server = connector->describe();
    try {
        client = co_await connect(std::move(connector), client_options);
    } catch (Error const& error) {
        throw no_connection(error, server, options);
    }
    if (options.log_level) {
        co_await client->set_log_level(*parse_enum<LoggingLevel>(*options.log_level));
    }
    // Waits until the server has read the roots, but only in the legacy era; in the modern era they
    // are sent as part of a call.
    bool const is_legacy = era_of(client->version()) == Era::legacy;
    if (!options.roots.empty() && is_legacy) co_await roots.await_read(real_time());
    co_return co_await work(*client);
}

Task<int> supervise(std::unique_ptr<Connector> connector, ClientOptions const& settings,
                    TargetOptions const& options,
                    std::function<Task<Exit>(Client const&)> const& work,
                    ConnectionHooks const& hooks, Roots& roots, ProgressBar& bar,
                    std::exception_ptr& thrown) {
    auto const executor = co_await asio::this_coro::executor;
    Interrupts interrupts(executor, hooks.on_signal);
    std::optional<Client> client;
    auto exit = Exit::ok;
    try {
        auto talking = talk(std::move(connector), settings, options, work, roots, client);
        auto token = asio::bind_cancellation_slot(interrupts.slot(), asio::use_awaitable);
        exit = co_await asio::co_spawn(executor, std::move(talking), std::move(token));
    } catch (...) {
        thrown = std::current_exception();
    }
    bar.clear();
    if (client) {
        client->close();
        co_await client->closed();
    }
    if (interrupts.interrupted()) {
        thrown = std::make_exception_ptr(Failure(Exit::interrupted, "interrupted"));
    }
    co_return static_cast<int>(exit);
}

}  // namespace

Failure request_failure(std::exception_ptr const& thrown, TargetOptions const& options) {
    auto const failure = failure_of(thrown);
    return failure.with_text(failure.what() + question_advice(failure.what(), options));
}

Exit with_server(std::unique_ptr<Connector> connector, TargetOptions const& options,
                 std::function<Task<Exit>(Client const&)> const& work) {
    return with_server(std::move(connector), options, work, ConnectionHooks());
}

Exit with_server(std::unique_ptr<Connector> connector, TargetOptions const& options,
                 std::function<Task<Exit>(Client const&)> const& work,
                 ConnectionHooks const& hooks) {
    ProgressBar bar(std::cerr, stderr_is_terminal() && !options.verbose, error_terminal_width);
    Roots roots(roots_of(options.roots));
    std::function<bool()> at_end;
    auto const settings = client_options(options, bar, roots, hooks, at_end);
    std::exception_ptr thrown;
    auto const exit =
        run(supervise(std::move(connector), settings, options, work, hooks, roots, bar, thrown));
    bool const wrong_answer = at_end();
    if (!thrown) return wrong_answer ? Exit::usage : static_cast<Exit>(exit);
    auto const failure = request_failure(thrown, options);
    if (wrong_answer) throw Failure(Exit::usage, failure.what());
    throw failure;
}

}  // namespace lanyard::app
