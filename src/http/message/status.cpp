#include "http/message/status.hpp"

namespace lanyard::http {

std::string_view reason_of(Status status) noexcept {
    switch (status) {
        case Status::ok:
            return "OK";
        case Status::accepted:
            return "Accepted";
        case Status::no_content:
            return "No Content";
        case Status::bad_request:
            return "Bad Request";
        case Status::unauthorized:
            return "Unauthorized";
        case Status::forbidden:
            return "Forbidden";
        case Status::not_found:
            return "Not Found";
        case Status::method_not_allowed:
            return "Method Not Allowed";
        case Status::not_acceptable:
            return "Not Acceptable";
        case Status::request_timeout:
            return "Request Timeout";
        case Status::conflict:
            return "Conflict";
        case Status::content_too_large:
            return "Content Too Large";
        case Status::uri_too_long:
            return "URI Too Long";
        case Status::unsupported_media_type:
            return "Unsupported Media Type";
        case Status::expectation_failed:
            return "Expectation Failed";
        case Status::upgrade_required:
            return "Upgrade Required";
        case Status::too_many_requests:
            return "Too Many Requests";
        case Status::header_fields_too_large:
            return "Request Header Fields Too Large";
        case Status::internal_server_error:
            return "Internal Server Error";
        case Status::not_implemented:
            return "Not Implemented";
        case Status::service_unavailable:
            return "Service Unavailable";
        case Status::version_not_supported:
            return "HTTP Version Not Supported";
    }
    return "Unknown";
}

}  // namespace lanyard::http
