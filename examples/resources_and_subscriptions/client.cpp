// Reads notes, subscribes to one, and changes it on disk without using the server.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <semaphore>

#include "support/example.hpp"

namespace fs = std::filesystem;

// A folder that is removed at the end.
class Folder {
public:
    Folder() : path_((fs::temp_directory_path() / "notes-XXXXXX").string()) {
        example::expect(::mkdtemp(path_.data()) != nullptr, "a temporary folder");
    }
    ~Folder() { fs::remove_all(path_); }

    std::string const& path() const { return path_; }
    void write(std::string const& name, std::string_view text) const {
        std::ofstream(fs::path(path_) / name) << text;
    }

private:
    std::string path_;
};

// Counts events, so that another thread can wait for them.
class Bell {
public:
    void ring() { rings_.release(); }
    void wait(std::string_view what) {
        example::expect(rings_.try_acquire_for(std::chrono::seconds(10)), what);
    }

private:
    std::counting_semaphore<> rings_{0};
};

void tell(int argc, char** argv) {
    Folder const notes;
    notes.write("shopping", "milk");
    notes.write("to do", "sleep");

    Bell updated;
    Bell listed;
    auto options = example::options(argc, argv);
    options.on_resource_updated([&](std::string const& uri) {
        if (uri == "note:///shopping") updated.ring();
    });
    options.on_list_changed([&](lanyard::ListKind kind) {
        if (kind == lanyard::ListKind::resources) listed.ring();
    });
    auto const client = lanyard::blocking::connect(
        lanyard::child_process(example::server(argc, argv), notes.path()), options);

    auto const resources = client.list_resources();
    for (auto const& resource : resources) std::cout << resource.uri << '\n';
    example::expect(resources.size() == 3, "two notes and their count");
    example::expect(text_of(client.read_resource("note:///to%20do")) == "sleep", "a note");
    example::expect(text_of(client.read_resource("notes:count")) == R"({"notes":2})", "the count");

    client.subscribe("note:///shopping");
    notes.write("shopping", "milk, bread");
    updated.wait("a changed note is reported");
    example::expect(text_of(client.read_resource("note:///shopping")) == "milk, bread", "news");

    notes.write("ideas", "a better mousetrap");
    listed.wait("a new note is reported");
    example::expect(text_of(client.read_resource("note:///ideas")) == "a better mousetrap", "idea");
    client.unsubscribe("note:///shopping");

    // A missing note cannot be read, nor a file outside the folder.
    for (auto const* uri : {"note:///none", "note:///..%2F..%2Fetc%2Fpasswd"}) {
        bool found = true;
        try {
            client.read_resource(uri);
        } catch (lanyard::Error const& error) {
            found = !error.peer_code();
        }
        example::expect(!found, uri);
    }
}

int main(int argc, char** argv) {
    return example::run([&] { tell(argc, argv); });
}
