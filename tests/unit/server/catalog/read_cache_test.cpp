// The cache of resource reads: which results are stored, for how long, and which never are.
#include <gtest/gtest.h>

#include "lanyard/server/resource.hpp"
#include "server/catalog/read_cache.hpp"

namespace lanyard::server {
namespace {

using std::chrono::seconds;

constexpr TimePoint start{};

std::shared_ptr<ReadResourceResult const> result(std::string text) {
    auto made = std::make_shared<ReadResourceResult>();
    made->contents.push_back(lanyard::detail::text_contents(std::move(text)));
    return made;
}

TEST(ReadCache, returns_entries_until_they_expire) {
    ReadCache cache;
    auto const kept = result("a");
    cache.put("x:a", kept, start + seconds(5), cache.mark());
    EXPECT_EQ(cache.find("x:a", start + seconds(4)), kept);
    EXPECT_EQ(cache.find("x:b", start), nullptr);
    EXPECT_EQ(cache.find("x:a", start + seconds(5)), nullptr);
    EXPECT_EQ(cache.bytes(), 0U);
}

TEST(ReadCache, drops_entries_that_were_updated) {
    ReadCache cache;
    cache.put("x:a", result("a"), start + seconds(5), cache.mark());
    cache.put("x:b", result("b"), start + seconds(5), cache.mark());
    cache.drop("x:a");
    EXPECT_EQ(cache.find("x:a", start), nullptr);
    EXPECT_NE(cache.find("x:b", start), nullptr);
    cache.clear();
    EXPECT_EQ(cache.find("x:b", start), nullptr);
    EXPECT_EQ(cache.bytes(), 0U);
}

TEST(ReadCache, does_not_store_a_result_read_before_an_update) {
    ReadCache cache;
    auto const mark = cache.mark();
    cache.drop("x:a");
    cache.put("x:a", result("old"), start + seconds(5), mark);
    EXPECT_EQ(cache.find("x:a", start), nullptr);
}

TEST(ReadCache, replaces_existing_entries) {
    ReadCache cache;
    cache.put("x:a", result("old"), start + seconds(5), cache.mark());
    auto const bytes = cache.bytes();
    auto const fresh = result("new");
    cache.put("x:a", fresh, start + seconds(5), cache.mark());
    EXPECT_EQ(cache.find("x:a", start), fresh);
    EXPECT_EQ(cache.bytes(), bytes);
}

TEST(ReadCache, makes_room_by_dropping_the_least_recently_used) {
    ReadCache cache(4000);
    cache.put("x:a", result(std::string(1000, 'a')), start + seconds(5), cache.mark());
    cache.put("x:b", result(std::string(1000, 'b')), start + seconds(5), cache.mark());
    EXPECT_NE(cache.find("x:a", start), nullptr);
    cache.put("x:c", result(std::string(1500, 'c')), start + seconds(5), cache.mark());
    EXPECT_NE(cache.find("x:a", start), nullptr);
    EXPECT_EQ(cache.find("x:b", start), nullptr);
    EXPECT_NE(cache.find("x:c", start), nullptr);
    EXPECT_LE(cache.bytes(), 4000U);
}

TEST(ReadCache, does_not_store_an_entry_beyond_its_size) {
    ReadCache cache(2000);
    cache.put("x:a", result("a"), start + seconds(5), cache.mark());
    cache.put("x:b", result(std::string(3000, 'b')), start + seconds(5), cache.mark());
    EXPECT_NE(cache.find("x:a", start), nullptr);
    EXPECT_EQ(cache.find("x:b", start), nullptr);
}

TEST(ReadCache, counts_the_bytes_of_blobs) {
    ReadCache cache(2000);
    auto made = std::make_shared<ReadResourceResult>();
    made->contents.push_back(lanyard::detail::blob_contents(std::vector<std::byte>(3000)));
    cache.put("x:a", made, start + seconds(5), cache.mark());
    EXPECT_EQ(cache.find("x:a", start), nullptr);
}

}  // namespace
}  // namespace lanyard::server
