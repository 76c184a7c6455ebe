#include "peer/negotiation.hpp"

#include <gtest/gtest.h>

namespace lanyard::rpc {
namespace {

using enum Version;

VersionSet versions(std::vector<Version> const& list) {
    return VersionSet(list);
}
VersionSet const legacy_only = versions({v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25});
VersionSet const modern_only = versions({v2026_07_28});

// A client that asks for a later version than the server has is downgraded. Other texts cannot be
// compared.
TEST(Negotiation, only_dates_count_as_later_versions) {
    VersionSet const server = versions({v2025_11_25});
    for (auto const* later : {"2025-11-26", "2028-02-29", "9999-12-31"}) {
        EXPECT_EQ(answer_initialize(server, later).value(), (Negotiated{v2025_11_25, true, true}))
            << later;
    }
    for (auto const* other :
         {"", "2026-11-2", "2026-11-255", "2026/11/25", "2026-1a-25", "x026-11-25", "2026-00-25",
          "2026-13-25", "2026-11-00", "2026-11-31", "2026-02-30", "DRAFT-2026", "2026-11-2\x80"}) {
        EXPECT_EQ(answer_initialize(server, other).value(), (Negotiated{v2025_11_25, true, false}))
            << other;
    }
}

TEST(Rule, L09_a_client_proposes_its_newest_legacy_version_or_the_preferred_one) {
    EXPECT_EQ(version_to_propose({}), v2025_11_25);
    EXPECT_EQ(version_to_propose({VersionSet::all(), v2025_03_26}), v2025_03_26);
    EXPECT_EQ(version_to_propose({VersionSet::all(), v2026_07_28}), v2025_11_25);
    EXPECT_EQ(version_to_propose({modern_only, {}}), std::nullopt);
}

TEST(Rule, L10_a_supported_version_is_echoed) {
    for (auto version : legacy_only.list()) {
        EXPECT_EQ(answer_initialize(VersionSet::all(), to_string(version)).value(),
                  (Negotiated{version, false, false}));
    }
}

TEST(Rule, L11_an_unsupported_version_is_answered_with_a_supported_one) {
    auto const old_server = versions({v2024_11_05, v2025_03_26});
    EXPECT_EQ(answer_initialize(old_server, "2025-11-25").value(),
              (Negotiated{v2025_03_26, true, true}));
    EXPECT_EQ(answer_initialize(versions({v2025_11_25}), "2024-11-05").value(),
              (Negotiated{v2025_11_25, true, false}));
}

TEST(Rule, L12_the_counter_offer_is_the_newest_legacy_version) {
    for (auto const* requested : {"2026-07-28", "2099-01-01"}) {
        EXPECT_EQ(answer_initialize(VersionSet::all(), requested).value(),
                  (Negotiated{v2025_11_25, true, true}))
            << requested;
    }
    for (auto const* requested : {"1.0", "", "2024-01-01"}) {
        EXPECT_EQ(answer_initialize(VersionSet::all(), requested).value(),
                  (Negotiated{v2025_11_25, true, false}))
            << requested;
    }
}

TEST(Negotiation, a_modern_only_server_names_its_versions_in_the_error_to_initialize) {
    auto const refused = answer_initialize(modern_only, "2025-11-25");
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::version_mismatch));
    EXPECT_EQ(refused.error().data(), R"({"supported":["2026-07-28"],"requested":"2025-11-25"})");
}

TEST(Rule, L13_a_client_accepts_only_supported_versions) {
    auto const offered = versions({v2025_06_18, v2025_11_25, v2026_07_28});
    EXPECT_EQ(accept_initialize(offered, v2025_11_25, "2025-11-25").value(),
              (Negotiated{v2025_11_25, false, false}));
    EXPECT_EQ(accept_initialize(offered, v2025_11_25, "2025-06-18").value(),
              (Negotiated{v2025_06_18, true, true}));
    EXPECT_EQ(accept_initialize(offered, v2025_06_18, "2025-11-25").value(),
              (Negotiated{v2025_11_25, true, false}));
    for (auto const* bad : {"2024-11-05", "2025-06-19", "", "2026-07-28"}) {
        auto const refused = accept_initialize(offered, v2025_11_25, bad);
        ASSERT_FALSE(refused) << bad;
        EXPECT_TRUE(refused.error().is(Errc::version_mismatch));
    }
}

TEST(Negotiation, a_modern_request_names_a_version_the_server_serves) {
    EXPECT_EQ(check_requested_version(VersionSet::all(), "2026-07-28").value(), v2026_07_28);
    auto const refused = check_requested_version(VersionSet::all(), "v999\"");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().data(), R"({"supported":["2026-07-28"],"requested":"v999\""})");
    EXPECT_FALSE(check_requested_version(VersionSet::all(), "2025-11-25"));
    EXPECT_FALSE(check_requested_version(legacy_only, "2026-07-28"));
}

TEST(Negotiation, a_client_chooses_the_newest_version_in_common) {
    std::vector<std::string> const dual{"2025-11-25", "2026-07-28", "2030-01-01", "junk"};
    EXPECT_EQ(choose_version(VersionSet::all(), dual).value(), v2026_07_28);
    EXPECT_EQ(choose_version(legacy_only, dual).value(), v2025_11_25);
    auto const refused = choose_version(versions({v2024_11_05}), dual);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::version_mismatch));
    EXPECT_EQ(refused.error().message(),
              "no version in common with the server, which supports 2025-11-25, 2026-07-28, "
              "2030-01-01, junk");
    EXPECT_EQ(choose_version(VersionSet(), {}).error().message(),
              "no version in common with the server, which supports none");
}

TEST(Negotiation, known_servers_compare_by_all_members) {
    Negotiated const echo{v2025_11_25, false, false};
    EXPECT_NE(echo, (Negotiated{v2025_06_18, false, false}));
    EXPECT_NE(echo, (Negotiated{v2025_11_25, true, false}));
    EXPECT_NE(echo, (Negotiated{v2025_11_25, false, true}));
    EXPECT_NE(legacy_only, modern_only);
}

TEST(Negotiation, a_probe_on_a_duplex_carrier_falls_back_on_anything_but_a_modern_answer) {
    using Kind = ProbeReply::Kind;
    EXPECT_EQ(judge_duplex_probe({Kind::discovered}), ProbeResult::modern);
    EXPECT_EQ(judge_duplex_probe({Kind::error, -32022}), ProbeResult::modern_other_version);
    for (std::int64_t code : {-32601, -32000, -32602, -32020, 0}) {
        EXPECT_EQ(judge_duplex_probe({Kind::error, code}), ProbeResult::legacy) << code;
    }
    EXPECT_EQ(judge_duplex_probe({Kind::silence}), ProbeResult::legacy);
}

TEST(Negotiation, a_probe_over_http_is_decided_by_status_and_code) {
    using Kind = ProbeReply::Kind;
    EXPECT_EQ(judge_http_probe({Kind::discovered, 0, 200}), ProbeResult::modern);
    EXPECT_EQ(judge_http_probe({Kind::error, -32022, 400}), ProbeResult::modern_other_version);
    EXPECT_EQ(judge_http_probe({Kind::error, -32020, 400}), ProbeResult::modern);
    EXPECT_EQ(judge_http_probe({Kind::error, -32021, 400}), ProbeResult::modern);
    EXPECT_EQ(judge_http_probe({Kind::error, -32601, 404}), ProbeResult::legacy);
    EXPECT_EQ(judge_http_probe({Kind::error, -32000, 400}), ProbeResult::legacy);
    EXPECT_EQ(judge_http_probe({Kind::error, -32601, 200}), ProbeResult::legacy);
    EXPECT_EQ(judge_http_probe({Kind::refused, 0, 405}), ProbeResult::legacy);
    EXPECT_EQ(judge_http_probe({Kind::refused, 0, 401}), ProbeResult::authorize);
    EXPECT_EQ(judge_http_probe({Kind::error, -32000, 403}), ProbeResult::authorize);
    EXPECT_EQ(judge_http_probe({Kind::refused, 0, 502}), ProbeResult::failed);
    EXPECT_EQ(judge_http_probe({Kind::silence}), ProbeResult::failed);
}

TEST(EraPin, the_first_request_decides_the_era) {
    EraPin legacy(VersionSet::all());
    EXPECT_EQ(legacy.era(), std::nullopt);
    EXPECT_EQ(legacy.decide("initialize", false).value(), Era::legacy);
    EXPECT_EQ(legacy.decide("tools/list", false).value(), Era::legacy);
    EXPECT_TRUE(legacy.decide("tools/list", true).error().is(Errc::protocol_violation));

    EraPin modern(VersionSet::all());
    EXPECT_EQ(modern.decide("tools/list", true).value(), Era::modern);
    EXPECT_EQ(modern.decide("tools/list", false).value(), Era::modern);
    auto const refused = modern.decide("initialize", false);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::version_mismatch));
    EXPECT_NE(refused.error().data().find("2026-07-28"), std::string::npos);
    EXPECT_EQ(modern.decide("initialize", true).value(), Era::modern) << "an unknown method there";
}

TEST(EraPin, discovery_does_not_decide) {
    EraPin pin(VersionSet::all());
    EXPECT_EQ(pin.decide("server/discover", true).value(), Era::modern);
    EXPECT_EQ(pin.era(), std::nullopt);
    EXPECT_EQ(pin.decide("initialize", false).value(), Era::legacy);
    EXPECT_EQ(pin.decide("server/discover", true).value(), Era::modern);
    EXPECT_EQ(pin.decide("server/discover", false).value(), Era::legacy);
}

TEST(EraPin, a_server_of_one_era_has_no_choice) {
    EraPin legacy(legacy_only);
    EXPECT_EQ(legacy.decide("server/discover", true).value(), Era::legacy);
    EXPECT_EQ(legacy.decide("tools/list", true).value(), Era::legacy);
    EraPin modern(modern_only);
    EXPECT_EQ(modern.decide("tools/list", false).value(), Era::modern);
    EXPECT_FALSE(modern.decide("initialize", false));
}

}  // namespace
}  // namespace lanyard::rpc
