// Gives a model access to files in the folders that the user has opened (the client's roots), and
// nowhere else.
#include <ctime>
#include <filesystem>

#include <lanyard/files/confined_folder.hpp>
#include <lanyard/server.hpp>

namespace fs = std::filesystem;

struct At {
    std::string path;
};
LANYARD_STRUCT(At, (path, "An absolute path"))

struct Write {
    std::string path;
    std::string content;
};
LANYARD_STRUCT(Write, (path, "An absolute path"), (content, "What the file shall hold"))

struct Move {
    std::string from;
    std::string to;
};
LANYARD_STRUCT(Move, (from, "An absolute path"), (to, "An absolute path in the same root"))

struct Item {
    std::string name;
    std::string kind;
    std::uint64_t size = 0;
};
LANYARD_STRUCT(Item, name, kind, size)

struct Listing {
    std::vector<Item> items;
};
LANYARD_STRUCT(Listing, items)

struct Roots {
    std::vector<std::string> folders;
};
LANYARD_STRUCT(Roots, folders)

// Returns the folder of a file:// URI; empty if it is not a folder of this machine.
fs::path path_of(std::string const& uri) {
    static auto const local = lanyard::UriTemplate::parse("file://{+path}").value();
    auto const variables = local.match(uri);
    auto const* path = variables ? variables->string("path") : nullptr;
    return path != nullptr && path->starts_with('/') ? fs::path(*path) : fs::path();
}

// A path below one of the client's roots.
struct Place {
    lanyard::ConfinedFolder folder;
    fs::path path;  // relative to it
};

// Only selects the root; ConfinedFolder handles links on the path.
lanyard::Task<Place> locate(std::string text, lanyard::Context& context) {
    auto const path = fs::path(text).lexically_normal();
    auto const roots = co_await context.list_roots();
    for (auto const& root : roots) {
        auto const folder = path_of(root.uri);
        if (folder.empty() || !path.is_absolute()) continue;
        auto const inner = path.lexically_relative(folder);
        if (inner.empty() || *inner.begin() == "..") continue;
        Place place{lanyard::ConfinedFolder(folder), inner};
        co_return place;
    }
    throw lanyard::ToolError("\"" + text +
                             "\" is in none of the folders the user has opened; list_roots shows "
                             "them");
}

// Passes the reason of a failure to the model; the text of any other exception would be hidden.
template <class Action>
auto attempt(Action action) {
    try {
        return action();
    } catch (std::system_error const& error) {
        throw lanyard::ToolError(error.what());
    } catch (lanyard::Error const& error) {
        throw lanyard::ToolError(error.message());
    }
}

lanyard::Task<Roots> list_roots(lanyard::Context& context) {
    Roots roots;
    for (auto const& root : co_await context.list_roots()) {
        roots.folders.push_back(path_of(root.uri).string());
    }
    co_return roots;
}

lanyard::Task<std::string> read_file(At in, lanyard::Context& context) {
    auto const place = co_await locate(in.path, context);
    co_return attempt([&] { return place.folder.read(place.path, 1024 * 1024); });
}

lanyard::Task<std::string> write_file(Write in, lanyard::Context& context) {
    auto const place = co_await locate(in.path, context);
    attempt([&] { place.folder.write(place.path, in.content); });
    co_return "written";
}

lanyard::Task<Listing> list_folder(At in, lanyard::Context& context) {
    auto const place = co_await locate(in.path, context);
    Listing listing;
    for (auto& entry : attempt([&] { return place.folder.list(place.path); })) {
        constexpr std::string_view kinds[] = {"file", "folder", "link", "other"};
        Item item;
        item.name = std::move(entry.name);
        item.kind = kinds[static_cast<int>(entry.kind)];
        item.size = entry.size;
        listing.items.push_back(std::move(item));
    }
    co_return listing;
}

lanyard::Task<std::string> create_folder(At in, lanyard::Context& context) {
    auto const place = co_await locate(in.path, context);
    attempt([&] { place.folder.create_folder(place.path); });
    co_return "created";
}

lanyard::Task<std::string> move_file(Move in, lanyard::Context& context) {
    auto const from = co_await locate(in.from, context);
    auto const to = co_await locate(in.to, context);
    if (from.folder.root() != to.folder.root()) {
        throw lanyard::ToolError("both paths must be in the same root");
    }
    attempt([&] { from.folder.move(from.path, to.path); });
    co_return "moved";
}

lanyard::Task<std::string> remove_file(At in, lanyard::Context& context) {
    auto const place = co_await locate(in.path, context);
    attempt([&] { place.folder.remove(place.path); });
    co_return "removed";
}

int main() {
    lanyard::Server server{"filesystem", "1.0.0"};
    server.instructions("Files in the folders that list_roots shows; paths are absolute.");

    auto const reads = lanyard::ToolOptions().read_only().open_world(false);
    auto const changes = lanyard::ToolOptions().open_world(false);

    server.tool("list_roots", "The folders that may be used", list_roots, reads);
    server.tool("list_folder", "What is in a folder", list_folder, reads);
    server.tool("read_file", "The text of a file", read_file, reads);
    server.tool("write_file", "Create or replace a file", write_file, changes);
    server.tool("create_folder", "Create a folder", create_folder, changes);
    server.tool("move", "Move or rename a file or folder", move_file, changes);
    server.tool("remove", "Remove a file or an empty folder", remove_file, changes);
    return server.run(lanyard::stdio());
}
