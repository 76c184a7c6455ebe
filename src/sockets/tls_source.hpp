// TlsSource: the TLS configuration of a server, which is reloaded when its files change.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <string>

#include "lanyard/clock.hpp"
#include "lanyard/transport/tls.hpp"
#include "sockets/tls_context.hpp"

namespace lanyard::sockets {

/// Thread-safe.
class TlsSource {
public:
    /// Throws Error (invalid_argument) if the files cannot be used.
    explicit TlsSource(TlsOptions options, bool http = true);

    /// Returns the context for the next connection.
    TlsContext current() const;
    /// Reads the files again. Keeps the current context if the files cannot be used.
    Result<void> reload();
    /// If TlsOptions::check_interval() has passed, checks whether the files have changed. If so,
    /// returns the result of reload(); otherwise returns nullopt.
    std::optional<Result<void>> check(TimePoint now);

private:
    struct Stamp {
        std::int64_t modified = 0;
        std::int64_t nanoseconds = 0;
        std::uint64_t inode = 0;
        bool operator==(Stamp const&) const = default;
    };
    using Stamps = std::array<Stamp, 3>;

    Result<TlsContext> load() const;
    Stamps look() const;

    TlsOptions options_;
    bool http_;
    mutable std::mutex mutex_;
    Stamps stamps_;
    TlsContext context_;
    TimePoint next_check_{};
};

}  // namespace lanyard::sockets
