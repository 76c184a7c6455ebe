// `lanyard selfcheck`: reads, validates and writes messages of every protocol revision, and
// compares the written messages with the originals.
#include "lanyard/codec.hpp"
#include "lanyard/json.hpp"
#include "lanyard/protocol/tools.hpp"
#include "lanyard/reflect.hpp"
#include "lanyard/schema.hpp"
#include "lanyard/schema_of.hpp"

#include <iostream>
#include <string>
#include <string_view>

#include "command.hpp"
#include "jsonrpc/envelope.hpp"
#include "wire/codec.hpp"
#include "wire/registry.hpp"

namespace lanyard::app {

/// The arguments of the tool that the messages call.
struct Greet {
    std::string name;
    int times = 1;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"), (times, min{1}, max{5}, defaulted))

namespace {

/// A tool call and its answer, in the form of one revision.
struct Exchange {
    Version version;
    std::string_view request;
    std::string_view response;
};

// Each message has the members that its protocol revision requires: structured content from
// revision 2025-06-18 on; metadata in requests and types in results from revision 2026-07-28 on.
constexpr Exchange exchanges[] = {
    {Version::v2024_11_05,
     R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"p"},)"
     R"("name":"greet","arguments":{"name":"Ada","times":3}}})",
     R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Ada!"}]}})"},
    {Version::v2025_03_26,
     R"({"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":"greet",)"
     R"("arguments":{"name":"Ada","times":3}}})",
     R"({"jsonrpc":"2.0","id":"a-1","result":{"content":[)"
     R"({"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}],"isError":true}})"},
    {Version::v2025_06_18,
     R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"greet",)"
     R"("arguments":{"name":"Ada"}}})",
     R"({"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"Hello, Ada!"}],)"
     R"("structuredContent":{"greeting":"Hello, Ada!"}}})"},
    {Version::v2025_11_25,
     R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"greet",)"
     R"("arguments":{"name":"Ada"},"task":{"ttl":60000}}})",
     R"({"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"Hello, Ada!"}]}})"},
    {Version::v2026_07_28,
     R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"_meta":{)"
     R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
     R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},)"
     R"("io.modelcontextprotocol/clientInfo":{"name":"selfcheck","version":"1"}},)"
     R"("name":"greet","arguments":{"name":"Ada","times":3}}})",
     R"({"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","content":[)"
     R"({"type":"text","text":"Hello, Ada!"}]}})"},
};

using Check = Result<void, std::string>;

Unexpected<std::string> failed(std::string_view what, std::string_view why) {
    return Unexpected(std::string(what) + ": " + std::string(why));
}

Result<rpc::Envelope, std::string> read(rpc::EnvelopeReader& reader, std::string_view text) {
    auto envelope = reader.read(text);
    if (!envelope) return failed("reading", envelope.error().message);
    return *envelope;
}

/// Checks whether the written JSON equals the original; the order of members does not matter.
Check compare(std::string const& written, json::View original) {
    auto const tree = json::parse(written);
    if (!tree) return failed("reading the written text", tree.error().to_string());
    if (*tree != original.to_json()) {
        return failed("comparing", "read " + std::string(original.raw()) + ", wrote " + written);
    }
    return {};
}

/// Returns the metadata that protocol revision 2026-07-28 adds to every request, taken from the
/// original request.
wire::RequestStamp stamp_of(json::View params, Version version) {
    wire::RequestStamp stamp{.version = version};
    if (auto const meta = params.find("_meta")) {
        auto const raw = [&](std::string_view key) {
            auto const value = meta->find(key);
            return value ? RawJson::trusted(std::string(value->raw())) : RawJson();
        };
        stamp.client_capabilities = raw(meta_key::client_capabilities);
        stamp.client_info = raw(meta_key::client_info);
    }
    return stamp;
}

Check check_request(Exchange const& exchange, schema::Validator const& arguments) {
    rpc::EnvelopeReader reader;
    auto const envelope = read(reader, exchange.request);
    if (!envelope) return Unexpected(envelope.error());
    if (!wire::find_request(envelope->method, exchange.version, wire::Side::server)) {
        return failed("looking up", envelope->method);
    }
    auto const params = wire::decode_params<CallToolParams>(envelope->params, exchange.version);
    if (!params) return failed("decoding", params.error().to_string());
    if (auto const valid = arguments.validate(params->arguments.to_json()); !valid) {
        return failed("validating", valid.error().to_string());
    }
    std::string written;
    json::Writer writer(written);
    auto const stamp = stamp_of(*envelope->params, exchange.version);
    if (auto const encoded = wire::encode_params(writer, *params, stamp); !encoded) {
        return failed("encoding", encoded.error().what());
    }
    return compare(written, *envelope->params);
}

Check check_response(Exchange const& exchange) {
    rpc::EnvelopeReader reader;
    auto const envelope = read(reader, exchange.response);
    if (!envelope) return Unexpected(envelope.error());
    auto const result = wire::decode_result<CallToolResult>(*envelope->result, exchange.version);
    if (!result) return failed("decoding", result.error().to_string());
    std::string written;
    json::Writer writer(written);
    wire::ResultStamp const stamp{.version = exchange.version};
    if (auto const encoded = wire::encode_result(writer, *result, stamp); !encoded) {
        return failed("encoding", encoded.error().what());
    }
    return compare(written, *envelope->result);
}

Exit run() {
    auto const arguments = schema::Validator::compile(schema_of<Greet>());
    if (!arguments) {
        std::cerr << "selfcheck: " << arguments.error().to_string() << '\n';
        return Exit::protocol_error;
    }
    auto exit = Exit::ok;
    for (auto const& exchange : exchanges) {
        auto check = check_request(exchange, *arguments);
        if (check) check = check_response(exchange);
        std::cout << to_string(exchange.version) << "  tools/call: ";
        if (check) {
            std::cout << "request of " << exchange.request.size() << " bytes and answer of "
                      << exchange.response.size() << " read, validated, written again: equal\n";
        } else {
            std::cout << "FAILED, " << check.error() << '\n';
            exit = Exit::protocol_error;
        }
    }
    return exit;
}

}  // namespace

void declare_selfcheck(CLI::App& app, Invocation& invocation) {
    app.callback([&invocation] { invocation.exit = run(); });
}

}  // namespace lanyard::app
