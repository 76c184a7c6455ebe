// A server in a separate process, which the test talks to line by line through pipes.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/ioctl.h>

#include "lanyard/json.hpp"
#include "processes.hpp"
#include "transport/spawn.hpp"

namespace lanyard::test {

class ServerProcess {
public:
    explicit ServerProcess(std::vector<std::string> arguments) {
        transport::SpawnRequest request;
        request.arguments = std::move(arguments);
        spawned_ = transport::spawn(request).value();
        // Makes the pipes blocking.
        for (int const descriptor : {spawned_->in.get(), spawned_->out.get()}) {
            int off = 0;
            ioctl(descriptor, FIONBIO, &off);
        }
    }
    ~ServerProcess() {
        if (!ended_) {
            kill(SIGKILL);
            wait();
        }
    }

    pid_t id() const noexcept { return spawned_->process; }
    void kill(int signal) const { ::kill(spawned_->process, signal); }
    /// Returns the exit status; nothing if the process does not exit within a minute.
    std::optional<int> wait() {
        auto const status = wait_for_exit(spawned_->process);
        ended_ = status.has_value();
        return status;
    }

    void write(std::string_view bytes) const {
        while (!bytes.empty()) {
            auto const written = ::write(spawned_->in.get(), bytes.data(), bytes.size());
            ASSERT_GT(written, 0) << "the server does not read any more";
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    void send(std::string_view message) const { write(std::string(message) + "\n"); }
    /// Returns the next line; null at the end of the output, and if no line arrives within a
    /// minute.
    Json receive() {
        for (;;) {
            auto const end = buffer_.find('\n');
            if (end != std::string::npos) {
                auto const json = json::parse(std::string_view(buffer_).substr(0, end));
                EXPECT_TRUE(json) << buffer_;
                buffer_.erase(0, end + 1);
                return json ? *json : Json(nullptr);
            }
            pollfd entry{spawned_->out.get(), POLLIN, 0};
            if (poll(&entry, 1, 60'000) != 1) return nullptr;
            char chunk[4096];
            auto const got = ::read(spawned_->out.get(), chunk, sizeof chunk);
            if (got <= 0) return nullptr;
            buffer_.append(chunk, static_cast<std::size_t>(got));
        }
    }
    /// Closes the server's input.
    void end_input() { spawned_->in = transport::Descriptor(); }
    /// Closes the server's output.
    void close_output() { spawned_->out = transport::Descriptor(); }
    Json ask(std::string_view message) {
        send(message);
        return receive();
    }
    void initialize() {
        ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
            R"("2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})");
        send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }

    /// The peak memory of the server, in bytes.
    std::size_t peak_memory() const {
        std::ifstream status("/proc/" + std::to_string(spawned_->process) + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) * 1024;
        }
        return 0;
    }

private:
    std::optional<transport::Spawned> spawned_;
    std::string buffer_;
    bool ended_ = false;
};

}  // namespace lanyard::test
