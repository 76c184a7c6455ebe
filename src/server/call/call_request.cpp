#include "server/call/call_request.hpp"

#include "json/empty_object.hpp"
#include "json/known_text.hpp"
#include "wire/tables/fields.hpp"

namespace lanyard::server {

Meta CallRequest::meta() const {
    json::Document document;
    auto const params = document.parse(params_, json::known_text);
    auto const member = params ? params->find("_meta") : std::nullopt;
    if (!member) return {};
    return decode<Meta>(*member, version_).value_or(Meta());
}

json::View CallRequest::parse_params() {
    if (params_.empty()) return json::empty_object();
    // Parsing cannot fail: the text has been parsed before.
    return *document_.parse(params_, json::known_text);
}

void CallRequest::copy_message() {
    message_.clear();
    message_.reserve(id_.size() + method_.size() + params_.size() + target_.size());
    for (auto* const part : {&id_, &method_, &params_, &target_}) {
        auto const begin = message_.size();
        message_.append(*part);
        *part = std::string_view(message_).substr(begin);
    }
}

void CallRequest::free_buffers() {
    if (outlives_message_) {
        outlives_message_ = false;
        kept_peer_.reset();
        if (message_.size() > max_kept_params) document_ = json::Document();
        if (message_.capacity() > max_kept_bytes) std::string().swap(message_);
    }
    if (kept_target_.capacity() > max_kept_bytes) std::string().swap(kept_target_);
}

}  // namespace lanyard::server
