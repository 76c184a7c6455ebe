#include "server/features.hpp"

#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/methods.hpp"
#include "server/lists.hpp"

namespace lanyard::server {

namespace {

json::View params_of(Arrival const& arrival) {
    return arrival.envelope.params ? *arrival.envelope.params : wire::empty_object();
}

wire::WireError bad_params(std::string pointer, std::string message, Version version) {
    return wire::translate(DecodeError{std::move(pointer), std::move(message)}, version);
}

// A list as it was encoded.
class ListOperation final : public Operation {
public:
    explicit ListOperation(std::shared_ptr<std::string const> body) : body_(std::move(body)) {}

    RunOptions run_options() const noexcept override { return {}; }
    bool is_task() const noexcept override { return false; }
    void call(json::View, Context&) override {}
    Task<> start(json::View, Context&) override { co_return; }
    void prepare(wire::ResultStamp const&) override {}
    void write(std::string& out, wire::ResultStamp const&) const override { out.append(*body_); }

private:
    std::shared_ptr<std::string const> body_;
};

}  // namespace

void FeatureRequests::serve(Call& call, Exchange& exchange, Arrival const& arrival) {
    auto const method = arrival.envelope.method;
    if (method == methods::CallTool::info.name) {
        call_tool(call, exchange, arrival);
    } else if (method == methods::ListTools::info.name) {
        list_tools(call, exchange, arrival);
    } else {
        call.begin(exchange, arrival, {});
        wire::Details details;
        details.method = method;
        call.refuse(wire::translate(wire::Condition::method_not_found, arrival.version, details));
    }
}

void FeatureRequests::call_tool(Call& call, Exchange& exchange, Arrival const& arrival) {
    auto const version = arrival.version;
    auto const params = params_of(arrival);
    auto const name_member = params.find("name");
    auto const arguments = params.find("arguments");
    auto plain = name_member ? name_member->plain_string() : std::nullopt;
    std::string decoded;
    if (!plain && name_member && name_member->is_string()) {
        name_member->append_string_to(decoded);
        plain = decoded;
    }
    call.begin(exchange, arrival, plain.value_or(std::string_view()));
    if (!plain) {
        call.refuse(bad_params("/name", "must be a string", version));
        return;
    }
    if (arguments && !arguments->is_object()) {
        call.refuse(bad_params("/arguments", "must be an object", version));
        return;
    }
    auto const* entry = catalog_.latest()->find_tool(*plain);
    if (entry == nullptr) {
        wire::Details details;
        details.tool = *plain;
        call.refuse(wire::translate(wire::Condition::unknown_tool, version, details));
        return;
    }
    call.tool().set(*entry);
    if (supports(Feature::input_required, version) &&
        (params.find("inputResponses") || params.find("requestState"))) {
        auto decoded_params = wire::decode_params<CallToolParams>(params, version);
        if (!decoded_params) {
            call.refuse(wire::translate(decoded_params.error(), version));
            return;
        }
        if (!resume(call, std::move(decoded_params->retry), arrival)) return;
    }
    call.run_tool(params);
}

void FeatureRequests::list_tools(Call& call, Exchange& exchange, Arrival const& arrival) {
    call.begin(exchange, arrival, {});
    auto const params = params_of(arrival);
    ListRequest request;
    request.version = arrival.version;
    std::string cursor;
    if (auto const member = params.find("cursor")) {
        if (!member->is_string()) {
            call.refuse(bad_params("/cursor", "must be a string", arrival.version));
            return;
        }
        member->append_string_to(cursor);
        request.cursor = cursor;
    }
    request.page_size = core_.options().page_size();
    request.cache = core_.options().list_cache();
    request.server_info = core_.stamp(arrival.version).server_info;
    auto const answer = server::list_tools(*catalog_.latest(), request);
    if (!answer) {
        wire::Details details;
        details.message = answer.error().message;
        call.refuse(wire::translate(wire::Condition::invalid_cursor, arrival.version, details));
        return;
    }
    call.run(std::make_unique<ListOperation>(*answer), params);
}

bool FeatureRequests::resume(Call& call, InputRetry retry, Arrival const& arrival) {
    auto const binding = bind_state(call.peer().identity, call.method(), params_of(arrival));
    auto const resumed =
        call.rounds().resume(std::move(retry), core_.seal(), binding, core_.time().wall());
    if (resumed) return true;
    core_.log(LoggingLevel::warning, "a request state was refused: it is " +
                                         std::string(crypto::to_string(resumed.error())));
    call.refuse(bad_params("/requestState", "is not valid for this request", arrival.version));
    return false;
}

}  // namespace lanyard::server
