// Injector: makes exactly one call of this program to the system fail, and finds memory that was
// not freed. It replaces the functions of the C library (injector.cpp), so it sees the calls of
// all libraries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanyard::torture {

/// What can fail.
enum class Kind : std::uint8_t {
    malloc,  ///< every allocation
    socket,  ///< socket(), connect()
    accept,  ///< accept(), accept4()
    read,    ///< read(), recv(), recvmsg(), ... but not of an eventfd
    write,   ///< write(), send(), sendmsg(), ... but not to an eventfd
    open,  ///< whatever else makes a descriptor: open(), openat2(), eventfd(), inotify_init1(), ...
    spawn,      ///< fork(), pipe2(), pidfd_open(), pthread_create()
    getrandom,  ///< getrandom(), getentropy()
};
inline constexpr std::array<std::string_view, 8> kind_names = {
    "malloc", "socket", "accept", "read", "write", "open", "spawn", "getrandom"};
inline constexpr std::size_t kind_count = kind_names.size();

constexpr std::string_view name_of(Kind kind) noexcept {
    return kind_names[static_cast<std::size_t>(kind)];
}

namespace injector {

/// Resets the counts of calls and begins to count. Thread-safe, as all functions here.
void count_calls() noexcept;
/// How many calls of this kind there were since count_calls() or arm().
std::uint64_t calls(Kind kind) noexcept;
/// Lets the k-th call of this kind from now on fail, and no other. The first call is number 1.
void arm(Kind kind, std::uint64_t k) noexcept;
/// Lets no further call fail.
void disarm() noexcept;
/// Whether a call has failed since arm().
bool fired() noexcept;
/// The kind that was passed to arm() last.
Kind armed_kind() noexcept;

/// Begins to track the blocks that are allocated from now on.
void track() noexcept;
/// Stops tracking; the blocks that were tracked so far remain known until they are freed.
void stop_tracking() noexcept;
/// A block that was allocated since track() and not freed.
struct Block {
    void const* memory;
    std::size_t bytes;
    std::uint64_t number;  ///< counts the allocations since track()
};
/// Stores up to `max` of these blocks and returns the number of all.
std::size_t live_blocks(Block* blocks, std::size_t max) noexcept;
/// Prints the stack of the call that fails, and with live blocks the stacks that allocated them.
/// Needs memory, so it is to be called once before track().
void show_stacks() noexcept;
/// Prints the stack of the caller to stderr.
void print_stack() noexcept;
/// The return addresses of a stack; null after the last one.
using Stack = std::array<void*, 48>;
/// Stores the stack of the caller.
void take_stack(Stack& stack) noexcept;
/// Stores the stack of the call that fails in this object.
void keep_stack(Stack& stack) noexcept;
/// Prints a stored stack to stderr.
void print_stack(Stack const& stack) noexcept;
/// Prints the stack that allocated the block, if show_stacks() was called.
void print_stack_of(void const* memory) noexcept;

/// While it exists, calls of this thread neither count nor fail, and its allocations are not
/// tracked.
class Exempt {
public:
    Exempt() noexcept;
    ~Exempt();
    Exempt(Exempt const&) = delete;
    Exempt& operator=(Exempt const&) = delete;
};

}  // namespace injector

}  // namespace lanyard::torture
