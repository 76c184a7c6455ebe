// LateOperation: looks up the actual operation of a request only when the request runs, not when it
// arrives.
#pragma once

#include <memory>
#include <utility>

#include "server/call/call.hpp"
#include "server/catalog/operation.hpp"

namespace lanyard::server {

/// The lookup calls the user's filters. These may block, so the lookup must run on the executor for
/// user coroutines, not inside the engine. `find` returns the operation, or throws Unserved.
template <class Find>
class LateOperation final : public Operation {
public:
    LateOperation(Call& call, Find find) : call_(call), find_(std::move(find)) {}

    RunOptions run_options() const noexcept override { return {}; }
    bool is_task() const noexcept override { return true; }
    void call(Context&) override {}
    Task<> start(json::View, Context&) override {
        found_ = find_();
        co_await call_.perform_found(*found_);
    }
    void prepare(wire::ResultStamp const& stamp) override { found_->prepare(stamp); }
    void write(std::string& out, wire::ResultStamp const& stamp) const override {
        found_->write(out, stamp);
    }
    Failure translate(std::exception_ptr const& exception, Version version,
                      Random& random) const override {
        return found_ ? found_->translate(exception, version, random)
                      : Operation::translate(exception, version, random);
    }

private:
    Call& call_;
    Find find_;
    std::unique_ptr<Operation> found_;
};

}  // namespace lanyard::server
