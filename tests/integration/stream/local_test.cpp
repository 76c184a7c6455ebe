// Servers and clients over Unix sockets.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include <sys/stat.h>

#include "sockets/local_socket.hpp"
#include "stream_server.hpp"

namespace lanyard::stream_test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Local : public ::testing::Test {
protected:
    Local() {
        std::string pattern = (fs::temp_directory_path() / "lanyard-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
        folder_ = pattern;
        path_ = pattern + "/demo.sock";
        url_ = "unix:" + path_;
    }
    ~Local() override { fs::remove_all(folder_); }

    std::string listen_failure() const {
        try {
            listen(url_, StreamServerOptions())->port();
        } catch (Error const& error) {
            EXPECT_TRUE(error.is(Errc::unavailable));
            return error.message();
        }
        return "";
    }
    unsigned mode() const {
        struct stat status{};
        EXPECT_EQ(::stat(path_.c_str(), &status), 0);
        return status.st_mode & 0777;
    }

    fs::path folder_;
    std::string path_;
    std::string url_;
};

TEST_F(Local, carries_calls_in_both_eras) {
    StreamServer server(url_);
    EXPECT_EQ(server.url(), url_);
    EXPECT_EQ(server.listener().port(), 0);
    for (auto const version : {Version::v2025_11_25, Version::v2026_07_28}) {
        ClientOptions options;
        options.versions({version});
        auto const client = connect(url_, options);
        EXPECT_EQ(echo(client, "hello"), "hello");
        EXPECT_EQ(client.call<std::string>("who"), " by unix");
        auto const sessions = server.server().sessions();
        ASSERT_FALSE(sessions.empty());
        EXPECT_EQ(sessions.back().transport.peer,
                  "process " + std::to_string(getpid()) + " of user " + std::to_string(getuid()));
    }
}

TEST_F(Local, the_file_is_private_and_removed_with_the_listener) {
    {
        auto const listener = listen(url_, StreamServerOptions());
        EXPECT_EQ(mode(), 0600U);
    }
    EXPECT_FALSE(fs::exists(path_));
    auto const shared = listen(url_, StreamServerOptions().socket_mode(0660));
    EXPECT_EQ(mode(), 0660U);
}

TEST_F(Local, the_file_is_removed_when_the_server_has_ended) {
    StreamServer server(url_);
    EXPECT_EQ(echo(connect(url_), "there"), "there");
    server.server().stop();
    server.await_end();
    EXPECT_FALSE(fs::exists(path_));
}

TEST_F(Local, replaces_only_the_socket_of_a_server_that_has_ended) {
    auto const listener = listen(url_, StreamServerOptions());
    EXPECT_THAT(listen_failure(), HasSubstr("another server listens there"));
    // As if the process had been killed: the file remains without a listener.
    auto const left = path_ + ".left";
    fs::create_hard_link(path_, left);
    listener->stop();
    {
        auto const gone = listen("unix:" + path_ + "2", StreamServerOptions());
        fs::create_hard_link(path_ + "2", path_ + "3");
    }
    auto const again = listen("unix:" + path_ + "3", StreamServerOptions());
    EXPECT_EQ(again->url(), "unix:" + path_ + "3");
    EXPECT_TRUE(fs::exists(path_ + "3"));
}

TEST_F(Local, does_not_remove_other_files) {
    std::ofstream(path_) << "precious";
    EXPECT_THAT(listen_failure(), HasSubstr("not a socket"));
    EXPECT_TRUE(fs::exists(path_));
    url_ = "unix:" + (folder_ / "nowhere" / "demo.sock").string();
    EXPECT_THAT(listen_failure(), HasSubstr("No such file or directory"));
}

TEST_F(Local, does_not_remove_the_file_of_its_successor) {
    auto first = listen(url_, StreamServerOptions());
    fs::remove(path_);
    auto const second = listen(url_, StreamServerOptions());
    EXPECT_EQ(second->url(), url_);
    first.reset();
    EXPECT_TRUE(fs::exists(path_));
}

TEST_F(Local, reports_why_it_cannot_connect) {
    auto const error = connect_error(url_);
    EXPECT_TRUE(error.is(Errc::unavailable));
    EXPECT_THAT(error.message(), HasSubstr(path_));
    EXPECT_THAT(error.message(), HasSubstr("No such file or directory"));
}

TEST_F(Local, several_threads_accept_connections_of_one_socket) {
    StreamServer server(url_, StreamServerOptions().threads(2));
    std::vector<blocking::Client> clients;
    for (int i = 0; i < 8; ++i) clients.push_back(connect(url_));
    for (auto const& client : clients) EXPECT_EQ(echo(client, "each"), "each");
    EXPECT_EQ(server.listener().stats().open, 8U);
}

}  // namespace
}  // namespace lanyard::stream_test
