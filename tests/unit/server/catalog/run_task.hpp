// Runs a coroutine to its end on its own event loop; rethrows its exception.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/task.hpp"

namespace lanyard::server {

template <class T>
T run_task(Task<T> task) {
    boost::asio::io_context context;
    std::exception_ptr thrown;
    if constexpr (std::is_void_v<T>) {
        boost::asio::co_spawn(context, std::move(task),
                              [&](std::exception_ptr error) { thrown = error; });
        context.run();
        if (thrown) std::rethrow_exception(thrown);
    } else {
        std::optional<T> value;
        boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr error, T result) {
            thrown = error;
            if (!error) value = std::move(result);
        });
        context.run();
        if (thrown) std::rethrow_exception(thrown);
        return *std::move(value);
    }
}

}  // namespace lanyard::server
