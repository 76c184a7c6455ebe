#include "server/catalog/operation.hpp"

namespace lanyard::server {

std::optional<wire::FailureAnswer> translate_unserved(std::exception_ptr const& exception,
                                                      Version version) {
    try {
        std::rethrow_exception(exception);
    } catch (Unserved const& unserved) {
        return wire::FailureAnswer{unserved.translate(version)};
    } catch (...) {
        return std::nullopt;
    }
}

wire::WireError Unserved::translate(Version version) const {
    if (invalid_) return wire::translate(*invalid_, version);
    wire::Details details;
    switch (condition_) {
        case wire::Condition::unknown_tool:
            details.tool = subject_;
            break;
        case wire::Condition::unknown_prompt:
            details.prompt = subject_;
            break;
        case wire::Condition::resource_not_found:
            details.uri = subject_;
            break;
        default:
            details.message = message();
    }
    return wire::translate(condition_, version, details);
}

Failure Operation::translate(std::exception_ptr const& exception, Version version,
                             Random& random) const {
    if (auto unserved = translate_unserved(exception, version)) return std::move(*unserved);
    return wire::translate(exception, version, random);
}

}  // namespace lanyard::server
