// Log lines on descriptors that accept them, on full ones, and on those without a reader.
#include "runtime/line_writer.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/descriptors.hpp"

namespace lanyard::runtime {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using transport::Descriptor;

struct Pipe {
    Pipe() {
        int ends[2];
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        out = Descriptor(ends[0]);
        in = Descriptor(ends[1]);
    }

    // Reads until this text has arrived, or until no more bytes arrive for a moment.
    std::string drain(std::string const& until = {}) const {
        std::string all;
        ::fcntl(out.get(), F_SETFL, O_NONBLOCK);
        auto const deadline = std::chrono::steady_clock::now() + 20s;
        while (std::chrono::steady_clock::now() < deadline) {
            char bytes[4096];
            auto const got = ::read(out.get(), bytes, sizeof bytes);
            if (got > 0) {
                all.append(bytes, static_cast<std::size_t>(got));
            } else if (until.empty() || all.find(until) != all.npos) {
                break;
            } else {
                std::this_thread::sleep_for(1ms);
            }
        }
        return all;
    }

    Descriptor out;
    Descriptor in;
};

std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

TEST(LineWriter, writes_in_place_while_the_pipe_has_room) {
    Pipe const pipe;
    LineWriter writer(pipe.in.get());
    writer.write("one");
    writer.write("two");
    EXPECT_EQ(writer.waiting(), 0U);
    EXPECT_EQ(pipe.drain(), "one\ntwo\n");
    EXPECT_EQ(writer.dropped(), 0U);
    // The flags are shared with other users of the pipe and must not change.
    EXPECT_EQ(::fcntl(pipe.in.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(LineWriter, writes_to_files_and_sockets) {
    auto const path = ::testing::TempDir() + "lines_" + std::to_string(::getpid());
    {
        Descriptor const file(::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600));
        LineWriter writer(file.get());
        writer.write("one");
        writer.write("two");
        std::ifstream in(path);
        std::stringstream text;
        text << in.rdbuf();
        EXPECT_EQ(text.str(), "one\ntwo\n");
    }
    std::filesystem::remove(path);
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    Descriptor const near(ends[0]);
    Descriptor const far(ends[1]);
    LineWriter writer(near.get());
    writer.write("three");
    char bytes[16];
    EXPECT_EQ(::read(far.get(), bytes, sizeof bytes), 6);
}

TEST(LineWriter, escapes_control_characters_and_bytes_that_are_not_utf8) {
    Pipe const pipe;
    LineWriter writer(pipe.in.get());
    writer.write("a\x1B[2J\nb\r\tc\x7F|\u009B|\u202E|\u2028|\xFF|gr\u00FCn");
    EXPECT_EQ(pipe.drain(), "a\\x1B[2J\\nb\\x0D\tc\\x7F|\\x9B|\\u202E|\\u2028|\\xFF|gr\u00FCn\n");
}

TEST(LineWriter, cuts_long_lines_after_a_character) {
    Pipe const pipe;
    LineWriter writer(pipe.in.get());
    auto const written = [&](std::string const& text) {
        writer.write(text);
        return pipe.drain();
    };
    constexpr auto most = LineWriter::max_line_bytes - 1;
    std::string const longest(most, 'x');
    EXPECT_EQ(written(longest), longest + "\n");
    auto const cut = [](std::size_t kept) { return std::string(kept, 'x') + "...\n"; };
    EXPECT_EQ(written(longest + "x"), cut(most - 3));
    // Neither a character nor an escape sequence is cut in two.
    std::string const padding(most - 4, 'x');
    EXPECT_EQ(written(padding + "\u00E9xxx"), cut(most - 4));
    EXPECT_EQ(written(padding + "\x1Bx"), cut(most - 4));
}

TEST(LineWriter, a_pipe_that_is_not_read_blocks_no_caller) {
    Pipe const pipe;
    LineWriter writer(pipe.in.get(), {.lines = 100, .bytes = 1'000'000});
    std::string const text(1000, 'x');
    for (int i = 0; i < 5000; ++i) writer.write(std::to_string(i) + " " + text);
    EXPECT_LE(writer.waiting(), 100U);
    auto const dropped = writer.dropped();
    EXPECT_GT(dropped, 4000U);
    auto const lines = lines_of(pipe.drain("lost because they could not be written)\n"));
    // The lines are in order up to the lost ones; the last line reports their number.
    ASSERT_GT(lines.size(), 100U);
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        EXPECT_TRUE(lines[i].starts_with(std::to_string(i) + " ")) << lines[i].substr(0, 20);
    }
    EXPECT_EQ(lines.back(), "(" + std::to_string(dropped) +
                                " log lines were lost because they could not be written)");
    EXPECT_EQ(lines.size() - 1 + dropped, 5000U);
    writer.write("all is well again");
    EXPECT_THAT(pipe.drain("again\n"), HasSubstr("all is well again\n"));
}

TEST(LineWriter, queued_lines_are_limited_by_size_too) {
    Pipe const pipe;
    LineWriter writer(pipe.in.get(), {.lines = 1'000'000, .bytes = 20'000});
    for (int i = 0; i < 1000; ++i) writer.write(std::string(1000, 'x'));
    EXPECT_LE(writer.waiting(), 20U);
    EXPECT_GT(writer.dropped(), 900U);
    // The writer's thread must have written everything before the pipe is closed.
    while (writer.waiting() > 0) pipe.drain();
    EXPECT_TRUE(writer.flush(20s));
}

TEST(LineWriter, a_closed_reader_raises_no_signal) {
    Pipe pipe;
    LineWriter writer(pipe.in.get());
    pipe.out = Descriptor();
    writer.write("one");
    writer.write("two");
    EXPECT_EQ(writer.dropped(), 2U);
    EXPECT_EQ(writer.waiting(), 0U);
}

TEST(LineWriter, a_reader_that_closes_while_lines_are_queued_raises_no_signal) {
    Pipe pipe;
    LineWriter writer(pipe.in.get());
    for (int i = 0; i < 100; ++i) writer.write(std::string(1000, 'x'));
    auto const waiting = writer.waiting();
    EXPECT_GT(waiting, 0U);
    pipe.out = Descriptor();
    while (writer.waiting() > 0) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(writer.dropped(), waiting);
}

TEST(LineWriter, a_long_line_is_cut) {
    Pipe const pipe;
    LineWriter writer(pipe.in.get());
    writer.write(std::string(4095, 'a'));
    EXPECT_EQ(pipe.drain(), std::string(4095, 'a') + "\n");
    writer.write(std::string(4096, 'a'));
    EXPECT_EQ(pipe.drain(), std::string(4092, 'a') + "...\n");
}

TEST(LineWriter, flush_gives_up_if_the_pipe_is_not_read) {
    Pipe const pipe;
    LineWriter writer(pipe.in.get());
    EXPECT_TRUE(writer.flush(20s));
    for (int i = 0; i < 100; ++i) writer.write(std::string(1000, 'x'));
    EXPECT_FALSE(writer.flush(60s)) << "nobody reads";
    std::thread reader([&] { pipe.drain(); });
    reader.join();
    while (writer.waiting() > 0) pipe.drain();
    EXPECT_TRUE(writer.flush(20s));
}

TEST(LineWriter, a_closed_descriptor_loses_lines_only) {
    LineWriter writer(-1);
    writer.write("one");
    EXPECT_EQ(writer.dropped(), 1U);
}

}  // namespace
}  // namespace lanyard::runtime
