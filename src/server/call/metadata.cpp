#include "server/call/metadata.hpp"

#include <functional>

#include "peer/request_metadata.hpp"
#include "server/call/text_limits.hpp"

namespace lanyard::server {

namespace {

// Longer metadata is not cached, because comparing it would cost more than parsing it again.
constexpr std::size_t max_kept_bytes = 4096;

// Returns the JSON pointer (RFC 6901) from the parameters to a member of `_meta`.
std::string pointer_to(std::string_view key) {
    std::string pointer = "/_meta/";
    for (char const c : key) {
        if (c == '/') {
            pointer += "~1";
        } else {
            pointer += c;
        }
    }
    return pointer;
}

}  // namespace

Result<RequestMetadata const*, wire::WireError> MetadataReader::read(rpc::Envelope const& request) {
    auto const text = request.meta ? request.meta->raw() : std::string_view();
    if (text.empty() || text.size() > max_kept_bytes) {
        auto metadata = decode(request);
        if (!metadata) return Unexpected(std::move(metadata).error());
        last_ = *std::move(metadata);
        return &last_;
    }
    if (kept_.empty()) kept_.resize(slots_);
    // Tries the last entry first: in most cases the client is the same as in the previous request.
    if (kept_[latest_].text == text) return &kept_[latest_].metadata;
    latest_ = slots_ == 1 ? 0 : std::hash<std::string_view>{}(text) % slots_;
    auto& slot = kept_[latest_];
    if (slot.text != text) {
        auto metadata = decode(request);
        if (!metadata) return Unexpected(std::move(metadata).error());
        slot.metadata = *std::move(metadata);
        slot.text.assign(text);
    }
    return &slot.metadata;
}

Result<RequestMetadata, wire::WireError> MetadataReader::decode(
    rpc::Envelope const& request) const {
    auto checked = rpc::check_metadata(core_.versions(), request.params);
    if (!checked) {
        auto const& fault = checked.error();
        return Unexpected(wire::translate(
            fault.condition, newest_version,
            {.message = fault.message, .pointer = fault.pointer, .extra = fault.data}));
    }
    auto& envelope = checked->envelope;
    auto client = std::make_shared<ClientInfo>();
    client->capabilities = std::move(envelope.client_capabilities);
    if (envelope.client_info) client->info = std::move(*envelope.client_info);
    ClientText const text{request.meta->find(meta_key::client_info),
                          request.meta->find(meta_key::client_capabilities),
                          pointer_to(meta_key::client_info),
                          pointer_to(meta_key::client_capabilities)};
    if (auto const fault = limit_client(core_, text, client->info)) {
        return Unexpected(wire::translate(*fault, newest_version));
    }
    RequestMetadata metadata;
    metadata.version = checked->version;
    metadata.client = std::move(client);
    if (core_.options().logging()) metadata.log_level = envelope.log_level;
    return metadata;
}

}  // namespace lanyard::server
