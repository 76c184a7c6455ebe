// Era detection: the decision table, row by row.
#include "wire/era_detection.hpp"

#include <gtest/gtest.h>

namespace lanyard::wire {
namespace {

using rpc::MessageKind;

constexpr auto modern_header = "2026-07-28";
constexpr auto legacy_header = "2025-11-25";

TEST(EraHttp, a_claim_makes_a_request_modern) {
    EXPECT_EQ(detect_http({.kind = MessageKind::request, .claim = true}), EraDetection::modern);
    EXPECT_EQ(detect_http({.kind = MessageKind::request, .claim = true, .header = legacy_header}),
              EraDetection::modern);
}

TEST(EraHttp, a_modern_header_without_claim_is_malformed) {
    EXPECT_EQ(detect_http({.kind = MessageKind::request, .header = modern_header}),
              EraDetection::missing_metadata);
}

TEST(EraHttp, claimless_requests_are_legacy) {
    EXPECT_EQ(detect_http({.kind = MessageKind::request}), EraDetection::legacy);
    EXPECT_EQ(detect_http({.kind = MessageKind::request, .header = legacy_header}),
              EraDetection::legacy);
    EXPECT_EQ(detect_http({.kind = MessageKind::request, .header = "v9"}), EraDetection::legacy);
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

}  // namespace
}  // namespace lanyard::wire
