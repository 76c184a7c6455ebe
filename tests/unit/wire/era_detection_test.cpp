// Era detection: the decision table, row by row.
#include "wire/era_detection.hpp"

#include <gtest/gtest.h>

namespace lanyard::wire {
namespace {

using rpc::MessageKind;

constexpr auto modern_header = "2026-07-28";
constexpr auto legacy_header = "2025-11-25";

TEST(EraHttp, a_claim_makes_a_request_modern) {
    EXPECT_EQ(detect_http({.kind = MessageKind::request, .method = "tools/list", .claim = true}),
              EraDetection::modern);
    EXPECT_EQ(detect_http({.kind = MessageKind::request, .method = "initialize", .claim = true}),
              EraDetection::modern);
    EXPECT_EQ(detect_http({.kind = MessageKind::request,
                           .method = "tools/list",
                           .claim = true,
                           .header = legacy_header}),
              EraDetection::modern);
}

TEST(EraHttp, a_modern_header_without_claim_is_malformed) {
    EXPECT_EQ(detect_http(
                  {.kind = MessageKind::request, .method = "tools/list", .header = modern_header}),
              EraDetection::missing_metadata);
}

TEST(EraHttp, claimless_requests_are_legacy) {
    EXPECT_EQ(detect_http({.kind = MessageKind::request, .method = "initialize"}),
              EraDetection::legacy);
    EXPECT_EQ(detect_http(
                  {.kind = MessageKind::request, .method = "initialize", .header = legacy_header}),
              EraDetection::legacy);
    EXPECT_EQ(detect_http({.kind = MessageKind::request, .method = "tools/list", .header = "v9"}),
              EraDetection::legacy);
}

TEST(EraHttp, notifications_follow_claim_or_header) {
    EXPECT_EQ(detect_http({.kind = MessageKind::notification, .claim = true}),
              EraDetection::modern);
    EXPECT_EQ(detect_http({.kind = MessageKind::notification, .header = modern_header}),
              EraDetection::modern);
    EXPECT_EQ(detect_http({.kind = MessageKind::notification, .header = legacy_header}),
              EraDetection::legacy);
    EXPECT_EQ(detect_http({.kind = MessageKind::notification}), EraDetection::legacy);
}

TEST(EraHttp, responses_are_legacy) {
    EXPECT_EQ(detect_http({.kind = MessageKind::result, .header = modern_header}),
              EraDetection::legacy);
    EXPECT_EQ(detect_http({.kind = MessageKind::error}), EraDetection::legacy);
}

TEST(EraHttp, batches_contain_no_modern_message) {
    EXPECT_EQ(detect_http({.kind = MessageKind::batch}), EraDetection::legacy);
    EXPECT_EQ(detect_http({.kind = MessageKind::batch, .claim = true}),
              EraDetection::batched_modern);
}

TEST(EraConnection, the_first_message_decides_the_era) {
    ConnectionEra legacy;
    EXPECT_FALSE(legacy.pinned());
    EXPECT_EQ(legacy.observe({.kind = MessageKind::request, .method = "initialize"}),
              EraDetection::legacy);
    EXPECT_EQ(legacy.pinned(), Era::legacy);
    EXPECT_EQ(legacy.observe({.kind = MessageKind::request, .method = "x", .claim = true}),
              EraDetection::legacy);

    ConnectionEra claimless;
    EXPECT_EQ(claimless.observe({.kind = MessageKind::request, .method = "tools/list"}),
              EraDetection::legacy);
    EXPECT_EQ(claimless.pinned(), Era::legacy);

    ConnectionEra modern;
    EXPECT_EQ(modern.observe({.kind = MessageKind::request, .method = "x", .claim = true}),
              EraDetection::modern);
    EXPECT_EQ(modern.pinned(), Era::modern);
    EXPECT_EQ(modern.observe({.kind = MessageKind::request, .method = "y", .claim = true}),
              EraDetection::modern);
}

TEST(EraConnection, discover_does_not_decide_the_era) {
    ConnectionEra connection;
    Opening const probe{.kind = MessageKind::request, .method = "server/discover", .claim = true};
    EXPECT_EQ(connection.observe(probe), EraDetection::modern);
    EXPECT_FALSE(connection.pinned());
    EXPECT_EQ(connection.observe({.kind = MessageKind::request, .method = "initialize"}),
              EraDetection::legacy);
    EXPECT_EQ(connection.pinned(), Era::legacy);
}

TEST(EraConnection, notifications_do_not_decide_the_era) {
    ConnectionEra connection;
    EXPECT_EQ(connection.observe({.kind = MessageKind::notification}), EraDetection::legacy);
    EXPECT_FALSE(connection.pinned());
}

TEST(EraConnection, a_modern_connection_refuses_the_handshake) {
    ConnectionEra connection;
    connection.observe({.kind = MessageKind::request, .method = "x", .claim = true});
    EXPECT_EQ(connection.observe({.kind = MessageKind::request, .method = "initialize"}),
              EraDetection::refused_legacy);
    EXPECT_EQ(connection.observe({.kind = MessageKind::request, .method = "tools/list"}),
              EraDetection::missing_metadata);
    EXPECT_EQ(connection.observe({.kind = MessageKind::batch}), EraDetection::batched_modern);
    EXPECT_EQ(connection.pinned(), Era::modern);
}

TEST(EraConnection, only_requests_need_a_claim) {
    ConnectionEra connection;
    connection.observe({.kind = MessageKind::request, .method = "x", .claim = true});
    EXPECT_EQ(connection.observe({.kind = MessageKind::notification}), EraDetection::modern);
    EXPECT_EQ(connection.observe({.kind = MessageKind::result}), EraDetection::modern);
}

}  // namespace
}  // namespace lanyard::wire
