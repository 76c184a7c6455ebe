#include "client/lease.hpp"

#include <boost/asio/dispatch.hpp>

#include "runtime/post.hpp"

namespace lanyard::detail {

std::shared_ptr<client::ClientSession> const& session_of(std::shared_ptr<Lease> const& lease) {
    if (!lease) throw Error(Errc::closed, "the client was never connected");
    return lease->session;
}

void Lease::close() const noexcept {
    try {
        boost::asio::dispatch(session->executor(), [held = session] { held->keeper().close(); });
    } catch (...) {
        // Out of memory.
        runtime::post_always(session->executor(), [held = session] { held->keeper().close(); });
    }
}

}  // namespace lanyard::detail
