#include "server/call/tool_operation.hpp"

#include "json/empty_object.hpp"
#include "server/call/tool_result.hpp"

namespace lanyard::server {

namespace {

json::View arguments_of(json::View params) {
    auto const found = params.find("arguments");
    return found && !found->is_null() ? *found : json::empty_object();
}

}  // namespace

// Returns the arguments if the tool may be called with them; throws otherwise.
json::View ToolOperation::check(json::View params) {
    if (!entry_->enabled.load(std::memory_order_relaxed)) {
        throw ToolError("this tool is switched off at the moment", ToolErrorKind::disabled);
    }
    auto arguments = arguments_ ? *arguments_ : arguments_of(params);
    if (!entry_->input) return arguments;
    own_arguments_ = without_nulls(*entry_, arguments);
    if (own_arguments_ != nullptr) arguments = *own_arguments_->root;
    check_arguments(*entry_, arguments);
    return arguments;
}

Task<> ToolOperation::start(json::View params, Context& context) {
    return entry_->function.start(check(params), context, reply_);
}

void ToolOperation::prepare(wire::ResultStamp const& stamp) {
    if (entry_->output) check_output(*entry_, reply_);
    auto size = reply_.text().size();
    if (reply_.kind() == ToolReply::Kind::result) {
        encoded_.clear();
        append_tool_result(encoded_, reply_, stamp);
        size = encoded_.size();
    }
    auto const most = entry_->options.max_result_bytes();
    if (most != 0 && size > most) {
        throw ToolError("the result has " + std::to_string(size) + " bytes, more than the " +
                            std::to_string(most) + " this tool may return; ask for less",
                        ToolErrorKind::result_too_large);
    }
}

void ToolOperation::write(std::string& out, wire::ResultStamp const& stamp) const {
    if (reply_.kind() == ToolReply::Kind::result) {
        out.append(encoded_);
    } else {
        append_tool_result(out, reply_, stamp);
    }
}

Failure ToolOperation::translate(std::exception_ptr const& exception, Version version,
                                 Random& random) const {
    return wire::translate_tool(exception, version, random);
}

}  // namespace lanyard::server
