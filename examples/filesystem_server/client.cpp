// Works in the folder that it has opened to the server, and tries to escape from it in every way.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "support/example.hpp"

namespace fs = std::filesystem;

struct At {
    std::string path;
};
LANYARD_STRUCT(At, path)

struct Write {
    std::string path;
    std::string content;
};
LANYARD_STRUCT(Write, path, content)

struct Move {
    std::string from;
    std::string to;
};
LANYARD_STRUCT(Move, from, to)

// A folder to open, next to a file that must stay secret; both are removed at the end.
class House {
public:
    House() : path_((fs::temp_directory_path() / "house-XXXXXX").string()) {
        example::expect(::mkdtemp(path_.data()) != nullptr, "a temporary folder");
        fs::create_directory(room());
        std::ofstream(fs::path(path_) / "secret") << "secret";
        fs::create_symlink("../secret", room() / "relative");
        fs::create_symlink(fs::path(path_) / "secret", room() / "absolute");
        fs::create_directory_symlink("..", room() / "up");
    }
    ~House() { fs::remove_all(path_); }

    fs::path room() const { return fs::path(path_) / "room"; }
    fs::path secret() const { return fs::path(path_) / "secret"; }

private:
    std::string path_;
};

void tell(int argc, char** argv) {
    House const house;
    auto const in_room = [&](std::string_view name) { return (house.room() / name).string(); };

    lanyard::Root root;
    root.uri = "file://" + house.room().string();
    auto options = example::options(argc, argv);
    options.roots({root});
    auto const client =
        lanyard::blocking::connect(lanyard::child_process(example::server(argc, argv)), options);

    client.call<std::string>("create_folder", At{in_room("box")});
    client.call<std::string>("write_file", Write{in_room("box/letter"), "Dear Ada"});
    client.call<std::string>("move", Move{in_room("box/letter"), in_room("letter")});
    auto const letter = client.call<std::string>("read_file", At{in_room("letter")});
    std::cout << letter << '\n';
    example::expect(letter == "Dear Ada", letter);
    client.call<std::string>("remove", At{in_room("box")});
    auto const listing = client.call_tool("list_folder", {{"path", in_room("")}});
    std::cout << listing.structured_content.text() << '\n';

    // Dots, links and absolute paths must not lead out of the folder.
    std::string const ways[] = {
        house.secret().string(),
        in_room("../secret"),
        in_room("relative"),
        in_room("absolute"),
        in_room("up/secret"),
        in_room("box/../../secret"),
        "/etc/passwd",
        "letter",
        house.room().string() + "less/secret",
    };
    for (auto const& way : ways) {
        auto const read = client.call_tool("read_file", {{"path", way}});
        example::expect(read.is_error, "no way out: " + way);
    }
    auto const written =
        client.call_tool("write_file", {{"path", in_room("up/secret")}, {"content", "gone"}});
    example::expect(written.is_error, "no writing outside");
    std::string kept;
    std::ifstream(house.secret()) >> kept;
    example::expect(kept == "secret", "the secret is safe");
}

int main(int argc, char** argv) {
    return example::run([&] { tell(argc, argv); });
}
