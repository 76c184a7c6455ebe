// Our client against @modelcontextprotocol/server-filesystem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "interop/peer_process.hpp"
#include "lanyard/base64.hpp"

namespace lanyard::interop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Filesystem : public testing::Test {
protected:
    Filesystem() {
        fs::remove_all(folder_);
        fs::create_directories(folder_ / "second");
        folder_ = fs::canonical(folder_);
        std::ofstream(folder_ / "a.txt") << "one\ntwo\nthree\n";
        std::ofstream(folder_ / "a.png", std::ios::binary) << "\x89PNG";
    }
    ~Filesystem() override { fs::remove_all(folder_); }

    blocking::Client connect(ClientOptions const& options = {}) {
        return blocking::connect(
            child_process(npm_server("server-filesystem/dist/index.js", {folder_.string()})),
            options);
    }

    std::string path(std::string const& name) const { return (folder_ / name).string(); }

    template <class T>
    static JsonObject with(std::string const& key, T const& value) {
        JsonObject arguments;
        arguments[key] = value;
        return arguments;
    }

    fs::path folder_ = fs::path(testing::TempDir()) / "lanyard-interop-filesystem";
};

TEST_F(Filesystem, reads_files) {
    auto const client = connect();
    client.list_tools();
    EXPECT_EQ(text_of(client.call_tool("read_text_file", with("path", path("a.txt")))),
              "one\ntwo\nthree\n");
    auto head = with("path", path("a.txt"));
    head["head"] = 1;
    EXPECT_EQ(text_of(client.call_tool("read_text_file", head)), "one");
    auto tail = with("path", path("a.txt"));
    tail["tail"] = 2;
    EXPECT_THAT(text_of(client.call_tool("read_text_file", tail)), HasSubstr("three"));
    auto const several = text_of(client.call_tool(
        "read_multiple_files", with("paths", JsonArray{path("a.txt"), path("missing.txt")})));
    EXPECT_THAT(several, HasSubstr("two"));
    EXPECT_THAT(several, HasSubstr("Error"));
    auto const media = client.call_tool("read_media_file", with("path", path("a.png")));
    ASSERT_FALSE(media.is_error) << text_of(media);
    auto const& image = std::get<ImageContent>(media.content.at(0));
    EXPECT_EQ(image.mime_type, "image/png");
    EXPECT_EQ(*base64::decode(image.data), "\x89PNG");
}

TEST_F(Filesystem, writes_edits_and_moves_files) {
    auto const client = connect();
    auto write = with("path", path("b.txt"));
    write["content"] = "grün\n";
    EXPECT_FALSE(client.call_tool("write_file", write).is_error);
    auto edit = with("path", path("b.txt"));
    edit["edits"] = JsonArray{JsonObject{{"oldText", "grün"}, {"newText", "blau"}}};
    EXPECT_THAT(text_of(client.call_tool("edit_file", edit)), HasSubstr("+blau"));
    auto move = with("source", path("b.txt"));
    move["destination"] = path("second/c.txt");
    EXPECT_FALSE(client.call_tool("move_file", move).is_error);
    EXPECT_EQ(text_of(client.call_tool("read_text_file", with("path", path("second/c.txt")))),
              "blau\n");
    EXPECT_FALSE(client.call_tool("create_directory", with("path", path("third"))).is_error);
    EXPECT_TRUE(fs::is_directory(folder_ / "third"));
}

TEST_F(Filesystem, lists_and_searches_folders) {
    auto const client = connect();
    auto const here = with("path", folder_.string());
    EXPECT_THAT(text_of(client.call_tool("list_directory", here)), HasSubstr("[DIR] second"));
    EXPECT_THAT(text_of(client.call_tool("list_directory_with_sizes", here)), HasSubstr("Total"));
    auto const tree = json::parse(text_of(client.call_tool("directory_tree", here)));
    ASSERT_TRUE(tree);
    EXPECT_EQ(tree->as_array().size(), 3U);
    auto search = here;
    search["pattern"] = "*.txt";
    EXPECT_THAT(text_of(client.call_tool("search_files", search)), HasSubstr(path("a.txt")));
    EXPECT_THAT(text_of(client.call_tool("get_file_info", with("path", path("a.txt")))),
                HasSubstr("size: 14"));
    EXPECT_THAT(text_of(client.call_tool("list_allowed_directories")), HasSubstr(folder_.string()));
}

TEST_F(Filesystem, refuses_other_folders) {
    auto const client = connect();
    auto const outside = client.call_tool("read_text_file", with("path", "/etc/hostname"));
    EXPECT_TRUE(outside.is_error);
    EXPECT_THAT(text_of(outside), HasSubstr("denied"));
}

TEST_F(Filesystem, follows_the_roots_of_the_client) {
    Root root;
    root.uri = "file://" + path("second");
    root.name = "second";
    ClientOptions options("lanyard-interop", "1");
    Inbox<bool> asked;
    options.on_roots([&] {
        asked.push(true);
        return std::vector<Root>{root};
    });
    auto const client = connect(options);
    ASSERT_TRUE(asked.find([](bool) { return true; }));
    // The server applies the roots some time after it has received them.
    std::string allowed;
    for (int attempt = 0; attempt < 200 && allowed.find("second") == std::string::npos; ++attempt) {
        allowed = text_of(client.call_tool("list_allowed_directories"));
    }
    EXPECT_THAT(allowed, HasSubstr(path("second")));
    EXPECT_TRUE(client.call_tool("read_text_file", with("path", path("a.txt"))).is_error);
}

TEST_F(Filesystem, has_tool_annotations) {
    auto const client = connect();
    std::set<std::string> destructive;
    for (auto const& tool : client.list_tools()) {
        ASSERT_TRUE(tool.annotations) << tool.name;
        if (tool.annotations->destructive_hint.value_or(false)) destructive.insert(tool.name);
    }
    EXPECT_TRUE(destructive.contains("write_file"));
    EXPECT_FALSE(destructive.contains("read_text_file"));
}

}  // namespace
}  // namespace lanyard::interop
