#include "client/session/liveness_check.hpp"

#include "lanyard/protocol/methods.hpp"

namespace lanyard::client {

void LivenessCheck::begin(wire::RequestStamp const& stamp, Duration timeout) noexcept {
    if (waiting_) return;
    try {
        bool const pings = methods::Ping::info.in(stamp.version);
        auto const method = pings ? methods::Ping::info.name : methods::Discover::info.name;
        std::string params;
        if (!pings) params = wire::params_text(methods::Discover::Params(), stamp);
        rpc::RequestSettings call;
        call.timeout = timeout;
        waiting_ = connection_.request(method, params, *this, call).has_value();
        connection_.flush();
    } catch (std::exception const& error) {
        reports_.diagnose(std::string("the server could not be asked whether it is there: ") +
                          error.what());
    }
}

void LivenessCheck::on_answer(rpc::Answer const& answer) noexcept {
    waiting_ = false;
    if (answer.outcome != rpc::Outcome::timed_out) return;
    connection_.drop("the server gives no sign of life");
}

}  // namespace lanyard::client
