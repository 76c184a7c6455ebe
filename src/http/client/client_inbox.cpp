#include "http/client/client_inbox.hpp"

#include <utility>

#include "json/known_text.hpp"

namespace lanyard::http {

namespace {

// The maximum number of messages whose envelopes are kept. Each of them needs its own parser.
constexpr std::size_t max_parsed = 4;
// A message larger than this is kept with its envelope only if no other envelope is kept. The
// memory of its parser is freed before the parser is reused.
constexpr std::size_t large_message = std::size_t{64} * 1024;

}  // namespace

auto ClientInbox::new_draft() -> Parsed& {
    if (!draft_ && spare_.empty()) {
        draft_ = std::make_unique<Parsed>();
    } else if (!draft_) {
        draft_ = std::move(spare_.back());
        spare_.pop_back();
    }
    draft_->item.reset();
    return *draft_;
}

rpc::EnvelopeReader::Item const& ClientInbox::parse_draft() {
    rpc::ReadOptions options;
    options.batches = true;
    options.json = json::known_text;  // HttpClientOptions limits answers and events
    return draft_->item.emplace(draft_->reader.read(draft_->text, options));
}

rpc::EnvelopeReader::Item const& ClientInbox::read(std::string_view text) {
    new_draft().text = text;
    return parse_draft();
}

rpc::EnvelopeReader::Item const& ClientInbox::read(std::string&& text) {
    new_draft().text = std::move(text);
    return parse_draft();
}

bool ClientInbox::may_keep_parsed() const noexcept {
    auto const& item = *draft_->item;
    if (!item || item->kind == rpc::MessageKind::batch) return false;
    bool const is_large = draft_->text.size() > large_message;
    return parsed_.empty() || (parsed_.size() < max_parsed && !is_large);
}

void ClientInbox::add(std::uint64_t origin) {
    auto const size = draft_->text.size();
    if (may_keep_parsed()) {
        entries_.push_back({rpc::Frame::Kind::message, 0, size, draft_.get(), origin});
        parsed_.push_back(std::move(draft_));
    } else {
        entries_.push_back({rpc::Frame::Kind::message, text_.size(), size, nullptr, origin});
        text_.append(draft_->text);
    }
    bytes_ += size;
}

void ClientInbox::add_failure(std::int64_t request, Error error) {
    entries_.push_back({rpc::Frame::Kind::failed, 0, failures_.size()});
    failures_.push_back({request, std::move(error)});
}

std::span<rpc::Frame const> ClientInbox::take() {
    for (auto& parsed : taken_parsed_) {
        if (spare_.size() == max_parsed) break;
        if (parsed->text.size() > large_message) {
            parsed->reader.shrink();
            std::string().swap(parsed->text);
        }
        spare_.push_back(std::move(parsed));
    }
    taken_parsed_.clear();
    taken_parsed_.swap(parsed_);
    taken_text_.clear();
    taken_text_.swap(text_);
    taken_failures_.clear();
    taken_failures_.swap(failures_);
    bytes_ = 0;
    frames_.clear();
    for (auto const& entry : entries_) {
        rpc::Frame frame{entry.kind, {}, entry.origin};
        if (entry.parsed != nullptr) {
            frame.text = entry.parsed->text;
            frame.envelope = &entry.parsed->item->value();
        } else if (entry.kind == rpc::Frame::Kind::message) {
            frame.text = std::string_view(taken_text_).substr(entry.begin, entry.size);
        } else if (entry.kind == rpc::Frame::Kind::failed) {
            frame.failure = &taken_failures_[entry.size];
        }
        frames_.push_back(frame);
    }
    entries_.clear();
    return frames_;
}

}  // namespace lanyard::http
