#include "lanyard/transport.hpp"

#include "lanyard/protocol/logging.hpp"
#include "peer/responder.hpp"
#include "runtime/line_writer.hpp"

namespace lanyard {

std::shared_ptr<rpc::RequestEntry> Endpoint::open_entry(boost::asio::any_io_executor) {
    return nullptr;
}

TimeSource& Endpoint::time() const noexcept {
    return real_time();
}

Random& Endpoint::random() const noexcept {
    return system_random();
}

std::vector<Version> Endpoint::versions() const {
    return {all_versions.begin(), all_versions.end()};
}

void Endpoint::record(LoggingLevel level, std::string_view text) const noexcept {
    if (level >= LoggingLevel::warning) runtime::print_error_line({text});
}

}  // namespace lanyard
