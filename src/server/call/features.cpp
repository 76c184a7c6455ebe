#include "server/call/features.hpp"

#include "json/empty_object.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"
#include "protocol/validation.hpp"
#include "server/call/feature_operations.hpp"
#include "server/call/late_operation.hpp"
#include "server/call/text_limits.hpp"
#include "server/catalog/mirrored_headers.hpp"

namespace lanyard::server {

namespace {

// The maximum length of a cursor as JSON; this server's own cursors are far shorter.
constexpr std::size_t max_cursor_bytes = std::size_t{8} * 1024;

json::View params_of(Arrival const& arrival) {
    return arrival.envelope.params ? *arrival.envelope.params : json::empty_object();
}

wire::WireError bad_params(std::string pointer, std::string message, Version version) {
    return wire::translate(DecodeError{std::move(pointer), std::move(message)}, version);
}

// If the request has HTTP headers that repeat arguments, checks that they agree with the arguments.
std::optional<wire::WireError> check_headers(ToolEntry const& entry,
                                             std::optional<json::View> arguments,
                                             Arrival const& arrival) {
    if (entry.headers.empty() || !has_mirrored_headers(*arrival.peer, arrival.version)) {
        return std::nullopt;
    }
    auto const mismatch = mirrored_mismatch(entry.headers, arguments, arrival.peer->headers);
    if (!mismatch) return std::nullopt;
    return wire::translate(wire::Condition::header_mismatch, arrival.version,
                           {.message = *mismatch});
}

// The members of the params of tools/call that the server needs, found in one pass.
struct ToolCallMembers {
    std::optional<json::View> name;
    std::optional<json::View> arguments;
    bool retries = false;  // the call contains answers to questions, or a request state

    explicit ToolCallMembers(json::View params) {
        for (auto const member : params.members()) {
            auto const key = member.key;
            auto const value = member.value;
            if (!name && key.equals("name")) {
                name = value;
            } else if (!arguments && key.equals("arguments")) {
                arguments = value;
            } else if (key.equals("inputResponses") || key.equals("requestState")) {
                retries = true;
            }
        }
    }
};

std::optional<FeatureKind> listed_by(std::string_view method) noexcept {
    if (method == methods::ListTools::info.name) return FeatureKind::tool;
    if (method == methods::ListResources::info.name) return FeatureKind::resource;
    if (method == methods::ListResourceTemplates::info.name) return FeatureKind::resource_template;
    if (method == methods::ListPrompts::info.name) return FeatureKind::prompt;
    return std::nullopt;
}

// A resolver with the settings that it refers to.
struct HeldResolver {
    HeldResolver(std::shared_ptr<Catalog const> catalog, std::shared_ptr<Settings const> kept,
                 Context& context, Resolver::OnFailure on_failure)
        : settings(std::move(kept)),
          resolver(std::move(catalog), settings->filters, context, std::move(on_failure)) {}

    std::shared_ptr<Settings const> settings;
    Resolver resolver;
};

void log_failure(ServerCore& core, std::string const& provider, std::exception_ptr const& failure) {
    std::string why = "an exception of an unknown type";
    try {
        std::rethrow_exception(failure);
    } catch (std::exception const& error) {
        why = error.what();
    } catch (...) {
        // An exception of another type has no message.
    }
    core.log(LoggingLevel::warning, any_client, "the list of " + provider + " is left out: " + why);
}

}  // namespace

std::shared_ptr<Resolver> FeatureRequests::resolver(Call& call) {
    auto on_failure = [core = core_.shared_from_this()](std::string const& provider,
                                                        std::exception_ptr const& failure) {
        log_failure(*core, provider, failure);
    };
    auto held = std::make_shared<HeldResolver>(catalog_.latest(), core_.settings(), call.context(),
                                               std::move(on_failure));
    return {held, &held->resolver};
}

template <class Params>
Result<Params, DecodeError> FeatureRequests::decode_repeatable(Arrival const& arrival) {
    std::vector<DecodeError> skipped;
    auto params = wire::decode_params<Params>(arrival.envelope.params, arrival.version, &skipped);
    core_.log_skipped(*arrival.peer, arrival.envelope.method, skipped);
    return params;
}

void FeatureRequests::serve(Call& call, CallResponder& responder, Arrival const& arrival) {
    auto const method = arrival.envelope.method;
    if (auto const kind = listed_by(method)) {
        list(call, responder, arrival, *kind);
    } else if (method == methods::ReadResource::info.name) {
        read(call, responder, arrival);
    } else if (method == methods::GetPrompt::info.name) {
        get_prompt(call, responder, arrival);
    } else {
        complete(call, responder, arrival);
    }
}

void FeatureRequests::call_tool(Call& call, CallResponder& responder, Arrival const& arrival) {
    auto const version = arrival.version;
    auto const params = params_of(arrival);
    ToolCallMembers members(params);
    auto& arguments = members.arguments;
    auto name = members.name ? members.name->plain_string() : std::nullopt;
    std::string decoded;
    if (!name && members.name && members.name->is_string()) {
        members.name->append_string_to(decoded);
        name = decoded;
    }
    call.begin(responder, arrival, name.value_or(std::string_view()));
    if (!name) {
        call.refuse(bad_params("/name", "must be a string", version));
        return;
    }
    // Some clients write null for empty arguments.
    if (arguments && arguments->is_null()) arguments.reset();
    if (arguments && !arguments->is_object()) {
        call.refuse(bad_params("/arguments", "must be an object", version));
        return;
    }
    auto const& catalog = *catalog_.latest();
    auto const* entry = catalog.find_tool(*name);
    bool const provided = entry == nullptr && !catalog.providers().empty();
    if (provided || (entry != nullptr && call.is_filtered())) {
        find_tool(call, arrival);
        return;
    }
    if (entry == nullptr) {
        call.refuse(wire::translate(wire::Condition::unknown_tool, version, {.tool = *name}));
        return;
    }
    if (auto refused = check_headers(*entry, arguments, arrival)) {
        call.refuse(*refused);
        return;
    }
    call.tool().set(*entry, arguments ? *arguments : json::empty_object());
    if (members.retries && supports(Feature::input_required, version)) {
        auto decoded_params = decode_repeatable<CallToolParams>(arrival);
        if (!decoded_params) {
            call.refuse(wire::translate(decoded_params.error(), version));
            return;
        }
        if (!resume(call, std::move(decoded_params->retry), arrival)) return;
    }
    call.run_tool(params);
}

// Calls a tool that has to be looked up first: either the tool is not registered but a provider may
// have it, or it is registered but a filter may hide it.
void FeatureRequests::find_tool(Call& call, Arrival const& arrival) {
    auto params = decode_repeatable<CallToolParams>(arrival);
    if (!params) {
        call.refuse(wire::translate(params.error(), arrival.version));
        return;
    }
    if (!resume(call, params->retry, arrival)) return;
    bool const mirrored = has_mirrored_headers(*arrival.peer, arrival.version);
    auto const find = [resolve = resolver(call), params = std::move(*params), mirrored, &call] {
        auto const* const entry = resolve->tool(params.name);
        if (entry == nullptr) return tool_of_provider(resolve, params, mirrored);
        if (mirrored) check_mirrored(entry->headers, params.arguments, call.context());
        return tool_operation(*entry);
    };
    run_found(call, arrival, find);
}

void FeatureRequests::list(Call& call, CallResponder& responder, Arrival const& arrival,
                           FeatureKind kind) {
    call.begin(responder, arrival, {});
    auto const params = params_of(arrival);
    ListRequest request;
    request.version = arrival.version;
    if (auto const member = params.find("cursor"); member && !member->is_null()) {
        if (member->raw().size() > max_cursor_bytes) {
            core_.limits().add(&LimitCounts::too_long);
            call.refuse(bad_params(
                "/cursor", "must not be longer than " + std::to_string(max_cursor_bytes) + " bytes",
                arrival.version));
            return;
        }
        request.cursor = member->as_string();
        if (!request.cursor) {
            call.refuse(bad_params("/cursor", "must be a string", arrival.version));
            return;
        }
    }
    request.page_size = core_.options().page_size();
    request.cache = core_.options().list_cache();
    request.server_info = core_.stamp(arrival.version).server_info;
    bool const filtered = call.is_filtered();
    call.run(std::make_unique<ListOperation>(resolver(call), kind, std::move(request), filtered),
             params);
}

void FeatureRequests::read(Call& call, CallResponder& responder, Arrival const& arrival) {
    auto params = decode_repeatable<ReadResourceParams>(arrival);
    auto const name = [&] {
        return params ? std::string_view(params->uri).substr(0, core_.options().max_uri_bytes())
                      : std::string_view();
    };
    call.begin(responder, arrival, call.keep(name()));
    if (!params) {
        call.refuse(wire::translate(params.error(), arrival.version));
        return;
    }
    if (auto const refused = check_uri_length(core_, params->uri, "/uri", arrival.version)) {
        call.refuse(*refused);
        return;
    }
    if (auto const valid = protocol::check_uri(params->uri); !valid) {
        call.refuse(bad_params("/uri", valid.error().message, arrival.version));
        return;
    }
    if (!resume(call, params->retry, arrival)) return;
    auto const find = [resolve = resolver(call), params = std::move(*params), &core = core_,
                       received = arrival.received] {
        return read_operation(resolve, params, core, received);
    };
    run_found(call, arrival, find);
}

void FeatureRequests::get_prompt(Call& call, CallResponder& responder, Arrival const& arrival) {
    auto params = decode_repeatable<GetPromptParams>(arrival);
    call.begin(responder, arrival, params ? call.keep(params->name) : std::string_view());
    if (!params) {
        call.refuse(wire::translate(params.error(), arrival.version));
        return;
    }
    if (!resume(call, params->retry, arrival)) return;
    auto const find = [resolve = resolver(call), params = std::move(*params)] {
        return prompt_operation(resolve, params);
    };
    run_found(call, arrival, find);
}

void FeatureRequests::complete(Call& call, CallResponder& responder, Arrival const& arrival) {
    auto params = wire::decode_params<CompleteParams>(arrival.envelope.params, arrival.version);
    call.begin(responder, arrival, {});
    if (!params) {
        call.refuse(wire::translate(params.error(), arrival.version));
        return;
    }
    auto const find = [resolve = resolver(call), params = std::move(*params)] {
        return complete_operation(resolve, params);
    };
    run_found(call, arrival, find);
}

// Finds the operation and runs it. If there are filters, both steps happen later, on a thread that
// filters may block.
template <class Find>
void FeatureRequests::run_found(Call& call, Arrival const& arrival, Find const& find) {
    auto const view = params_of(arrival);
    if (call.is_filtered()) {
        call.run(std::make_unique<LateOperation<Find>>(call, find), view);
        return;
    }
    std::unique_ptr<Operation> operation;
    try {
        operation = find();
    } catch (Unserved const& unserved) {
        call.refuse(unserved.translate(arrival.version));
        return;
    }
    call.run(std::move(operation), view);
}

bool FeatureRequests::resume(Call& call, InputRetry retry, Arrival const& arrival) {
    if (retry.empty()) return true;
    auto const binding =
        bind_state(call.request().peer().identity, call.request().method(), params_of(arrival));
    auto const resumed =
        call.rounds().resume(std::move(retry), core_.seal(), binding, core_.time().wall());
    if (resumed) return true;
    core_.log(
        LoggingLevel::warning, call.request().peer(),
        "a request state was refused: it is " + std::string(crypto::to_string(resumed.error())));
    call.refuse(bad_params("/requestState", "is not valid for this request", arrival.version));
    return false;
}

}  // namespace lanyard::server
