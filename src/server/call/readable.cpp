// FeatureRequests::keep_readable(): selects the resources a client may subscribe to.
#include "server/call/feature_operations.hpp"
#include "server/call/features.hpp"

namespace lanyard::server {

namespace {

void erase_unreadable(Resolver& resolve, std::vector<std::string>& uris) {
    std::erase_if(uris, [&](std::string const& uri) {
        return !resolve.has_providers() && !resolve.resource(uri);
    });
}

Task<> filter_readable(std::shared_ptr<Resolver> resolve,
                       std::shared_ptr<std::vector<std::string>> uris) {
    erase_unreadable(*resolve, *uris);
    co_return;
}

std::string what_of(std::exception_ptr const& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (std::exception const& error) {
        return error.what();
    } catch (...) {
        return "it threw something unknown";
    }
}

}  // namespace

bool FeatureRequests::keep_readable(Call& call, CallResponder& responder, Arrival const& arrival,
                                    std::vector<std::string>& uris,
                                    std::function<void(std::vector<std::string>)> later) {
    call.begin(responder, arrival, {});
    auto const resolve = resolver(call);
    if (!call.is_filtered()) {
        erase_unreadable(*resolve, uris);
        call.dismiss();
        return true;
    }
    if (!call.reserve_bytes()) return false;
    auto const kept = std::make_shared<std::vector<std::string>>(std::move(uris));
    auto const then = [kept, later = std::move(later), &core = core_,
                       peer = arrival.peer](std::exception_ptr const& failure) {
        if (failure) {
            core.log(LoggingLevel::error, *peer, "a filter failed: " + what_of(failure));
            kept->clear();
        }
        later(std::move(*kept));
    };
    call.run_filters(filter_readable(resolve, kept), then);
    return false;
}

}  // namespace lanyard::server
