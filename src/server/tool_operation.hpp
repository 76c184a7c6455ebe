// tools/call of one tool.
#pragma once

#include <memory>
#include <string>

#include "server/entries.hpp"
#include "server/operation.hpp"

namespace lanyard::server {

class ToolOperation final : public Operation {
public:
    void set(ToolEntry const& entry) { entry_ = entry.shared_from_this(); }
    void clear() noexcept {
        entry_.reset();
        reply_.clear();
        encoded_.clear();
    }

    RunOptions run_options() const noexcept override;
    bool is_task() const noexcept override { return static_cast<bool>(entry_->function.start); }
    void call(json::View params, Context& context) override;
    Task<> start(json::View params, Context& context) override;
    void prepare(wire::ResultStamp const& stamp) override;
    void write(std::string& out, wire::ResultStamp const& stamp) const override;
    Failure translate(std::exception_ptr const& exception, Version version,
                      Random& random) const override;

private:
    json::View check(json::View params) const;

    std::shared_ptr<ToolEntry const> entry_;
    ToolReply reply_;
    std::string encoded_;  // a result the handler composed itself
};

}  // namespace lanyard::server
