#include "http/mcp/error_reply.hpp"

#include <string>

namespace lanyard::http {

void reply_error(Reply& reply, wire::WireError const& error, std::string_view id,
                 rpc::MissingId missing_id, std::chrono::seconds retry_after) {
    ReplyHead head{.status = static_cast<Status>(error.http_status), .content = Content::json};
    std::string more;
    bool const busy =
        head.status == Status::service_unavailable || head.status == Status::too_many_requests;
    if (busy && !error.may_have_run) {
        append_header(more, "Retry-After", std::to_string(retry_after.count()));
        head.more = more;
    }
    auto& out = reply.begin_full(head);
    if (id.empty()) {
        rpc::append_error(out, missing_id, error.text());
    } else {
        rpc::append_error(out, rpc::IdRef::text(id), error.text());
    }
    reply.end_full();
}

void reply_accepted(Reply& reply) {
    reply.whole({.status = Status::accepted});
}

}  // namespace lanyard::http
