// Unix sockets: listening at a path in the file system, and connecting to one.
#pragma once

#include <string>

#include "lanyard/error.hpp"
#include "lanyard/result.hpp"
#include "runtime/descriptors.hpp"

namespace lanyard::sockets {

/// Owns the file of a listening socket. The destructor removes the file, unless another process has
/// replaced it.
class LocalSocketFile {
public:
    LocalSocketFile() = default;
    explicit LocalSocketFile(std::string path);
    LocalSocketFile(LocalSocketFile&& other) noexcept;
    LocalSocketFile& operator=(LocalSocketFile&& other) noexcept;
    ~LocalSocketFile();

private:
    std::string path_;  // empty: nothing to remove
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
};

struct BoundLocalSocket {
    transport::Descriptor socket;  ///< listening, non-blocking
    LocalSocketFile file;
};

/// Listens at a path; the socket file gets the mode `mode`. Replaces a socket file at which no
/// server listens; anything else at that path is an error (unavailable).
Result<BoundLocalSocket> bind_local_socket(std::string const& path, unsigned mode);

/// Returns a connected, non-blocking socket. On failure returns a closed descriptor and sets errno.
transport::Descriptor connect_local_socket(std::string const& path) noexcept;

/// Returns the peer of a connected Unix socket as a string like "process 4711 of user 1000".
std::string local_peer_name(int socket);

}  // namespace lanyard::sockets
