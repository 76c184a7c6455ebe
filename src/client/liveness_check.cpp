#include "client/liveness_check.hpp"

#include "client/client_session.hpp"

namespace lanyard::client {

void LivenessCheck::begin() noexcept {
    if (waiting_) return;
    try {
        bool const pings = methods::Ping::info.in(session_.version());
        auto const method = pings ? methods::Ping::info.name : methods::Discover::info.name;
        std::string params;
        if (!pings) params = wire::params_text(methods::Discover::Params(), session_.stamp());
        rpc::RequestSettings call;
        call.timeout = session_.options().ping_timeout();
        auto const sent =
            session_.connection().peer().request(method, params, *this, session_.now(), call);
        waiting_ = sent.has_value();
        session_.connection().flush();
    } catch (std::exception const& error) {
        session_.diagnose(std::string("the server could not be asked whether it is there: ") +
                          error.what());
    }
}

void LivenessCheck::on_answer(rpc::Answer const& answer) noexcept {
    waiting_ = false;
    if (answer.outcome != rpc::Outcome::timed_out) return;
    session_.drop_connection("the server gives no sign of life");
}

}  // namespace lanyard::client
