// What the recipe for databases needs from a database: docs/cookbook.md.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

// [interface]
using Row = std::map<std::string, std::string>;  // column to value

// One connection to a database. Used by one thread at a time.
class Database {
public:
    virtual ~Database() = default;
    // Runs a statement, with values for its `?`. Throws std::runtime_error if it fails, also if a
    // stop was requested.
    virtual std::vector<Row> query(std::string const& sql, std::vector<std::string> const& values,
                                   std::stop_token stop) = 0;
};

std::unique_ptr<Database> open_database(std::string const& file);
// [/interface]
