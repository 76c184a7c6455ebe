// In any order of events, a request ends exactly once and leaves no state.
#include <map>
#include <set>

#include "peer/correlator.hpp"
#include "property.hpp"

namespace lanyard::rpc {
namespace {

using namespace std::chrono_literals;
using test::Step;

constexpr int concurrent = 50;
constexpr TimePoint start(1h);

// A correlator, and a simple record of what happened to each request. The continuation is the
// request's number in the order of creation.
class Trial {
public:
    void begin(Duration timeout, bool progress) {
        auto const number = static_cast<int>(outcomes_.size());
        auto const begun = requests.begin("tools/call", int{number}, now,
                                          {.timeout = timeout, .progress = progress});
        RC_ASSERT(begun.has_value());
        ids.push_back(begun->id);
        outcomes_.push_back({});
    }

    void ended(Correlator<int>::Ended const& ended) {
        auto const number = static_cast<std::size_t>(ended.continuation);
        RC_ASSERT(ids[number] == ended.id);
        outcomes_[number].push_back(ended.outcome);
    }

    void expire() {
        while (auto const e = requests.expire(now)) ended(*e);
    }

    bool is_pending(std::size_t number) const { return outcomes_[number].empty(); }
    std::vector<std::vector<Outcome>> const& outcomes() const { return outcomes_; }

    // Performs a step; a cancellation is repeated `cancellations` times.
    void play(Step const& step, int cancellations = 1) {
        now += step.wait;
        auto const target = static_cast<std::size_t>(step.target) % ids.size();
        auto const id = ids[target];
        switch (step.action) {
            case 0:
                begin(1s * (step.target % 7 + 1), step.target % 2 == 0);
                break;
            case 1:
                answer(id, is_pending(target));
                break;
            case 2:
                for (int i = 0; i < cancellations; ++i) {
                    auto const e = requests.end(id, Outcome::cancelled, now);
                    RC_ASSERT(e.has_value() == is_pending(target));
                    if (e) ended(*e);
                }
                break;
            case 3:
                expire();
                break;
            case 4:
                answer(id + 1'000'000, false);
                break;
            case 5: {
                auto const p = requests.progress(id, static_cast<double>(step.target), now);
                RC_ASSERT(p.result != ProgressMatch::accepted || is_pending(target));
                break;
            }
            case 6:
                RC_ASSERT(requests.answer(std::to_string(id), Outcome::answered, now).result ==
                          AnswerMatch::unknown);
                break;
            default:
                // Rarely, because it ends all requests.
                if (step.target % 10 == 0) {
                    for (auto const& e : requests.end_all(Outcome::connection_lost, now)) ended(e);
                    requests.reconnected();
                }
        }
    }

    Correlator<int> requests;
    TimePoint now = start;
    std::vector<std::int64_t> ids;

private:
    void answer(std::int64_t id, bool expected) {
        auto const a = requests.answer(id, Outcome::answered, now);
        RC_ASSERT((a.result == AnswerMatch::matched) == expected);
        if (expected) ended(a.ended);
    }

    std::vector<std::vector<Outcome>> outcomes_;
};

constexpr int actions = 8;

TEST(CorrelatorProperty, each_request_gets_exactly_one_outcome_under_any_reordering) {
    test::check_property([] {
        auto const script = *test::scripts(actions, 200, 400ms);
        Trial run;
        for (int i = 0; i < concurrent; ++i) run.begin(1s * (i % 9 + 1), i % 3 == 0);
        for (auto const& step : script) run.play(step);
        run.now += 10min;
        run.expire();
        for (auto const& outcomes : run.outcomes()) RC_ASSERT(outcomes.size() == 1U);
        std::uint64_t total = 0;
        for (auto count : run.requests.counters().ended) total += count;
        RC_ASSERT(total == run.requests.counters().begun);
    });
}

TEST(CorrelatorProperty, answers_in_any_order_with_duplicates_match_once_each) {
    test::check_property([] {
        Trial run;
        for (int i = 0; i < concurrent; ++i) run.begin(30s, false);
        auto const order =
            *rc::gen::container<std::vector<int>>(3 * concurrent, rc::gen::inRange(0, concurrent));
        std::set<int> answered;
        for (int number : order) {
            auto const a = run.requests.answer(run.ids[static_cast<std::size_t>(number)],
                                               Outcome::answered, run.now);
            bool const first = answered.insert(number).second;
            RC_ASSERT((a.result == AnswerMatch::matched) == first);
            if (first) RC_ASSERT(a.ended.continuation == number);
        }
        RC_ASSERT(run.requests.pending_count() == concurrent - answered.size());
    });
}

TEST(CorrelatorProperty, nothing_is_left_after_timeouts_and_answers) {
    test::check_property([] {
        auto const script = *test::scripts(actions, 200, 400ms);
        Trial run;
        for (int i = 0; i < concurrent; ++i) run.begin(5s, false);
        for (auto const& step : script) run.play(step);
        // Acts as the owner's timer: called at each deadline of the correlator until there is none.
        int calls = 0;
        while (run.requests.next_deadline() != never) {
            run.now = std::max(run.now, run.requests.next_deadline());
            run.expire();
            RC_ASSERT(++calls < 10'000);
        }
        RC_ASSERT(run.requests.pending_count() == 0U);
        RC_ASSERT(run.requests.pending().empty());
        RC_ASSERT(run.requests.tombstones().size() == 0U);
        for (auto const& outcomes : run.outcomes()) RC_ASSERT(outcomes.size() == 1U);
    });
}

TEST(CorrelatorProperty, cancelling_n_times_equals_cancelling_once) {
    test::check_property([] {
        auto const script = *test::scripts(actions, 200, 400ms);
        auto const n = *rc::gen::inRange(2, 6);
        Trial once;
        Trial often;
        for (int i = 0; i < concurrent; ++i) {
            once.begin(5s, true);
            often.begin(5s, true);
        }
        for (auto const& step : script) {
            once.play(step);
            often.play(step, n);
        }
        RC_ASSERT(once.outcomes() == often.outcomes());
        RC_ASSERT(once.requests.counters().ended == often.requests.counters().ended);
        RC_ASSERT(once.requests.tombstones().size() == often.requests.tombstones().size());
        RC_ASSERT(once.requests.next_deadline() == often.requests.next_deadline());
    });
}

TEST(CorrelatorProperty, no_request_outlives_its_absolute_maximum) {
    test::check_property([] {
        auto const script = *test::scripts(1, 100, 2s);
        Correlator<int> requests;
        auto now = start;
        auto const id =
            requests.begin("x", 0, now, {.timeout = 3s, .max_total = 20s, .progress = true})
                .value()
                .id;
        double value = 0;
        TimePoint last_sign = now;
        for (auto const& step : script) {
            now += step.wait;
            auto const ended = requests.expire(now);
            bool const late = now >= last_sign + 3s || now >= start + 20s;
            RC_ASSERT(ended.has_value() == late);
            if (late) return;
            RC_ASSERT(requests.progress(id, ++value, now).result == ProgressMatch::accepted);
            last_sign = now;
        }
    });
}

TEST(CorrelatorProperty, deadlines_expire_in_order_after_any_moves_and_removals) {
    test::check_property([] {
        auto const script = *test::scripts(4, 60, 1s);
        DeadlineHeap heap;
        std::map<std::uint32_t, TimePoint> model;
        for (auto const& step : script) {
            auto const slot = static_cast<std::uint32_t>(step.target);
            auto const when = start + step.wait;
            if (step.action == 0) {
                heap.remove(slot);
                model.erase(slot);
            } else if (model.contains(slot)) {
                heap.move(slot, when);
                model[slot] = when;
            } else {
                heap.add(slot, when);
                model[slot] = when;
            }
            auto earliest = never;
            for (auto const& [s, t] : model) earliest = std::min(earliest, t);
            RC_ASSERT(heap.next() == earliest);
            RC_ASSERT(heap.empty() == model.empty());
            if (!heap.empty()) RC_ASSERT(model.at(heap.top()) == earliest);
        }
    });
}

}  // namespace
}  // namespace lanyard::rpc
