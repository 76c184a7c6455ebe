// Limits hold in every interval.
#include <algorithm>
#include <map>

#include "base/backoff.hpp"
#include "base/rate_limiter.hpp"
#include "base/restart_intensity.hpp"
#include "property.hpp"

namespace lanyard::rpc {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start(1h);

struct Grant {
    TimePoint at;
    double tokens;
};

// In every interval from one grant to another, the sum is at most rate * time + burst.
void assert_within(std::vector<Grant> const& grants, Rate rate) {
    for (std::size_t first = 0; first < grants.size(); ++first) {
        double sum = 0;
        for (std::size_t last = first; last < grants.size(); ++last) {
            sum += grants[last].tokens;
            auto const seconds =
                std::chrono::duration<double>(grants[last].at - grants[first].at).count();
            RC_ASSERT(sum <= rate.per_second * seconds + rate.burst + 1e-6);
        }
    }
}

TEST(LimitProperty, a_token_bucket_never_exceeds_rate_times_time_plus_burst) {
    test::check_property([] {
        Rate const rate{static_cast<double>(*rc::gen::inRange(1, 5'000)) / 7,
                        static_cast<std::uint32_t>(*rc::gen::inRange(1, 20))};
        TokenBucket bucket(rate);
        auto now = start;
        std::vector<Grant> grants;
        for (auto const& step : *test::scripts(1, 4, 50ms, 150)) {
            now += step.wait;
            auto const tokens = static_cast<std::uint32_t>(step.target);
            auto const wait = bucket.wait(now, tokens);
            bool const granted = bucket.take(now, tokens);
            RC_ASSERT(granted == (wait == Duration::zero()));
            if (granted) grants.push_back({now, static_cast<double>(tokens)});
        }
        assert_within(grants, rate);
    });
}

TEST(LimitProperty, the_wait_that_a_bucket_returns_is_exact) {
    test::check_property([] {
        TokenBucket bucket({13, 4});
        auto now = start;
        for (auto const& step : *test::scripts(1, 4, 50ms)) {
            now += step.wait;
            auto const tokens = static_cast<std::uint32_t>(step.target + 1);
            auto const wait = bucket.wait(now, tokens);
            if (wait > Duration::zero()) {
                auto early = bucket;
                RC_ASSERT(!early.take(now + wait - 1ns, tokens));
            }
            RC_ASSERT(bucket.take(now + wait, tokens));
            now += wait;
        }
    });
}

TEST(LimitProperty, eviction_never_gives_a_key_more_than_its_rate) {
    test::check_property([] {
        Rate const rate{20, 3};
        KeyedRateLimiter limiter({rate, 5, *rc::gen::arbitrary<std::uint64_t>()});
        auto now = start;
        std::map<int, std::vector<Grant>> grants;
        for (auto const& step : *test::scripts(1, 12, 60ms)) {
            now += step.wait;
            if (limiter.take("client " + std::to_string(step.target), now)) {
                grants[step.target].push_back({now, 1});
            }
            RC_ASSERT(limiter.keys() <= 5U);
        }
        for (auto const& [key, list] : grants) assert_within(list, rate);
    });
}

class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
    void fill(std::span<std::byte> bytes) override {
        for (auto& byte : bytes) {
            state_ += 0x9e3779b97f4a7c15ULL;
            byte = static_cast<std::byte>(mix(state_));
        }
    }

private:
    std::uint64_t state_;
};

TEST(LimitProperty, every_wait_of_a_backoff_is_within_its_jitter) {
    test::check_property([](std::uint64_t seed) {
        SeededRandom random(seed);
        Backoff backoff;
        double expected = 1;
        for (int i = 0; i < 20; ++i) {
            auto const wait = std::chrono::duration<double>(backoff.next(random).value()).count();
            RC_ASSERT(wait >= 0.8 * expected - 1e-9);
            RC_ASSERT(wait <= 1.2 * expected + 1e-9);
            expected = std::min(2 * expected, 30.0);
        }
    });
}

TEST(LimitProperty, restarts_stay_within_the_window) {
    test::check_property([] {
        RestartIntensity intensity;
        auto now = start;
        std::vector<TimePoint> allowed;
        for (auto const& step : *test::scripts(1, 1, 10s)) {
            now += step.wait;
            auto const recent =
                std::ranges::count_if(allowed, [now](TimePoint t) { return t > now - 30s; });
            RC_ASSERT(intensity.restart(now) == (recent < 5));
            if (recent < 5) allowed.push_back(now);
        }
    });
}

}  // namespace
}  // namespace lanyard::rpc
