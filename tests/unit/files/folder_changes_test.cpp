// When a change in a folder is reported, and as which kind of change.
#include "files/folder_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanyard::files {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr TimePoint start{};

class FolderChangesTest : public testing::Test {
protected:
    FolderReport settled() {
        auto report = changes.take(changes.due());
        return report ? *report : FolderReport{};
    }

    FolderChanges changes{milliseconds(20)};
};

TEST_F(FolderChangesTest, has_no_changes_at_first) {
    changes.begin({"a"});
    EXPECT_EQ(changes.due(), TimePoint::max());
    EXPECT_FALSE(changes.take(start));
}

TEST_F(FolderChangesTest, waits_until_a_file_has_settled) {
    changes.begin({"a"});
    changes.on_written("a", start);
    changes.on_written("a", start + milliseconds(15));
    EXPECT_EQ(changes.due(), start + milliseconds(20));
    EXPECT_FALSE(changes.take(start + milliseconds(19)));
    auto const report = changes.take(start + milliseconds(20));
    ASSERT_TRUE(report);
    EXPECT_THAT(report->changed, ElementsAre("a"));
    EXPECT_FALSE(report->listed);
    EXPECT_EQ(changes.due(), TimePoint::max());
}

TEST_F(FolderChangesTest, lists_new_and_vanished_names) {
    changes.begin({"a"});
    changes.on_appeared("b", start);
    auto report = settled();
    EXPECT_THAT(report.changed, ElementsAre("b"));
    EXPECT_TRUE(report.listed);
    changes.on_vanished("a", start);
    report = settled();
    EXPECT_THAT(report.changed, ElementsAre("a"));
    EXPECT_TRUE(report.listed);
}

TEST_F(FolderChangesTest, treats_a_rename_over_the_file_as_a_change) {
    changes.begin({"a"});
    changes.on_appeared(".a.swp", start);
    changes.on_written(".a.swp", start);
    changes.on_vanished(".a.swp", start);
    changes.on_appeared("a", start);
    auto const report = settled();
    EXPECT_THAT(report.changed, ElementsAre("a"));
    EXPECT_FALSE(report.listed);
}

TEST_F(FolderChangesTest, treats_deletion_and_creation_at_once_as_a_change) {
    changes.begin({"a"});
    changes.on_vanished("a", start);
    changes.on_appeared("a", start);
    auto const report = settled();
    EXPECT_THAT(report.changed, ElementsAre("a"));
    EXPECT_FALSE(report.listed);
}

TEST_F(FolderChangesTest, does_not_report_files_that_were_created_and_deleted) {
    changes.on_appeared("temporary", start);
    changes.on_vanished("temporary", start);
    EXPECT_NE(changes.due(), TimePoint::max());
    EXPECT_FALSE(changes.take(changes.due()));
}

TEST_F(FolderChangesTest, treats_every_file_as_changed_if_events_were_lost) {
    changes.begin({"a", "b"});
    changes.on_unknown({"b", "c"}, start);
    auto report = settled();
    EXPECT_THAT(report.changed, ElementsAre("a", "b", "c"));
    EXPECT_TRUE(report.listed);
    changes.on_unknown({"b", "c"}, start);
    report = settled();
    EXPECT_THAT(report.changed, ElementsAre("b", "c"));
    EXPECT_FALSE(report.listed);
}

}  // namespace
}  // namespace lanyard::files
