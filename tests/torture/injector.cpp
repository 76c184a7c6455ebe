#include "torture/injector.hpp"

#include <atomic>
#include <bitset>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "torture/tracker.hpp"

namespace lanyard::torture {

namespace {

struct State {
    std::array<std::atomic<std::uint64_t>, kind_count> calls{};
    std::atomic<std::uint64_t> target = 0;  // the number of the call that fails; 0: none
    std::atomic<Kind> kind = Kind::malloc;
    std::atomic<bool> fired = false;
    std::atomic<bool> tracking = false;
    std::atomic<bool> stacks = false;
    injector::Stack* stack = nullptr;  // where to store the stack of the call that fails
    Tracker blocks;
    // Which descriptors are eventfds. A read or write of one of these cannot fail for lack of
    // anything: Asio relies on that to wake its threads up, and so does every other event loop.
    std::array<std::atomic<bool>, 4096> events{};
};

constinit State state;
thread_local constinit int exempt = 0;

// Prints the addresses as addr2line takes them.
template <std::size_t n>
void print(std::array<void*, n> const& stack, std::size_t size) noexcept {
    injector::Exempt const own;
    for (std::size_t i = 0; i < size && stack[i] != nullptr; ++i) {
        Dl_info info{};
        if (dladdr(stack[i], &info) == 0) continue;
        auto const offset = static_cast<char*>(stack[i]) - static_cast<char*>(info.dli_fbase);
        std::fprintf(stderr, "    %s 0x%tx\n", info.dli_fname, offset - 1);
    }
}

// Counts the call; true if it is the one that has to fail.
bool fails(Kind kind) noexcept {
    if (exempt > 0) return false;
    auto const number =
        1 + state.calls[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
    if (number != state.target.load(std::memory_order_relaxed) || kind != state.kind) return false;
    state.fired = true;
    if (state.stack != nullptr) injector::take_stack(*state.stack);
    if (state.stacks) injector::print_stack();
    return true;
}

bool fails(Kind kind, int error) noexcept {
    if (!fails(kind)) return false;
    errno = error;
    return true;
}

void* noted(void* memory, std::size_t bytes) noexcept {
    if (memory != nullptr && exempt == 0 && state.tracking.load(std::memory_order_relaxed)) {
        injector::Exempt const own;
        state.blocks.add(memory, bytes, state.stacks);
    }
    return memory;
}

bool is_event(int descriptor) noexcept {
    auto const at = static_cast<std::size_t>(descriptor);
    return at < state.events.size() && state.events[at].load(std::memory_order_relaxed);
}

void set_event(int descriptor, bool on) noexcept {
    auto const at = static_cast<std::size_t>(descriptor);
    if (at < state.events.size()) state.events[at] = on;
}

bool read_fails(int descriptor, int error) noexcept {
    return !is_event(descriptor) && fails(Kind::read, error);
}

bool write_fails(int descriptor, int error) noexcept {
    return !is_event(descriptor) && fails(Kind::write, error);
}

}  // namespace

namespace injector {

void count_calls() noexcept {
    disarm();
    for (auto& each : state.calls) each = 0;
}

std::uint64_t calls(Kind kind) noexcept {
    return state.calls[static_cast<std::size_t>(kind)];
}

void arm(Kind kind, std::uint64_t k) noexcept {
    count_calls();
    state.fired = false;
    state.kind = kind;
    state.target = k;
}

void disarm() noexcept {
    state.target = 0;
}

bool fired() noexcept {
    return state.fired;
}

Kind armed_kind() noexcept {
    return state.kind;
}

void track() noexcept {
    state.blocks.clear();
    state.tracking = true;
}

void stop_tracking() noexcept {
    state.tracking = false;
}

std::size_t live_blocks(Block* blocks, std::size_t max) noexcept {
    std::size_t count = 0;
    state.blocks.each([&](Tracker::Entry const& entry) {
        if (count < max) blocks[count] = {entry.memory, entry.bytes, entry.number};
        ++count;
    });
    return count;
}

void show_stacks() noexcept {
    Exempt const own;
    std::array<void*, 4> stack{};
    ::backtrace(stack.data(), static_cast<int>(stack.size()));  // loads a library the first time
    state.stacks = true;
}

void print_stack_of(void const* memory) noexcept {
    std::array<void*, Tracker::depth> stack{};
    state.blocks.each([&](Tracker::Entry const& entry) {
        if (entry.memory == memory) stack = entry.stack;
    });
    print(stack, stack.size());
}

void print_stack() noexcept {
    Stack stack{};
    take_stack(stack);
    print(stack, stack.size());
}

void take_stack(Stack& stack) noexcept {
    Exempt const own;
    ::backtrace(stack.data(), static_cast<int>(stack.size()));
}

void keep_stack(Stack& stack) noexcept {
    Exempt const own;
    take_stack(stack);  // loads a library the first time
    stack = {};
    state.stack = &stack;
}

void print_stack(Stack const& stack) noexcept {
    print(stack, stack.size());
}

Exempt::Exempt() noexcept {
    ++exempt;
}

Exempt::~Exempt() {
    --exempt;
}

}  // namespace injector

namespace {

// Returns the function of the C library that the function below with this name replaces. `known`
// keeps it. It is not a static variable with an initializer, which needs functions replaced here.
void* find(std::atomic<void*>& known, char const* name) noexcept {
    auto* found = known.load(std::memory_order_relaxed);
    if (found != nullptr) return found;
    injector::Exempt const own;
    found = dlsym(RTLD_NEXT, name);
    known.store(found, std::memory_order_relaxed);
    return found;
}

}  // namespace

}  // namespace lanyard::torture

using lanyard::torture::fails;
using lanyard::torture::find;
using lanyard::torture::Kind;
using lanyard::torture::noted;
using lanyard::torture::read_fails;
using lanyard::torture::set_event;
using lanyard::torture::state;
using lanyard::torture::write_fails;
using lanyard::torture::injector::Exempt;

// Defines a variable `next` with the replaced function.
#define LANYARD_NEXT(function)                           \
    static constinit std::atomic<void*> known = nullptr; \
    auto* const next = reinterpret_cast<decltype(&::function)>(find(known, #function))

extern "C" {

// Memory.

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

void* malloc(std::size_t size) noexcept {
    if (fails(Kind::malloc, ENOMEM)) return nullptr;
    return noted(__libc_malloc(size), size);
}
void* calloc(std::size_t number, std::size_t size) noexcept {
    if (fails(Kind::malloc, ENOMEM)) return nullptr;
    return noted(__libc_calloc(number, size), number * size);
}
void* realloc(void* memory, std::size_t size) noexcept {
    if (fails(Kind::malloc, ENOMEM)) return nullptr;
    state.blocks.remove(memory);
    auto* const moved = __libc_realloc(memory, size);
    return size == 0 ? moved : noted(moved, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
    if (fails(Kind::malloc, ENOMEM)) return nullptr;
    return noted(__libc_memalign(alignment, size), size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    *memory = memalign(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) noexcept {
    if (memory == nullptr) return;
    state.blocks.remove(memory);
    __libc_free(memory);
}

// Sockets.

int socket(int domain, int type, int protocol) noexcept {
    LANYARD_NEXT(socket);
    return fails(Kind::socket, EMFILE) ? -1 : next(domain, type, protocol);
}
int connect(int descriptor, sockaddr const* address, socklen_t size) {
    LANYARD_NEXT(connect);
    return fails(Kind::socket, EADDRNOTAVAIL) ? -1 : next(descriptor, address, size);
}
int accept(int descriptor, sockaddr* address, socklen_t* size) {
    LANYARD_NEXT(accept);
    return fails(Kind::accept, EMFILE) ? -1 : next(descriptor, address, size);
}
int accept4(int descriptor, sockaddr* address, socklen_t* size, int flags) {
    LANYARD_NEXT(accept4);
    return fails(Kind::accept, EMFILE) ? -1 : next(descriptor, address, size, flags);
}

// Reading and writing.

ssize_t read(int descriptor, void* room, std::size_t size) {
    LANYARD_NEXT(read);
    return read_fails(descriptor, EIO) ? -1 : next(descriptor, room, size);
}
// The form of read() and recv() that _FORTIFY_SOURCE selects if the size of the memory is known.
ssize_t __read_chk(int descriptor, void* room, std::size_t size, std::size_t room_size);
ssize_t __read_chk(int descriptor, void* room, std::size_t size, std::size_t room_size) {
    LANYARD_NEXT(__read_chk);
    return read_fails(descriptor, EIO) ? -1 : next(descriptor, room, size, room_size);
}
ssize_t __recv_chk(int descriptor, void* room, std::size_t size, std::size_t room_size, int flags);
ssize_t __recv_chk(int descriptor, void* room, std::size_t size, std::size_t room_size, int flags) {
    LANYARD_NEXT(__recv_chk);
    return read_fails(descriptor, ECONNRESET) ? -1 : next(descriptor, room, size, room_size, flags);
}
ssize_t readv(int descriptor, iovec const* rooms, int count) {
    LANYARD_NEXT(readv);
    return read_fails(descriptor, EIO) ? -1 : next(descriptor, rooms, count);
}
ssize_t recv(int descriptor, void* room, std::size_t size, int flags) {
    LANYARD_NEXT(recv);
    return read_fails(descriptor, ECONNRESET) ? -1 : next(descriptor, room, size, flags);
}
ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
    LANYARD_NEXT(recvmsg);
    return read_fails(descriptor, ECONNRESET) ? -1 : next(descriptor, message, flags);
}
ssize_t write(int descriptor, void const* bytes, std::size_t size) {
    LANYARD_NEXT(write);
    return write_fails(descriptor, EPIPE) ? -1 : next(descriptor, bytes, size);
}
ssize_t writev(int descriptor, iovec const* parts, int count) {
    LANYARD_NEXT(writev);
    return write_fails(descriptor, EPIPE) ? -1 : next(descriptor, parts, count);
}
ssize_t send(int descriptor, void const* bytes, std::size_t size, int flags) {
    LANYARD_NEXT(send);
    return write_fails(descriptor, EPIPE) ? -1 : next(descriptor, bytes, size, flags);
}
ssize_t sendmsg(int descriptor, msghdr const* message, int flags) {
    LANYARD_NEXT(sendmsg);
    return write_fails(descriptor, EPIPE) ? -1 : next(descriptor, message, flags);
}

// Descriptors.

int open(char const* path, int flags, ...) {
    LANYARD_NEXT(open);
    va_list more;
    va_start(more, flags);
    auto const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : mode_t{0};
    va_end(more);
    return fails(Kind::open, EMFILE) ? -1 : next(path, flags, mode);
}
int openat(int folder, char const* path, int flags, ...) {
    LANYARD_NEXT(openat);
    va_list more;
    va_start(more, flags);
    auto const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : mode_t{0};
    va_end(more);
    return fails(Kind::open, EMFILE) ? -1 : next(folder, path, flags, mode);
}
std::FILE* fopen64(char const* path, char const* mode) {
    LANYARD_NEXT(fopen64);
    return fails(Kind::open, EMFILE) ? nullptr : next(path, mode);
}
DIR* opendir(char const* path) {
    LANYARD_NEXT(opendir);
    return fails(Kind::open, EMFILE) ? nullptr : next(path);
}
int epoll_create1(int flags) noexcept;
int epoll_create1(int flags) noexcept {
    LANYARD_NEXT(epoll_create1);
    return fails(Kind::open, EMFILE) ? -1 : next(flags);
}
int timerfd_create(int clock, int flags) noexcept;
int timerfd_create(int clock, int flags) noexcept {
    LANYARD_NEXT(timerfd_create);
    return fails(Kind::open, EMFILE) ? -1 : next(clock, flags);
}
int inotify_init1(int flags) noexcept;
int inotify_init1(int flags) noexcept {
    LANYARD_NEXT(inotify_init1);
    return fails(Kind::open, EMFILE) ? -1 : next(flags);
}
int eventfd(unsigned int count, int flags) noexcept;
int eventfd(unsigned int count, int flags) noexcept {
    LANYARD_NEXT(eventfd);
    int const made = fails(Kind::open, EMFILE) ? -1 : next(count, flags);
    if (made >= 0) set_event(made, true);
    return made;
}
int close(int descriptor) {
    LANYARD_NEXT(close);
    set_event(descriptor, false);
    return next(descriptor);
}

// Processes and threads.

pid_t fork() noexcept {
    LANYARD_NEXT(fork);
    return fails(Kind::spawn, EAGAIN) ? -1 : next();
}
int pipe2(int* ends, int flags) noexcept {
    LANYARD_NEXT(pipe2);
    return fails(Kind::spawn, EMFILE) ? -1 : next(ends, flags);
}
int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*function)(void*),
                   void* argument) noexcept {
    LANYARD_NEXT(pthread_create);
    if (fails(Kind::spawn)) return EAGAIN;
    // glibc keeps the stacks of ended threads, with memory that belongs to them.
    Exempt const own;
    return next(thread, attributes, function, argument);
}

// Randomness.

ssize_t getrandom(void* room, std::size_t size, unsigned flags);
ssize_t getrandom(void* room, std::size_t size, unsigned flags) {
    LANYARD_NEXT(getrandom);
    return fails(Kind::getrandom, ENOSYS) ? -1 : next(room, size, flags);
}
int getentropy(void* room, std::size_t size) {
    LANYARD_NEXT(getentropy);
    return fails(Kind::getrandom, EIO) ? -1 : next(room, size);
}

// System calls without a function of their own.
long syscall(long number, ...) noexcept {
    LANYARD_NEXT(syscall);
    va_list more;
    va_start(more, number);
    std::array<long, 6> a{};
    for (auto& each : a) each = va_arg(more, long);
    va_end(more);
    bool failed = false;
    if (number == SYS_openat2) failed = fails(Kind::open, EMFILE);
    if (number == SYS_pidfd_open) failed = fails(Kind::spawn, EMFILE);
    if (number == SYS_getrandom) failed = fails(Kind::getrandom, ENOSYS);
    return failed ? -1 : next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
}
