#include "wire/errors.hpp"

#include <algorithm>
#include <cstring>
#include <typeinfo>
#include <utility>

#include <boost/core/demangle.hpp>

#include "base/utf8.hpp"
#include "lanyard/json/document.hpp"
#include "lanyard/json/writer.hpp"
#include "lanyard/protocol/features.hpp"
#include "wire/forwarded_error.hpp"

namespace lanyard::wire {

namespace {

// The maximum size of a name in an error message. Longer names, which the peer may have sent, are
// shortened.
constexpr std::size_t max_subject = 128;

std::string_view subject_of(Details const& details) noexcept {
    for (auto const name :
         {details.tool, details.prompt, details.uri, details.task, details.capability,
          details.requested.value_or(""), details.method, details.phase}) {
        if (!name.empty()) return name;
    }
    return {};
}

std::string message_for(ConditionRow const& row, Details const& details) {
    if (!details.message.empty()) return std::string(details.message);
    std::string message(row.text);
    auto const subject = subject_of(details);
    if (!subject.empty()) {
        auto const shown = utf8_prefix(subject, max_subject);
        message.append(": ").append(shown);
        if (shown.size() < subject.size()) message.append("...");
    }
    return message;
}

/// Whether several conditions share the code, so that `data.reason` must name the condition.
bool is_vague(ConditionRow const& row, std::int64_t code) noexcept {
    switch (row.condition) {
        case Condition::invalid_request:
        case Condition::internal_error:
            return false;
        default:
            return code == rpc::code::invalid_request || code == rpc::code::internal_error;
    }
}

/// Writes the members of `data`. The opening brace is written with the first member, so nothing is
/// written if there are no members.
class DataWriter {
public:
    json::Writer& member(std::string_view name) {
        if (out_.empty()) writer_.begin_object();
        return writer_.key(name);
    }
    void text(std::string_view name, std::string_view value) {
        if (!value.empty()) member(name).string(value);
    }
    RawJson take() {
        if (!out_.empty()) writer_.end_object();
        return RawJson::trusted(std::move(out_));
    }

private:
    std::string out_;
    json::Writer writer_{out_};
};

/// Writes {"sampling":{"tools":{}}} for "sampling.tools". Dots in the name of an extension do not
/// separate levels.
void write_capability(json::Writer& writer, std::string_view path) {
    constexpr std::string_view extensions = "extensions.";
    std::size_t depth = 0;
    writer.begin_object();
    while (!path.empty()) {
        auto const dot = path.find('.');
        bool const extension = path.starts_with(extensions) && depth == 0;
        writer.key(path.substr(0, dot)).begin_object();
        ++depth;
        path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
        if (extension) {
            writer.key(path).begin_object();
            ++depth;
            path = {};
        }
    }
    while (depth-- > 0) writer.end_object();
    writer.end_object();
}

/// Adds the members of the object `extra` to `data`, except "reason" if that is already set. JSON
/// that is not an object becomes the member "details".
void write_extra(DataWriter& data, std::string_view extra, std::string_view reason) {
    json::Document document;
    auto const root = document.parse(extra);
    if (!root) {
        data.text("details", extra);
    } else if (!root->is_object()) {
        data.member("details").raw(root->raw());
    } else {
        for (auto const [key, value] : root->members()) {
            auto const name = *key.as_string();
            if (name != "reason" || reason.empty()) data.member(name).raw(value.raw());
        }
    }
}

RawJson data_for(std::string_view reason, Version version, Details const& details) {
    DataWriter data;
    data.text("reason", reason);
    data.text("uri", details.uri);
    data.text("tool", details.tool);
    data.text("prompt", details.prompt);
    data.text("task", details.task);
    data.text("method", details.method);
    data.text("phase", details.phase);
    data.text("pointer", details.pointer);
    if (!details.capability.empty()) {
        if (era_of(version) == Era::modern) {
            write_capability(data.member("requiredCapabilities"), details.capability);
        } else {
            data.text("capability", details.capability);
        }
    }
    if (!details.supported.empty()) {
        auto& writer = data.member("supported").begin_array();
        for (auto const supported : details.supported) writer.string(to_string(supported));
        writer.end_array();
    }
    if (details.requested) data.member("requested").string(*details.requested);
    if (!details.extra.empty()) write_extra(data, details.extra, reason);
    return data.take();
}

std::string make_reference(Random& random) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string reference(16, '0');
    auto bits = random.bits();
    for (auto& digit : reference) {
        digit = digits[bits & 15U];
        bits >>= 4;
    }
    return reference;
}

std::string describe(std::exception const& exception) {
    return boost::core::demangle(typeid(exception).name()) + ": " + exception.what();
}

/// Returns the answer for a failure whose cause the peer must not see: the answer contains only a
/// reference to the log entry.
FailureAnswer neutral(Condition condition, Version version, std::string log, Random& random) {
    auto reference = make_reference(random);
    auto const message = std::string(row(condition).text) + " (reference " + reference + ")";
    auto const extra = R"({"reference":")" + reference + R"("})";
    return {translate(condition, version, {.message = message, .extra = extra}), false,
            std::move(log), std::move(reference)};
}

bool is_neutral(Condition condition) noexcept {
    return condition == Condition::internal_error || condition == Condition::dependency_failed;
}

Condition condition_of(Error const& error) noexcept {
    // The error came from another server. The client would mistake the code of that server for a
    // code of this server, so the code is not passed on.
    if (error.peer_code()) return Condition::dependency_failed;
    return wire::condition_of(static_cast<Errc>(error.code().value()));
}

/// Returns the name of the missing capability from the data of an error. The name is extracted
/// because modern peers get the capability in a different format.
std::string capability_in(std::string const& data) {
    json::Document document;
    auto const root = document.parse(data);
    auto const name = root ? root->find("capability") : std::nullopt;
    return name ? name->as_string().value_or("") : std::string();
}

/// Whether the error was sent by another peer and must be passed on unchanged.
bool is_forwarded(Error const& error) noexcept {
    return error.peer_code() && dynamic_cast<ForwardedError const*>(&error) != nullptr;
}

WireError forward(Error const& error, Version version) {
    auto const code = *error.peer_code();
    auto const rows = all_conditions();
    auto const known = std::find_if(rows.begin(), rows.end(), [&](ConditionRow const& row) {
        return row.code(version) == code;
    });
    auto const status = known != rows.end() ? known->http_status(version) : 200;
    return {code, error.message(), RawJson::trusted(error.data()), status, error.advice()};
}

FailureAnswer translate_error(Error const& error, Version version, Random& random) {
    if (is_forwarded(error)) return {forward(error, version)};
    auto const condition = condition_of(error);
    if (is_neutral(condition)) return neutral(condition, version, describe(error), random);
    Details details{.message = error.message()};
    std::string capability;
    if (condition == Condition::client_capability_missing && !error.data().empty()) {
        capability = capability_in(error.data());
        details.capability = capability;
    }
    if (capability.empty()) details.extra = error.data();
    return {translate(condition, version, details), condition == Condition::cancelled};
}

ToolFailure neutral_failure(ToolErrorKind kind, std::string_view text, std::string log,
                            Random& random) {
    auto reference = make_reference(random);
    auto shown = std::string(text) + " (reference " + reference + ")";
    return {kind, std::move(shown), std::move(log), std::move(reference)};
}

std::variant<ToolFailure, FailureAnswer> translate_tool_error(Error const& error, Version version,
                                                              Random& random) {
    if (is_forwarded(error)) return translate_error(error, version, random);
    auto const condition = condition_of(error);
    switch (condition) {
        case Condition::client_capability_missing:
        case Condition::unsupported_feature:
            // Protocol revision 2026-07-28 has a dedicated error for this case. In other revisions,
            // the model gets the error's message as the result of the tool.
            if (supports(Feature::request_metadata, version)) break;
            return ToolFailure{ToolErrorKind::failed, error.message()};
        case Condition::cancelled:
            return ToolFailure{ToolErrorKind::cancelled, "The call was cancelled"};
        case Condition::timeout:
            return ToolFailure{ToolErrorKind::timeout, "The tool did not finish in time",
                               describe(error)};
        case Condition::dependency_failed:
            return neutral_failure(ToolErrorKind::dependency_failed,
                                   "Something the tool depends on failed", describe(error), random);
        case Condition::internal_error:
            return neutral_failure(ToolErrorKind::failed, "The tool failed", describe(error),
                                   random);
        default:
            break;
    }
    return translate_error(error, version, random);
}

constexpr std::string_view unknown_exception = "an exception that is no std::exception";

/// Returns the row of the condition that a peer of this version reports with the error response;
/// null if no condition has the response's code.
ConditionRow const* condition_in(rpc::ErrorResponse const& response, Version version) {
    auto const means = [&](ConditionRow const& row) { return row.code(version) == response.code; };
    auto const rows = all_conditions();
    if (!response.data.empty()) {
        json::Document document;
        auto const data = document.parse(response.data.text());
        auto const reason = data ? data->find("reason") : std::nullopt;
        if (reason) {
            auto const named = std::find_if(rows.begin(), rows.end(), [&](auto const& row) {
                return means(row) && reason->equals(row.name);
            });
            if (named != rows.end()) return &*named;
        }
    }
    auto const found = std::find_if(rows.begin(), rows.end(), means);
    return found != rows.end() ? &*found : nullptr;
}

}  // namespace

WireError translate(Condition condition, Version version, Details const& details) {
    auto const& told = row(condition);
    auto const code = told.code(version);
    auto const reason = is_vague(told, code) ? told.name : std::string_view();
    return {code, message_for(told, details), data_for(reason, version, details),
            told.http_status(version), told.advice};
}

WireError translate(DecodeError const& error, Version version) {
    auto const message =
        std::string(row(Condition::invalid_params).text) + ": " + error.to_string();
    return translate(Condition::invalid_params, version,
                     {.message = message, .pointer = error.pointer});
}

WireError translate(Refusal const& refusal, Version version) {
    return {refusal.code(), refusal.what(), data_for({}, version, {.extra = refusal.data()}), 200,
            refusal.advice()};
}

WireError translate(rpc::Malformed const& failure, Version version) {
    using Reason = rpc::Malformed::Reason;
    auto const condition = failure.reason == Reason::not_json    ? Condition::parse_error
                           : failure.reason == Reason::too_large ? Condition::message_too_large
                           : failure.reason == Reason::no_room   ? Condition::overloaded
                                                                 : Condition::invalid_request;
    auto const message = std::string(row(condition).text) + ": " + failure.message;
    return translate(condition, version, {.message = message});
}

rpc::MissingId missing_id(Version version) noexcept {
    return version >= Version::v2025_11_25 ? rpc::MissingId::omit : rpc::MissingId::null;
}

FailureAnswer translate(std::exception const& exception, Version version, Random& random) {
    if (auto const* refusal = dynamic_cast<Refusal const*>(&exception)) {
        return {translate(*refusal, version)};
    }
    if (auto const* error = dynamic_cast<Error const*>(&exception)) {
        return translate_error(*error, version, random);
    }
    if (auto const* tool_error = dynamic_cast<ToolError const*>(&exception)) {
        return {translate(Condition::internal_error, version, {.message = tool_error->what()})};
    }
    return neutral(Condition::internal_error, version, describe(exception), random);
}

FailureAnswer translate(std::exception_ptr const& exception, Version version, Random& random) {
    try {
        std::rethrow_exception(exception);
    } catch (std::exception const& error) {
        return translate(error, version, random);
    } catch (DecodeError const& error) {
        return {translate(error, version)};
    } catch (...) {
        return neutral(Condition::internal_error, version, std::string(unknown_exception), random);
    }
}

std::variant<ToolFailure, FailureAnswer> translate_tool(std::exception const& exception,
                                                        Version version, Random& random) {
    if (auto const* tool_error = dynamic_cast<ToolError const*>(&exception)) {
        return ToolFailure{tool_error->kind(), tool_error->what()};
    }
    if (auto const* refusal = dynamic_cast<Refusal const*>(&exception)) {
        return FailureAnswer{translate(*refusal, version)};
    }
    if (auto const* error = dynamic_cast<Error const*>(&exception)) {
        return translate_tool_error(*error, version, random);
    }
    return neutral_failure(ToolErrorKind::failed, "The tool failed", describe(exception), random);
}

std::variant<ToolFailure, FailureAnswer> translate_tool(std::exception_ptr const& exception,
                                                        Version version, Random& random) {
    try {
        std::rethrow_exception(exception);
    } catch (std::exception const& error) {
        return translate_tool(error, version, random);
    } catch (DecodeError const& error) {
        return ToolFailure{ToolErrorKind::invalid_arguments, error.to_string()};
    } catch (...) {
        return neutral_failure(ToolErrorKind::failed, "The tool failed",
                               std::string(unknown_exception), random);
    }
}

Error to_error(rpc::ErrorResponse response, Version version) {
    auto kind = ErrorKind::jsonrpc;
    auto advice = Advice::abort;
    if (auto const refusal = refusal_advice(response.code)) {
        advice = *refusal;
    } else if (auto const* condition = condition_in(response, version)) {
        kind = condition->kind;
        advice = condition->advice;
    }
    return Error::from_peer(response.code, std::move(response.message), response.data.text(), kind,
                            advice);
}

}  // namespace lanyard::wire
