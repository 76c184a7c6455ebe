#include "server/call/mrtr.hpp"

#include <algorithm>
#include <vector>

#include "crypto/digest.hpp"
#include "lanyard/reflect.hpp"
#include "wire/tables/input_required.hpp"

namespace lanyard::server {

/// The content of the sealed state that the client stores.
struct SealedRounds {
    InputResponses answers;
    std::map<std::string, RawJson, std::less<>> kept;
};
LANYARD_STRUCT(SealedRounds, (answers), (kept))

namespace {

// Appends the value with the members of all objects sorted, so that the result does not depend on
// the order in which a client sends the members.
void append_canonical(std::string& out, json::View value) {
    if (value.is_object()) {
        std::vector<json::Member> members;
        members.reserve(value.size());
        for (auto const& member : value.members()) members.push_back(member);
        std::ranges::sort(members, {}, [](json::Member const& m) { return *m.key.as_string(); });
        out.push_back('{');
        for (auto const& [key, member] : members) {
            append_canonical(out, key);
            append_canonical(out, member);
        }
        out.push_back('}');
    } else if (value.is_array()) {
        out.push_back('[');
        for (auto const element : value.elements()) append_canonical(out, element);
        out.push_back(']');
    } else if (value.is_string()) {
        auto const text = *value.as_string();
        out.append(std::to_string(text.size())).push_back(':');
        out.append(text);
    } else {
        out.append(value.raw()).push_back(';');
    }
}

void append_sized(std::string& out, std::string_view part) {
    out.append(std::to_string(part.size())).push_back(':');
    out.append(part);
}

}  // namespace

std::string bind_state(std::string_view identity, std::string_view method, json::View params) {
    std::string named;
    for (std::string_view const key : {"name", "uri", "arguments"}) {
        if (auto const member = params.find(key)) {
            append_sized(named, key);
            append_canonical(named, *member);
        }
    }
    auto const digest = crypto::sha256(named);
    std::string binding;
    append_sized(binding, identity);
    append_sized(binding, method);
    append_sized(binding, {reinterpret_cast<char const*>(digest.data()), digest.size()});
    return binding;
}

InputResponse const* InputRounds::find(std::string const& key, InputRequest const& question) const {
    auto const found = answers_.find(key);
    // The index shows the kind: the alternatives of questions and answers are in the same order.
    if (found == answers_.end() || found->second.index() != question.index()) return nullptr;
    return &found->second;
}

void InputRounds::ask(std::string key, InputRequest question) {
    questions_.insert_or_assign(std::move(key), std::move(question));
}

std::optional<RawJson> InputRounds::recall(std::string_view key) const {
    auto const found = kept_.find(key);
    return found == kept_.end() ? std::nullopt : std::optional(found->second);
}

void InputRounds::remember(std::string key, RawJson value) {
    kept_.insert_or_assign(std::move(key), std::move(value));
}

Result<void, crypto::OpenError> InputRounds::resume(InputRetry retry,
                                                    crypto::SealedState const& seal,
                                                    std::string_view binding, WallTime now) {
    answers_ = std::move(retry.input_responses);
    if (!retry.request_state) return {};
    auto const text = seal.open(*retry.request_state, binding, now);
    if (!text) return Unexpected(text.error());
    auto rounds = decode_text<SealedRounds>(*text, newest_version);
    if (!rounds) return Unexpected(crypto::OpenError::malformed);
    // merge() does not overwrite, so a new answer has precedence over an earlier one.
    answers_.merge(std::move(rounds->answers));
    kept_ = std::move(rounds->kept);
    return {};
}

InputRequiredResult InputRounds::result(crypto::SealedState const& seal, std::string_view binding,
                                        WallTime expiry) {
    InputRequiredResult result;
    result.input_requests = std::move(questions_);
    questions_.clear();
    SealedRounds rounds;
    rounds.answers = answers_;
    rounds.kept = kept_;
    EncodeContext const context{newest_version};
    result.request_state = seal.seal(to_json_text(rounds, context), binding, expiry);
    return result;
}

}  // namespace lanyard::server
