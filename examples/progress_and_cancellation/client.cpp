// Follows the progress of calls, and cancels some.
#include <iostream>
#include <stop_token>

#include "support/example.hpp"

struct Steps {
    int steps = 0;
};
LANYARD_STRUCT(Steps, steps)

void tell(int argc, char** argv) {
    auto const client = lanyard::blocking::connect(
        lanyard::child_process(example::server(argc, argv)), example::options(argc, argv));

    for (auto const* tool : {"walk", "run"}) {
        int reports = 0;
        double last = 0;
        auto const watch = [&](lanyard::ProgressParams const& progress) {
            ++reports;
            example::expect(progress.progress > last, "progress only grows");
            example::expect(progress.total == 20, "the number of steps is known");
            last = progress.progress;
        };
        auto const done =
            client.call<Steps>(tool, Steps{20}, lanyard::CallOptions().on_progress(watch));
        std::cout << tool << ": " << done.steps << " steps, " << reports << " reports\n";
        example::expect(done.steps == 20 && reports > 0, tool);
    }

    // Cancels each call at its first progress report. Otherwise they would take hours.
    for (auto const* tool : {"walk", "run"}) {
        std::stop_source stop;
        auto const options =
            lanyard::CallOptions().stop_token(stop.get_token()).on_progress([&](auto const&) {
                stop.request_stop();
            });
        try {
            client.call<Steps>(tool, Steps{10'000'000}, options);
            example::expect(false, "a cancelled call does not return");
        } catch (lanyard::Error const& error) {
            std::cout << tool << ": " << error.what() << '\n';
            example::expect(error.is(lanyard::Errc::cancelled), error.what());
        }
    }

    // Both handlers have been interrupted, or will be soon.
    while (client.call<int>("interrupted") < 2) continue;
}

int main(int argc, char** argv) {
    return example::run([&] { tell(argc, argv); });
}
