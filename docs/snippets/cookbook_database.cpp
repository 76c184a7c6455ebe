// Tools on a database: docs/cookbook.md.
// [program]
#include <lanyard/lanyard.hpp>

#include <mutex>

#include "cookbook_database.hpp"

// Connections, each of which is used by one call at a time.
class Pool {
public:
    explicit Pool(std::string file) : file_(std::move(file)) {}

    std::vector<Row> query(std::string const& sql, std::vector<std::string> const& values,
                           lanyard::Context& context) {
        auto database = take();
        try {
            auto rows = database->query(sql, values, context.stop_token());
            std::lock_guard const lock(mutex_);
            idle_.push_back(std::move(database));
            return rows;
        } catch (std::runtime_error const& error) {
            throw lanyard::ToolError(error.what());  // the model reads why
        }
    }

private:
    std::unique_ptr<Database> take() {
        std::unique_lock lock(mutex_);
        if (idle_.empty()) {
            lock.unlock();
            return open_database(file_);
        }
        auto database = std::move(idle_.back());
        idle_.pop_back();
        return database;
    }

    std::string file_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Database>> idle_;
};

struct Note {
    std::string text;
};
LANYARD_STRUCT(Note, (text, "What to remember", min_length{1}, max_length{1'000}))

struct Search {
    std::string word;
    int limit = 20;
};
LANYARD_STRUCT(Search, (word, "Part of a note"), (limit, min{1}, max{100}, defaulted))

int main(int argc, char** argv) {
    Pool pool(argc > 1 ? argv[1] : "notes.db");
    lanyard::Server server{"notes", "1.0.0"};
    auto const options = lanyard::ToolOptions().blocking().timeout(std::chrono::seconds(10));
    server.tool("add_note", "Remember something", options,
                [&pool](Note in, lanyard::Context& context) {
                    pool.query("INSERT INTO notes (text) VALUES (?)", {in.text}, context);
                });
    server.tool("find_notes", "Find what was remembered", options,
                [&pool](Search in, lanyard::Context& context) {
                    return pool.query("SELECT text FROM notes WHERE instr(text, ?) > 0 LIMIT ?",
                                      {in.word, std::to_string(in.limit)}, context);
                });
    return server.run(lanyard::stdio());
}
// [/program]
