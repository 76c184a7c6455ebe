#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/task.hpp"
#include "runtime/line_writer.hpp"

namespace lanyard {

namespace {

// Runs the task on a new event loop and returns the exit code. `take` is called with the loop's
// context, the task and a function `report`. It must start the task and pass the outcome of the
// task to `report`.
template <class T, class Take>
int drive(Task<T> task, Take take) {
    boost::asio::io_context context(1);
    int code = 1;
    auto const report = [&code](std::exception_ptr const& failure, auto const& yielded) {
        if (!failure) {
            code = yielded();
            return;
        }
        try {
            std::rethrow_exception(failure);
        } catch (std::exception const& error) {
            runtime::print_error_line({"error: ", error.what()});
        } catch (...) {
            runtime::print_error_line({"error: an exception of an unknown type"});
        }
    };
    take(context, std::move(task), report);
    context.run();
    return code;
}

}  // namespace

int run(Task<> task) {
    return drive(std::move(task), [](auto& context, Task<> started, auto const& report) {
        boost::asio::co_spawn(context, std::move(started), [&report](std::exception_ptr failure) {
            report(failure, [] { return 0; });
        });
    });
}

int run(Task<int> task) {
    return drive(std::move(task), [](auto& context, Task<int> started, auto const& report) {
        boost::asio::co_spawn(context, std::move(started),
                              [&report](std::exception_ptr failure, int code) {
                                  report(failure, [code] { return code; });
                              });
    });
}

}  // namespace lanyard
