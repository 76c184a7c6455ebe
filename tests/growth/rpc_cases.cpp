// Streams and envelopes that are expensive to read.
#include "growth_cases.hpp"
#include "jsonrpc/envelope.hpp"
#include "jsonrpc/framing.hpp"

namespace lanyard::growth {

std::vector<Case> rpc_cases() {
    return {
        {"framing one byte at a time",
         [](std::size_t n) {
             return [text = std::string(n, 'x') + "\n"] {
                 rpc::LineReader reader;
                 for (std::size_t i = 0; i < text.size(); ++i) {
                     reader.feed(std::string_view(text).substr(i, 1));
                     while (reader.next()) continue;
                 }
             };
         }},
        {"framing empty lines",
         [](std::size_t n) {
             return [text = std::string(n, '\n')] {
                 rpc::LineReader reader;
                 reader.feed(text);
                 while (reader.next()) continue;
             };
         }},
        {"an envelope with many unknown members",
         [](std::size_t n) {
             std::string text = R"({"jsonrpc":"2.0","id":1,"method":"m")";
             for (std::size_t i = 0; text.size() < n; ++i)
                 text += ",\"x" + std::to_string(i) + "\":0";
             text += "}";
             return [text] {
                 rpc::EnvelopeReader reader;
                 static_cast<void>(reader.read(text));
             };
         }},
    };
}

}  // namespace lanyard::growth
