// Asks the user in the middle of a tool. The same function serves clients that answer while the
// call is waiting, and clients that answer by calling again.
#include <map>
#include <mutex>

#include <lanyard/server.hpp>

struct Purge {
    std::string folder;
};
LANYARD_STRUCT(Purge, (folder, "What to empty"))

struct Confirm {
    bool really = false;
    std::string reason;
};
LANYARD_STRUCT(Confirm, (really, "Delete everything in it?"), (reason, "Why, for the record"))

struct Purged {
    int files = 0;
    std::string reason;
};
LANYARD_STRUCT(Purged, files, reason)

// The folders of this example. Handlers may run concurrently, so it has a mutex.
class Folders {
public:
    int count(std::string const& name) {
        std::lock_guard const lock(mutex_);
        return files_[name];
    }
    int empty(std::string const& name) {
        std::lock_guard const lock(mutex_);
        return std::exchange(files_[name], 0);
    }

private:
    std::mutex mutex_;
    std::map<std::string, int> files_{{"attic", 12}, {"cellar", 30}};
};

int main() {
    Folders folders;
    lanyard::Server server{"janitor", "1.0.0"};

    server.tool("purge", "Delete all files of a folder",
                [&](Purge in, lanyard::Context& context) -> lanyard::Task<Purged> {
                    auto const files = folders.count(in.folder);
                    if (files == 0)
                        throw lanyard::ToolError("\"" + in.folder + "\" is empty already");

                    auto const answer = co_await context.elicit<Confirm>(
                        "confirm",
                        "Delete " + std::to_string(files) + " files in " + in.folder + "?");
                    if (!answer || !answer->really) throw lanyard::ToolError("the user declined");

                    Purged purged{folders.empty(in.folder), answer->reason};
                    co_return purged;
                });
    return server.run(lanyard::stdio());
}
