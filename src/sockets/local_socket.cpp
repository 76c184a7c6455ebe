#include "sockets/local_socket.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "runtime/standard_descriptors.hpp"

namespace lanyard::sockets {
namespace {

using transport::Descriptor;

sockaddr_un address_of(std::string const& path) noexcept {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
    return address;
}

Descriptor make_socket() noexcept {
    return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool bind_to(int socket, sockaddr_un const& address) noexcept {
    return ::bind(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0;
}

Unexpected<Error> unavailable(std::string const& path, std::string const& why) {
    return Unexpected(Error(Errc::unavailable, "cannot listen at unix:" + path + ": " + why));
}

// Locks the folder while a server checks for an existing socket file and replaces that file.
// Without the lock, a server could remove the file that another server has just created.
Descriptor lock_folder(std::string const& path) {
    auto folder = std::filesystem::path(path).parent_path();
    if (folder.empty()) folder = ".";
    Descriptor locked(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (locked.is_open()) ::flock(locked.get(), LOCK_EX);
    return locked;
}

}  // namespace

LocalSocketFile::LocalSocketFile(std::string path) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) return;
    path_ = std::move(path);
    device_ = status.st_dev;
    inode_ = status.st_ino;
}

LocalSocketFile::LocalSocketFile(LocalSocketFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), device_(other.device_), inode_(other.inode_) {}

LocalSocketFile& LocalSocketFile::operator=(LocalSocketFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
    return *this;
}

LocalSocketFile::~LocalSocketFile() {
    struct stat status{};
    if (path_.empty() || ::lstat(path_.c_str(), &status) != 0) return;
    if (status.st_dev == device_ && status.st_ino == inode_) ::unlink(path_.c_str());
}

Result<BoundLocalSocket> bind_local_socket(std::string const& path, unsigned mode) {
    auto const text_of = [](int error) { return std::generic_category().message(error); };
    auto const address = address_of(path);
    runtime::reserve_standard_descriptors();
    auto const lock = lock_folder(path);
    auto socket = make_socket();
    if (!socket.is_open()) return unavailable(path, text_of(errno));
    if (!bind_to(socket.get(), address)) {
        if (errno != EADDRINUSE) return unavailable(path, text_of(errno));
        struct stat status{};
        if (::lstat(path.c_str(), &status) != 0) return unavailable(path, text_of(errno));
        if (!S_ISSOCK(status.st_mode)) {
            return unavailable(path, "there is a file that is not a socket");
        }
        if (connect_local_socket(path).is_open() || errno == EAGAIN) {
            return unavailable(path, "another server listens there");
        }
        if (errno != ECONNREFUSED) return unavailable(path, text_of(errno));
        if (::unlink(path.c_str()) != 0 || !bind_to(socket.get(), address)) {
            return unavailable(path, text_of(errno));
        }
    }
    BoundLocalSocket bound{std::move(socket), LocalSocketFile(path)};
    // No client can connect before listen(), so the initial mode of the file does not matter.
    if (::chmod(path.c_str(), mode) != 0 || ::listen(bound.socket.get(), SOMAXCONN) != 0) {
        return unavailable(path, text_of(errno));
    }
    return bound;
}

transport::Descriptor connect_local_socket(std::string const& path) noexcept {
    auto socket = make_socket();
    auto const address = address_of(path);
    if (!socket.is_open()) return socket;
    if (::connect(socket.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) {
        auto const error = errno;
        socket = Descriptor();
        errno = error;
    }
    return socket;
}

std::string local_peer_name(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return "local";
    return "process " + std::to_string(peer.pid) + " of user " + std::to_string(peer.uid);
}

}  // namespace lanyard::sockets
