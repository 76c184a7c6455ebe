// ToolOperation: one call of a registered tool (tools/call).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/catalog/entries.hpp"
#include "server/catalog/operation.hpp"

namespace lanyard::server {

class ToolOperation final : public Operation {
public:
    /// The entry and the arguments must stay valid while the message is processed. After hold(),
    /// the operation keeps the entry alive and looks up the arguments itself.
    void set(ToolEntry const& entry, json::View arguments) noexcept {
        entry_ = &entry;
        arguments_ = arguments;
    }
    void hold() {
        arguments_.reset();
        if (entry_ != nullptr) held_ = entry_->shared_from_this();
    }
    std::string const& name() const noexcept { return entry_->tool.name; }
    void clear() noexcept {
        entry_ = nullptr;
        arguments_.reset();
        held_.reset();
        input_.clear();
        own_arguments_.reset();
        // Buffers that are larger than this are freed.
        constexpr std::size_t worth_keeping = std::size_t{64} * 1024;
        if (reply_.text().size() > worth_keeping) {
            // Swapping frees the memory; clear() and an assignment would keep it.
            ToolReply empty;
            std::swap(reply_, empty);
        } else {
            reply_.clear();
        }
        encoded_.clear();
        if (encoded_.capacity() > worth_keeping) std::string().swap(encoded_);
    }

    RunOptions run_options() const noexcept override {
        auto const& options = entry_->options;
        return {options.dispatch(), &entry_->stats, options.timeout(), options.max_concurrent()};
    }
    bool is_task() const noexcept override { return static_cast<bool>(entry_->function.start); }
    void decode(json::View params) override { entry_->function.decode(check(params), input_); }
    void call(Context& context) override { entry_->function.call(input_, context, reply_); }
    bool takes_context() const noexcept override { return entry_->function.takes_context; }
    Task<> start(json::View params, Context& context) override;
    void prepare(wire::ResultStamp const& stamp) override;
    void write(std::string& out, wire::ResultStamp const& stamp) const override;
    Failure translate(std::exception_ptr const& exception, Version version,
                      Random& random) const override;

private:
    json::View check(json::View params);

    ToolEntry const* entry_ = nullptr;
    std::optional<json::View> arguments_;
    std::shared_ptr<ToolEntry const> held_;
    lanyard::detail::InputStore input_;
    // The remaining arguments after null arguments were removed. Not set if there were no null
    // arguments to remove.
    std::unique_ptr<OwnArguments> own_arguments_;
    ToolReply reply_;
    // The encoded result, if the handler returned a complete CallToolResult.
    std::string encoded_;
};

}  // namespace lanyard::server
