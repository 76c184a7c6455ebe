// Serves a folder of notes as resources: listed, read by name, and watched, so that subscribers of
// a note are notified of every change.
//
//     server FOLDER
#include <iostream>
#include <mutex>
#include <set>

#include <lanyard/files/confined_folder.hpp>
#include <lanyard/files/file_watcher.hpp>
#include <lanyard/server.hpp>

namespace fs = std::filesystem;

struct Note {
    std::string name;
};
LANYARD_STRUCT(Note, (name, "The name of the note's file"))

struct Count {
    std::size_t notes = 0;
};
LANYARD_STRUCT(Count, notes)

constexpr std::string_view template_text = "note:///{name}";

std::string uri_of(std::string name) {
    static auto const uri_template = lanyard::UriTemplate::parse(template_text).value();
    lanyard::UriVariables variables;
    variables.set("name", std::move(name));
    return uri_template.expand(variables).value();
}

// Offers exactly the notes that are in the folder.
class FeatureIndex {
public:
    FeatureIndex(lanyard::Server& server, lanyard::ConfinedFolder const& folder)
        : server_(server), folder_(folder) {
        arrange();
    }

    void arrange() {
        std::lock_guard const lock(mutex_);
        std::set<std::string> present;
        for (auto const& entry : folder_.list()) {
            if (entry.kind == lanyard::FolderEntry::Kind::file) present.insert(entry.name);
        }
        for (auto const& name : offered_) {
            if (!present.contains(name)) server_.remove_resource(uri_of(name));
        }
        for (auto const& name : present) {
            if (offered_.contains(name)) continue;
            server_.resource(uri_of(name), name, lanyard::ResourceOptions().mime_type("text/plain"),
                             [this, name] { return folder_.read(name); });
        }
        offered_ = std::move(present);
    }
    std::size_t size() {
        std::lock_guard const lock(mutex_);
        return offered_.size();
    }

private:
    lanyard::Server& server_;
    lanyard::ConfinedFolder const& folder_;
    std::mutex mutex_;
    std::set<std::string> offered_;
};

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: server FOLDER\n";
        return 2;
    }
    lanyard::ConfinedFolder const folder(argv[1]);
    lanyard::Server server{"notes", "1.0.0"};
    FeatureIndex shelf(server, folder);

    // Serves any note by its name, whether it is listed or not.
    server.resource_template(std::string(template_text), "note",
                             [&](Note in) -> std::optional<std::string> {
                                 try {
                                     return folder.read(in.name);
                                 } catch (std::exception const&) {
                                     return std::nullopt;  // not found
                                 }
                             });
    // A struct is sent as JSON.
    server.resource("notes:count", "count", [&] { return Count{shelf.size()}; });

    lanyard::FileWatcher watcher;
    watcher.watch_folder(
        folder.root(),
        [&](fs::path const& file) { server.resource_updated(uri_of(file.filename().string())); },
        [&] { shelf.arrange(); });
    return server.run(lanyard::stdio());
}
