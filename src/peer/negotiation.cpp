#include "peer/negotiation.hpp"

#include <algorithm>
#include <array>

#include "lanyard/json/writer.hpp"

namespace lanyard::rpc {

namespace {

constexpr std::int64_t header_mismatch = -32020;
constexpr std::int64_t capability_required = -32021;
constexpr std::int64_t unsupported_version = -32022;

Error version_mismatch(std::string message, VersionSet supported, std::string_view requested) {
    return Error(Errc::version_mismatch, std::move(message),
                 version_mismatch_data(supported.list(), requested));
}

// True for YYYY-MM-DD with a month and a day that exist in a calendar.
bool has_version_format(std::string_view name) noexcept {
    constexpr std::string_view shape = "dddd-dd-dd";
    if (name.size() != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        bool const is_digit = name[i] >= '0' && name[i] <= '9';
        if (shape[i] == 'd' ? !is_digit : name[i] != shape[i]) return false;
    }
    auto const number = [name](std::size_t at) {
        return 10 * (name[at] - '0') + (name[at + 1] - '0');
    };
    constexpr std::array days{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int const month = number(5);
    int const day = number(8);
    return month >= 1 && month <= 12 && day >= 1 &&
           day <= days[static_cast<std::size_t>(month - 1)];
}

}  // namespace

std::vector<Version> VersionSet::list() const {
    std::vector<Version> versions;
    for (auto i = all_versions.size(); i-- > 0;) {
        if (contains(all_versions[i])) versions.push_back(all_versions[i]);
    }
    return versions;
}

std::optional<Version> version_to_propose(VersionOptions const& options) noexcept {
    if (options.preferred && era_of(*options.preferred) == Era::legacy) return options.preferred;
    return options.offered.newest(Era::legacy);
}

Result<Negotiated> answer_initialize(VersionSet supported, std::string_view requested) {
    auto const newest = supported.newest(Era::legacy);
    if (!newest) {
        return Unexpected(version_mismatch("no version with an initialize handshake is supported",
                                           supported, requested));
    }
    auto const version = parse_version(requested);
    if (version && supported.contains(*version) && era_of(*version) == Era::legacy) {
        return Negotiated{*version, false, false};
    }
    // Version names are dates, so even unknown versions can be compared as text.
    bool const older = has_version_format(requested) && to_string(*newest) < requested;
    return Negotiated{*newest, true, older};
}

Result<Negotiated> accept_initialize(VersionSet offered, Version proposed,
                                     std::string_view answered) {
    auto const version = parse_version(answered);
    if (!version || !offered.contains(*version) || era_of(*version) != Era::legacy) {
        return Unexpected(version_mismatch("the server answered initialize with version " +
                                               std::string(answered) +
                                               ", which is not supported here",
                                           offered, to_string(proposed)));
    }
    return Negotiated{*version, *version != proposed, *version < proposed};
}

Result<Version> check_requested_version(VersionSet supported, std::string_view requested) {
    auto const version = parse_version(requested);
    if (version && supported.contains(*version) && era_of(*version) == Era::modern) return *version;
    auto modern = supported.list();
    std::erase_if(modern, [](Version v) { return era_of(v) != Era::modern; });
    return Unexpected(Error(Errc::version_mismatch, "the protocol version is not supported",
                            version_mismatch_data(modern, requested)));
}

Result<Version> choose_version(VersionSet offered, std::span<std::string const> supported) {
    std::optional<Version> best;
    for (auto const& name : supported) {
        auto const version = parse_version(name);
        if (version && offered.contains(*version))
            best = best ? std::max(*best, *version) : version;
    }
    if (best) return *best;
    std::string theirs;
    for (auto const& name : supported) theirs += (theirs.empty() ? "" : ", ") + name;
    auto const ours = offered.list();
    return Unexpected(version_mismatch("no version in common with the server, which supports " +
                                           (theirs.empty() ? std::string("none") : theirs),
                                       offered, ours.empty() ? "" : to_string(ours.front())));
}

std::string version_mismatch_data(std::span<Version const> supported, std::string_view requested) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().key("supported").begin_array();
    for (auto version : supported) writer.safe_string(to_string(version));
    writer.end_array().key("requested").string(requested).end_object();
    return text;
}

ProbeResult judge_duplex_probe(ProbeReply const& reply) noexcept {
    if (reply.kind == ProbeReply::Kind::discovered) return ProbeResult::modern;
    if (reply.kind == ProbeReply::Kind::error && reply.code == unsupported_version) {
        return ProbeResult::modern_other_version;
    }
    return ProbeResult::legacy;
}

ProbeResult judge_http_probe(ProbeReply const& reply) noexcept {
    if (reply.kind == ProbeReply::Kind::discovered) return ProbeResult::modern;
    if (reply.kind == ProbeReply::Kind::silence) return ProbeResult::failed;
    if (reply.http_status == 401 || reply.http_status == 403) return ProbeResult::authorize;
    if (reply.http_status >= 500) return ProbeResult::failed;
    if (reply.kind == ProbeReply::Kind::error && reply.http_status == 400) {
        if (reply.code == unsupported_version) return ProbeResult::modern_other_version;
        if (reply.code == header_mismatch || reply.code == capability_required) {
            return ProbeResult::modern;
        }
    }
    return ProbeResult::legacy;
}

EraPin::EraPin(VersionSet supported) noexcept
    : supported_(supported), serves_modern_(supported.newest(Era::modern).has_value()) {
    if (!serves_modern_) era_ = Era::legacy;
    if (!supported.newest(Era::legacy)) era_ = Era::modern;
}

Result<Era> EraPin::decide(std::string_view method, bool claims_version) {
    if (claims_version && serves_modern_ && method == "server/discover") return Era::modern;
    if (!era_) era_ = claims_version ? Era::modern : Era::legacy;
    if (*era_ == Era::modern && method == "initialize" && !claims_version) {
        return Unexpected(
            version_mismatch("this connection is past the choice of initialize", supported_, ""));
    }
    if (*era_ == Era::legacy && claims_version && serves_modern_) {
        return Unexpected(Error(Errc::protocol_violation,
                                "this connection was opened with initialize; "
                                "requests that name their own protocol version are refused"));
    }
    return *era_;
}

}  // namespace lanyard::rpc
