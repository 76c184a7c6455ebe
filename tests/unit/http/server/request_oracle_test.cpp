// If the request reader accepts a request, Beast's parser reads it in the same way.
#include <gtest/gtest.h>

#include "support/beast_oracle.hpp"

namespace lanyard::http {
namespace {

TEST(RequestOracle, our_parser_agrees_with_beast) {
    // Requests composed of valid and invalid parts, chosen by a linear congruential generator.
    std::string_view const lines[] = {"POST /mcp HTTP/1.1\r\n", "GET /a?b=c HTTP/1.1\r\n",
                                      "DELETE / HTTP/1.1\r\n", "PUT /\x7f HTTP/1.1\r\n",
                                      "POST /%20'()* HTTP/1.1\r\n"};
    std::string_view const fields[] = {"Host: a\r\n",
                                       "host:\r\n",
                                       "Content-Length: 3\r\n",
                                       "Content-Length: 0\r\n",
                                       "Content-Length: 03\r\n",
                                       "Transfer-Encoding: chunked\r\n",
                                       "Transfer-Encoding: CHUNKED \r\n",
                                       "Transfer-Encoding: x\r\n",
                                       "Connection: close\r\n",
                                       "Connection: keep-alive, x\r\n",
                                       "Upgrade: h2c\r\n",
                                       "X-Empty:\r\n",
                                       "X: \t a\tb \r\n",
                                       "X: \xC3\xA9\r\n",
                                       "X: a\r\n b\r\n",
                                       "!#$%&'*+-.^_`|~: 1\r\n"};
    std::string_view const bodies[] = {"", "abc", "3\r\nabc\r\n0\r\n\r\n", "0\r\n\r\n",
                                       "2\r\nab\r\n00A\r\n0123456789\r\n0\r\n\r\n"};
    std::uint32_t seed = 1;
    auto const pick = [&](auto const& parts) {
        seed = seed * 1'664'525 + 1'013'904'223;
        return parts[(seed >> 16) % std::size(parts)];
    };
    std::size_t taken = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string stream;
        for (int request = 0; request < 2; ++request) {
            stream += pick(lines);
            stream += fields[0];
            stream += pick(fields);
            stream += pick(fields);
            stream += "\r\n";
            stream += pick(bodies);
        }
        auto const ours = test::requests_by_us(stream);
        taken += ours.size();
        ASSERT_EQ(test::requests_by_beast(stream, ours.size()), ours) << stream;
    }
    EXPECT_GT(taken, 5'000U);
}

}  // namespace
}  // namespace lanyard::http
