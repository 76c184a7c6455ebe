// The database of the recipe with SQLite: docs/cookbook.md. Compiled if SQLite is installed.
// [sqlite]
#include <sqlite3.h>

#include <stdexcept>

#include "cookbook_database.hpp"

class Sqlite : public Database {
public:
    explicit Sqlite(std::string const& file) {
        sqlite3* opened = nullptr;
        int const code = sqlite3_open(file.c_str(), &opened);
        handle_.reset(opened);
        check(code);
        sqlite3_busy_timeout(opened, 5'000);  // while another connection writes
        query("CREATE TABLE IF NOT EXISTS notes (text TEXT NOT NULL)", {}, {});
    }

    std::vector<Row> query(std::string const& sql, std::vector<std::string> const& values,
                           std::stop_token stop) override {
        // The only function of SQLite here that another thread calls.
        std::stop_callback const interrupt(stop, [this] { sqlite3_interrupt(handle_.get()); });
        sqlite3_stmt* made = nullptr;
        check(sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &made, nullptr));
        std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> const statement(made,
                                                                              sqlite3_finalize);
        int place = 0;
        for (auto const& value : values) {
            check(sqlite3_bind_text(made, ++place, value.data(), static_cast<int>(value.size()),
                                    SQLITE_TRANSIENT));
        }
        std::vector<Row> rows;
        int step = 0;
        while ((step = sqlite3_step(made)) == SQLITE_ROW) {
            auto& row = rows.emplace_back();
            for (int column = 0; column < sqlite3_column_count(made); ++column) {
                auto const* text = reinterpret_cast<char const*>(sqlite3_column_text(made, column));
                row[sqlite3_column_name(made, column)] = text == nullptr ? "" : text;
            }
        }
        check(step == SQLITE_DONE ? SQLITE_OK : step);
        return rows;
    }

private:
    void check(int code) const {
        if (code != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(handle_.get()));
    }
    std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_{nullptr, sqlite3_close};
};

std::unique_ptr<Database> open_database(std::string const& file) {
    return std::make_unique<Sqlite>(file);
}
// [/sqlite]
