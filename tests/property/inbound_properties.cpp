// Requests of the peer: each gets one answer or none, and progress follows the rules.
#include <map>
#include <set>

#include "peer/inbound_requests.hpp"
#include "property.hpp"

namespace lanyard::rpc {
namespace {

using namespace std::chrono_literals;
using Requests = InboundRequests<int>;

constexpr TimePoint start(1h);

RequestId id_of(int target) {
    // Numbers and strings with the same digits are different ids.
    if (target % 2 == 0) return target / 2;
    return std::to_string(target / 2);
}

struct Handler {
    Requests::Ticket ticket;
    int target;
    bool cancelled = false;
    bool done = false;
};

// A request that arrives alone begins without its id, and gets the id later or never.
Result<Requests::Ticket> begin(Requests& requests, int target, bool alone) {
    if (!alone || !requests.may_begin_unnamed()) {
        return requests.begin(id_of(target), "tools/call", {}, target);
    }
    auto const ended = requests.begin_unnamed("tools/call", target);
    RC_ASSERT(requests.active(ended));
    RC_ASSERT(requests.finish_unnamed(ended));
    auto const ticket = requests.begin_unnamed("tools/call", target);
    requests.name(ended, id_of(target + 1), {});
    requests.name(ticket, id_of(target), {});
    RC_ASSERT(!requests.finish_unnamed(ticket));
    return ticket;
}

// Plays a script against a model; returns for each handler whether it had to answer.
std::vector<bool> play(std::vector<test::Step> const& script, int cancellations) {
    Requests requests;
    std::vector<Handler> handlers;
    std::map<int, std::size_t> running;  // by target, the handler that uses the id
    std::vector<bool> answered;
    for (auto const& step : script) {
        auto const id = id_of(step.target);
        if (step.action <= 1) {
            auto const ticket = begin(requests, step.target, step.action == 1);
            RC_ASSERT(ticket.has_value() == !running.contains(step.target));
            if (!ticket) continue;
            running[step.target] = handlers.size();
            handlers.push_back({*ticket, step.target});
            answered.push_back(false);
        } else if (step.action == 2) {
            for (int i = 0; i < cancellations; ++i) {
                auto* work = requests.cancel(id);
                auto const found = running.find(step.target);
                RC_ASSERT((work != nullptr) == (found != running.end()));
                if (work == nullptr) continue;
                RC_ASSERT(*work == step.target);
                handlers[found->second].cancelled = true;
                running.erase(found);
            }
        } else if (!handlers.empty()) {
            auto const number = static_cast<std::size_t>(step.target) % handlers.size();
            auto& handler = handlers[number];
            auto const finish = requests.finish(handler.ticket);
            RC_ASSERT(finish.answer == (!handler.cancelled && !handler.done));
            if (finish.answer) {
                RC_ASSERT(!answered[number]);
                RC_ASSERT(finish.id == id_of(handler.target));
                answered[number] = true;
                running.erase(handler.target);
            }
            handler.done = true;
        }
    }
    requests.cancel_all();
    for (auto const& handler : handlers) RC_ASSERT(!requests.finish(handler.ticket).answer);
    RC_ASSERT(requests.in_flight() == 0U);
    return answered;
}

TEST(InboundProperty, each_request_gets_one_answer_or_silence) {
    test::check_property([] { play(*test::scripts(5, 60, 0s), 1); });
}

TEST(InboundProperty, being_cancelled_n_times_equals_being_cancelled_once) {
    test::check_property([] {
        auto const script = *test::scripts(5, 60, 0s);
        RC_ASSERT(play(script, 1) == play(script, *rc::gen::inRange(2, 6)));
    });
}

TEST(InboundProperty, progress_increases_keeps_the_rate_and_ends_with_the_last_value) {
    test::check_property([] {
        auto const script = *test::scripts(3, 100, 80ms);
        Rate const rate{10, 3};
        ProgressSender sender(ProgressToken(0), rate);
        auto now = start;
        std::optional<double> last_reported;
        std::vector<std::pair<TimePoint, double>> sent;
        for (auto const& step : script) {
            now += step.wait;
            if (step.action == 0) {
                if (auto const due = sender.take_due(now)) sent.emplace_back(now, due->progress);
                continue;
            }
            // Mostly increasing, sometimes not.
            auto const value = static_cast<double>(step.target) +
                               (step.action == 1 ? 0 : last_reported.value_or(0));
            auto const decision = sender.report({value, {}, {}}, now);
            bool const increases = !last_reported || value > *last_reported;
            RC_ASSERT((decision == ReportDecision::not_increasing) == !increases);
            if (decision == ReportDecision::send) sent.emplace_back(now, value);
            if (increases) last_reported = value;
        }
        for (std::size_t i = 0; i + rate.burst < sent.size(); ++i) {
            RC_ASSERT(sent[i + rate.burst].first - sent[i].first >= 100ms);
        }
        if (auto const last = sender.finish()) sent.emplace_back(now, last->progress);
        for (std::size_t i = 1; i < sent.size(); ++i) {
            RC_ASSERT(sent[i].second > sent[i - 1].second);
        }
        if (last_reported) RC_ASSERT(sent.back().second == *last_reported);
    });
}

}  // namespace
}  // namespace lanyard::rpc
