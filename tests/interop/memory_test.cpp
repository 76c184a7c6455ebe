// Our client against @modelcontextprotocol/server-memory: typed calls on a knowledge graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interop/peer_process.hpp"
#include "lanyard/reflect.hpp"

namespace lanyard::interop {

struct Entity {
    std::string name;
    std::string type;
    std::vector<std::string> observations;
};
LANYARD_STRUCT(Entity, name, (type, name{"entityType"}), observations)

struct Relation {
    std::string from;
    std::string to;
    std::string type;
};
LANYARD_STRUCT(Relation, from, to, (type, name{"relationType"}))

struct Entities {
    std::vector<Entity> entities;
};
LANYARD_STRUCT(Entities, entities)

struct Relations {
    std::vector<Relation> relations;
};
LANYARD_STRUCT(Relations, relations)

struct Graph {
    std::vector<Entity> entities;
    std::vector<Relation> relations;
};
LANYARD_STRUCT(Graph, entities, relations)

struct Search {
    std::string query;
};
LANYARD_STRUCT(Search, query)

struct Names {
    std::vector<std::string> names;
};
LANYARD_STRUCT(Names, names)

struct EntityNames {
    std::vector<std::string> names;
};
LANYARD_STRUCT(EntityNames, (names, name{"entityNames"}))

struct Observation {
    std::string entity;
    std::vector<std::string> contents;
};
LANYARD_STRUCT(Observation, (entity, name{"entityName"}), contents)

struct Observations {
    std::vector<Observation> observations;
};
LANYARD_STRUCT(Observations, observations)

struct Deletion {
    std::string entity;
    std::vector<std::string> observations;
};
LANYARD_STRUCT(Deletion, (entity, name{"entityName"}), observations)

struct Deletions {
    std::vector<Deletion> deletions;
};
LANYARD_STRUCT(Deletions, deletions)

namespace {

using testing::ElementsAre;
using testing::SizeIs;

class Memory : public testing::Test {
protected:
    Memory() { std::filesystem::remove(file_); }
    ~Memory() override { std::filesystem::remove(file_); }

    blocking::Client connect() {
        auto options = npm_server("server-memory/dist/index.js");
        options.variable("MEMORY_FILE_PATH", file_.string());
        return blocking::connect(child_process(options));
    }

    std::filesystem::path file_ =
        std::filesystem::path(testing::TempDir()) / "lanyard-interop-memory.jsonl";
};

TEST_F(Memory, keeps_a_graph) {
    auto const client = connect();
    client.list_tools();  // so that results are checked against the schemas
    Entities const people{{{"Ada", "person", {"mathematician"}}, {"Charles", "person", {}}}};
    EXPECT_THAT(client.call<Entities>("create_entities", people).entities, SizeIs(2));
    Relations const knows{{{"Ada", "Charles", "knows"}}};
    EXPECT_THAT(client.call<Relations>("create_relations", knows).relations, SizeIs(1));
    Observations const more{{{"Charles", {"built an engine"}}}};
    client.call<void>("add_observations", more);

    Search const engine{"engine"};
    auto const found = client.call<Graph>("search_nodes", engine);
    ASSERT_THAT(found.entities, SizeIs(1));
    EXPECT_EQ(found.entities[0].name, "Charles");
    Names const ada{{"Ada"}};
    auto const opened = client.call<Graph>("open_nodes", ada);
    ASSERT_THAT(opened.entities, SizeIs(1));
    EXPECT_THAT(opened.entities[0].observations, ElementsAre("mathematician"));

    Deletions const forget{{{"Ada", {"mathematician"}}}};
    client.call<void>("delete_observations", forget);
    client.call<void>("delete_relations", knows);
    EntityNames const charles{{"Charles"}};
    client.call<void>("delete_entities", charles);
    auto const left = client.call<Graph>("read_graph");
    ASSERT_THAT(left.entities, SizeIs(1));
    EXPECT_THAT(left.entities[0].observations, SizeIs(0));
    EXPECT_THAT(left.relations, SizeIs(0));
}

TEST_F(Memory, keeps_its_graph_across_connections) {
    {
        auto const client = connect();
        Entities const people{{{"Ada", "person", {}}}};
        client.call<void>("create_entities", people);
        client.stop();
    }
    auto const client = connect();
    EXPECT_THAT(client.call<Graph>("read_graph").entities, SizeIs(1));
}

TEST_F(Memory, reports_errors) {
    auto const client = connect();
    Observations const nobody{{{"Nobody", {"x"}}}};
    try {
        client.call<void>("add_observations", nobody);
        FAIL() << "there is no such entity";
    } catch (ToolError const& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("Nobody"));
    }
}

}  // namespace
}  // namespace lanyard::interop
