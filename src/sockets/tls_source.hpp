// TlsSource: a server's TLS set-up that is read again when its files change.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <string>

#include <lanyard/clock.hpp>
#include <lanyard/transport/tls.hpp>

#include "sockets/tls_context.hpp"

namespace lanyard::sockets {

/// Safe to use from any thread.
class TlsSource {
public:
    /// Throws Error (invalid_argument) where the files cannot be used.
    explicit TlsSource(TlsOptions options, bool http = true);

    /// For the next connection.
    TlsContext current() const;
    /// Reads the files again. Keeps what there is where they cannot be used.
    Result<void> reload();
    /// Looks at the files, if it is time to. The result of reading them where they have changed.
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
