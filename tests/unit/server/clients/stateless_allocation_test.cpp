// A typed call as a stateless request does not allocate once all buffers have grown.
#include <boost/asio/io_context.hpp>

#include "allocation_count.hpp"
#include "jsonrpc/envelope.hpp"
#include "lanyard/server.hpp"
#include "unit/server/clients/recording_responder.hpp"

namespace lanyard::server {
namespace {

struct Add {
    double a = 0;
    double b = 0;
};
LANYARD_STRUCT(Add, a, b)
struct Sum {
    double sum = 0;
};
LANYARD_STRUCT(Sum, sum)

// Writes every answer to the same buffer.
class ReusedResponder final : public rpc::Responder {
public:
    bool attach(rpc::InboundWork&) override { return true; }
    bool active() const noexcept override { return true; }
    bool can_stream() const noexcept override { return true; }
    std::string* begin_result() override {
        result.clear();
        return &result;
    }
    void end_result() override { ++answers; }
    void fail(wire::WireError const&) override {}
    void abandon() override {}
    void notify(std::string_view, std::string_view) override {}
    void flush() override {}

    std::string result;
    int answers = 0;
};

TEST(Allocations, a_stateless_typed_call_allocates_nothing) {
    Server server("adder", "1");
    server.tool("add", "", [](Add in) { return Sum{in.a + in.b}; }, ToolOptions().inline_());
    boost::asio::io_context context;
    auto const entry = rpc::RequestEntry::open(server, context.get_executor());
    auto const message = [](std::string const& client) {
        return R"({"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"add",)"
               R"("arguments":{"a":1,"b":2},"_meta":{)"
               R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
               R"("io.modelcontextprotocol/clientInfo":{"name":")" +
               client + R"(","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}})";
    };
    // Several clients take turns.
    std::vector<std::string> const messages{message("one"), message("two"), message("three")};
    auto const info = std::make_shared<PeerInfo>();
    rpc::EnvelopeReader reader;
    ReusedResponder responder;
    auto const round = [&] {
        for (auto const& text : messages) {
            entry->handle(*reader.read(text), info, responder, server.time().now());
        }
    };
    for (int i = 0; i < 20; ++i) round();
    auto const before = bench::allocation_count();
    for (int i = 0; i < 100; ++i) round();
    EXPECT_EQ(bench::allocation_count() - before, 0u);
    EXPECT_EQ(responder.answers, 360);
    EXPECT_NE(responder.result.find(R"("structuredContent":{"sum":3})"), std::string::npos);
}

}  // namespace
}  // namespace lanyard::server
