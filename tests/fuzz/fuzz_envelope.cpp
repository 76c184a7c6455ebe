// The envelope reader and the message writer: a message that is accepted is written and read again
// as the same message; the answer to one that is refused is itself a valid message. For any invalid
// text, the id is salvaged and the payload repaired consistently.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.hpp"
#include "jsonrpc/envelope.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/salvage.hpp"
#include "wire/errors.hpp"

namespace {

using namespace lanyard;
using fuzz::require;

void check_line(std::string const& text) {
    require(text.find_first_of("\r\n") == std::string::npos, "a message is more than one line");
}

void check(rpc::Envelope const& envelope) {
    require(envelope.kind != rpc::MessageKind::batch, "a batch inside a batch");
    auto const message = rpc::to_message(envelope);
    auto const text = rpc::serialize(message);
    check_line(text);
    auto const again = rpc::parse_message(text);
    require(again.has_value(), "a message is not read again");
    check_line(rpc::serialize(*again));
    require(rpc::serialize(*again) == text, "a message changes when it is read again");
    if (envelope.id) {
        std::string answer;
        rpc::append_result(answer, *envelope.id, "{}");
        auto const echoed = rpc::parse_message(answer);
        require(echoed && std::get<rpc::Response>(*echoed).id == *rpc::to_id(*envelope.id),
                "an id is not echoed");
    }
}

void check(rpc::Malformed const& failure) {
    require(!failure.message.empty(), "a refusal without a reason");
    for (auto const version : all_versions) {
        auto const error = wire::translate(failure, version);
        std::string answer;
        if (failure.id) {
            rpc::append_error(answer, *failure.id, error.text());
        } else {
            rpc::append_error(answer, wire::missing_id(version), error.text());
        }
        check_line(answer);
        auto const read = rpc::parse_message(answer);
        require(read && std::get<rpc::ErrorResponse>(*read).id == failure.id,
                "the answer to a refused message is no message");
    }
}

void check(rpc::EnvelopeReader::Item const& item) {
    if (item) {
        check(*item);
    } else {
        check(item.error());
    }
}

bool knows(rpc::Remains const& remains) {
    return remains != rpc::Remains();
}

// The salvaged parts are the same in whatever pieces the text arrives, and equal to what the reader
// finds.
void check_salvage(std::string_view text) {
    auto const remains = rpc::salvage(text);
    rpc::RemainsScanner pieces;
    for (std::size_t at = 0; at < text.size(); at += 3) pieces.feed(text.substr(at, 3));
    if (pieces.ended()) {
        require(pieces.remains() == remains, "the pieces of a text show something else");
    } else {
        require(!remains.id, "the id of a truncated text is salvaged");
    }
    rpc::EnvelopeReader reader;
    auto const item = reader.read(text);
    if (!item || !knows(remains)) return;
    if (remains.id) {
        require(item->id && rpc::to_id(*item->id) == remains.id, "an id is salvaged wrongly");
    }
    bool const answers =
        item->kind == rpc::MessageKind::result || item->kind == rpc::MessageKind::error;
    require(remains.intent != rpc::Intent::request || !answers, "an answer is taken for a request");
    require(remains.intent != rpc::Intent::response || answers, "a request is taken for an answer");
}

// Neither a repaired text nor one that the strict reader accepts needs a repair.
void check_repair(std::string_view text) {
    std::string repaired;
    std::string again;
    if (rpc::repair_payload(text, repaired)) {
        json::Document document;
        require(!document.parse(text), "a valid text is changed");
        require(!rpc::repair_payload(repaired, again), "a repaired text is changed again");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::vector<char> const exact(data, data + size);
    std::string_view const text(exact.data(), exact.size());
    check_salvage(text);
    check_repair(text);
    rpc::EnvelopeReader reader;
    for (bool const batches : {false, true}) {
        rpc::ReadOptions options;
        options.batches = batches;
        auto const item = reader.read(text, options);
        if (item && item->kind == rpc::MessageKind::batch) {
            require(batches, "a batch where there are none");
            require(!reader.batch().empty() && reader.batch().size() <= options.max_batch,
                    "a batch of the wrong size");
            for (auto const& element : reader.batch()) check(element);
        } else {
            check(item);
        }
    }
    return 0;
}
