// Beast's parser as a reference for HTTP/1.1. It accepts more than our reader does; whatever our
// reader accepts, both must parse in the same way.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/server/request_reader.hpp"

namespace lanyard::test {

struct PlainRequest {
    std::string method;
    std::string target;
    std::vector<std::string> fields;  ///< "name=value", sorted
    std::string body;

    bool operator==(PlainRequest const&) const = default;
};

/// The complete requests of a stream as our reader reads them, up to the first one that it refuses.
inline std::vector<PlainRequest> requests_by_us(std::string_view stream) {
    using Event = http::RequestReader::Event;
    std::vector<PlainRequest> requests;
    http::RequestReader reader;
    reader.feed(stream);
    PlainRequest request;
    for (;;) {
        switch (reader.next()) {
            case Event::head: {
                auto const& head = reader.head();
                request = {std::string(head.method_text), std::string(head.target), {}, {}};
                for (auto const& field : head.fields.all()) {
                    request.fields.push_back(std::string(field.name) + "=" +
                                             std::string(field.value));
                }
                std::sort(request.fields.begin(), request.fields.end());
                break;
            }
            case Event::body:
                request.body += reader.body();
                break;
            case Event::done:
                requests.push_back(request);
                break;
            case Event::need_more:
            case Event::failed:
                return requests;
        }
    }
}

/// The first complete requests of a stream as Beast reads them.
inline std::vector<PlainRequest> requests_by_beast(std::string_view stream, std::size_t count) {
    namespace beast = boost::beast::http;
    std::vector<PlainRequest> requests;
    while (requests.size() < count) {
        beast::request_parser<beast::string_body> parser;
        parser.eager(true);
        parser.header_limit(1'000'000);
        parser.body_limit(boost::none);
        boost::beast::error_code failure;
        while (!parser.is_done()) {
            auto const used =
                parser.put(boost::asio::buffer(stream.data(), stream.size()), failure);
            stream.remove_prefix(used);
            if (failure) return requests;
        }
        auto const& message = parser.get();
        PlainRequest request{std::string(message.method_string()),
                             std::string(message.target()),
                             {},
                             message.body()};
        for (auto const& field : message) {
            request.fields.push_back(std::string(field.name_string()) + "=" +
                                     std::string(field.value()));
        }
        std::sort(request.fields.begin(), request.fields.end());
        requests.push_back(std::move(request));
    }
    return requests;
}

}  // namespace lanyard::test
