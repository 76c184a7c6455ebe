#include "config.hpp"

#include "lanyard/json/document.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "failure.hpp"
#include "nearest.hpp"

namespace lanyard::app {
namespace {

namespace fs = std::filesystem;

/// Reads one entry; errors name the file and the entry.
class EntryReader {
public:
    /// If `environment` is null, variables are not replaced.
    EntryReader(std::string file, std::string name, Environment const* environment)
        : file_(std::move(file)), name_(std::move(name)), environment_(environment) {}

    ServerEntry read(Json const& json) const {
        if (!json.is_object()) fail("must be an object");
        auto const& members = json.get_object();
        ServerEntry entry;
        entry.name = name_;
        entry.url = text(members, "url");
        if (entry.url.empty()) entry.url = text(members, "serverUrl");
        if (auto command = text(members, "command"); !command.empty()) {
            entry.command.push_back(std::move(command));
        }
        if (entry.command.empty() == entry.url.empty()) {
            fail("must have either a \"command\" or a \"url\"");
        }
        for (auto& argument : texts(members, "args")) entry.command.push_back(std::move(argument));
        entry.working_directory = text(members, "cwd");
        entry.environment = pairs(members, "env");
        entry.headers = pairs(members, "headers");
        return entry;
    }

private:
    [[noreturn]] void fail(std::string const& why) const {
        usage_error(file_ + ": server '" + name_ + "' " + why);
    }

    std::string expand_member(Json const& json, std::string const& key) const {
        if (!json.is_string()) fail("has a \"" + key + "\" that is not a string");
        auto const written = std::string_view(json.get_string());
        return environment_ == nullptr ? std::string(written) : expand(written);
    }

    std::string text(JsonObject const& members, std::string const& key) const {
        auto const* json = members.if_contains(key);
        return json == nullptr ? std::string() : expand_member(*json, key);
    }

    std::vector<std::string> texts(JsonObject const& members, std::string const& key) const {
        std::vector<std::string> all;
        auto const* json = members.if_contains(key);
        if (json == nullptr) return all;
        if (!json->is_array()) fail("has \"" + key + "\" that are not an array");
        for (auto const& element : json->get_array()) all.push_back(expand_member(element, key));
        return all;
    }

    std::vector<std::pair<std::string, std::string>> pairs(JsonObject const& members,
                                                           std::string const& key) const {
        std::vector<std::pair<std::string, std::string>> all;
        auto const* json = members.if_contains(key);
        if (json == nullptr) return all;
        if (!json->is_object()) fail("has \"" + key + "\" that is not an object");
        for (auto const& pair : json->get_object()) {
            auto const name = key + "." + std::string(pair.key());
            all.emplace_back(pair.key(), expand_member(pair.value(), name));
        }
        return all;
    }

    std::string expand(std::string_view text) const {
        std::string out;
        while (true) {
            auto const begin = text.find("${");
            out += text.substr(0, begin);
            if (begin == std::string_view::npos) return out;
            auto const end = text.find('}', begin);
            if (end == std::string_view::npos) fail("has a \"${\" without \"}\"");
            out += variable(text.substr(begin + 2, end - begin - 2));
            text.remove_prefix(end + 1);
        }
    }

    std::string variable(std::string_view inside) const {
        if (inside.starts_with("env:")) inside.remove_prefix(4);
        auto const dash = inside.find(":-");
        std::string const name(inside.substr(0, dash));
        auto value = (*environment_)(name);
        if (value && (!value->empty() || dash == std::string_view::npos)) return *std::move(value);
        if (dash != std::string_view::npos) return std::string(inside.substr(dash + 2));
        fail("uses ${" + name + "}, which is not set");
    }

    std::string file_;
    std::string name_;
    Environment const* environment_;
};

std::optional<std::string> file_text(fs::path const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

[[noreturn]] void refuse_file(std::string const& file) {
    usage_error("the configuration file '" + file + "' cannot be read");
}

/// Returns the object that holds the entries; empty if the file has no entries.
JsonObject servers_of(std::string_view text, std::string const& file) {
    auto json = json::parse(text);
    if (!json) usage_error(file + " is not JSON: " + json.error().to_string());
    if (!json->is_object()) usage_error(file + " must hold a JSON object");
    for (auto const* key : {"mcpServers", "servers"}) {
        auto* const servers = json->get_object().if_contains(key);
        if (servers == nullptr) continue;
        if (!servers->is_object()) {
            usage_error(file + ": \"" + std::string(key) + "\" must be an object");
        }
        return std::move(servers->get_object());
    }
    return {};
}

}  // namespace

std::optional<std::string> process_environment(std::string const& name) {
    char const* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<fs::path> default_config_files(Environment const& environment) {
    std::vector<fs::path> files;
    if (auto const own = environment("LANYARD_CONFIG")) files.emplace_back(*own);
    for (auto const* name : {".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"}) {
        files.emplace_back(name);
    }
    auto const home = environment("HOME");
    if (auto const folder = environment("XDG_CONFIG_HOME")) {
        files.push_back(fs::path(*folder) / "lanyard/mcp.json");
    } else if (home) {
        files.push_back(fs::path(*home) / ".config/lanyard/mcp.json");
    }
    if (home) {
        files.push_back(fs::path(*home) / ".claude.json");
        files.push_back(fs::path(*home) / ".cursor/mcp.json");
    }
    return files;
}

std::vector<ServerEntry> list_servers(std::string const& file) {
    auto const text = file_text(file);
    if (!text) refuse_file(file);
    std::vector<ServerEntry> entries;
    for (auto const& server : servers_of(*text, file)) {
        EntryReader const reader(file, server.key(), nullptr);
        try {
            entries.push_back(reader.read(server.value()));
        } catch (Failure const& failure) {
            auto& entry = entries.emplace_back();
            entry.name = server.key();
            entry.problem = failure.what();
        }
    }
    return entries;
}

ServerEntry find_server(std::string const& name, std::optional<std::string> const& file,
                        Environment const& environment) {
    std::vector<fs::path> files;
    if (file) {
        files.emplace_back(*file);
    } else {
        files = default_config_files(environment);
    }
    std::vector<std::string> names;
    std::string searched;
    for (auto const& path : files) {
        auto const text = file_text(path);
        if (!text) {
            if (file) refuse_file(*file);
            continue;
        }
        auto const servers = servers_of(*text, path.string());
        if (auto const* entry = servers.if_contains(name)) {
            return EntryReader(path.string(), name, &environment).read(*entry);
        }
        for (auto const& server : servers) names.emplace_back(server.key());
        searched += (searched.empty() ? "" : ", ") + path.string();
    }
    if (searched.empty()) {
        usage_error("there is no server '" + name +
                    "': no configuration file was found; name one with --config, or put the "
                    "server's command after --");
    }
    usage_error("there is no server '" + name + "' in " + searched +
                suggestion(name, names, "put its command after -- to start it directly"));
}

}  // namespace lanyard::app
