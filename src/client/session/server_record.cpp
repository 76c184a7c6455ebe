#include "client/session/server_record.hpp"

#include "lanyard/protocol/methods.hpp"

namespace lanyard::client {

ServerRecord::ServerRecord(std::size_t max_cache_bytes)
    : published_(std::make_shared<ServerInfo>()), cache_(max_cache_bytes) {}

void ServerRecord::set_info(ServerInfo info) {
    info_ = std::move(info);
    auto copy = std::make_shared<ServerInfo const>(info_);
    std::scoped_lock const lock(mutex_);
    published_ = std::move(copy);
}

std::shared_ptr<ServerInfo const> ServerRecord::published() const {
    std::scoped_lock const lock(mutex_);
    return published_;
}

void ServerRecord::on_notification(std::string_view method, std::optional<json::View> params) {
    if (method == methods::ToolListChanged::info.name) {
        cache_.invalidate(methods::ListTools::info.name);
        output_schemas_.forget_all();
        report_list(ListKind::tools);
    } else if (method == methods::PromptListChanged::info.name) {
        cache_.invalidate(methods::ListPrompts::info.name);
        report_list(ListKind::prompts);
    } else if (method == methods::ResourceListChanged::info.name) {
        cache_.invalidate(methods::ListResources::info.name);
        cache_.invalidate(methods::ListResourceTemplates::info.name);
        report_list(ListKind::resources);
    } else if (method == methods::ResourceUpdated::info.name && params) {
        auto const member = params->find("uri");
        if (!member) return;
        auto const uri = member->as_string().value_or("");
        cache_.invalidate(methods::ReadResource::info.name, uri);
        std::erase_if(resource_watchers_,
                      [&](ResourceWatcher const& watcher) { return !watcher(uri); });
    }
}

void ServerRecord::forget_features() {
    for (auto const& method :
         {methods::ListTools::info, methods::ListPrompts::info, methods::ListResources::info,
          methods::ListResourceTemplates::info, methods::ReadResource::info}) {
        cache_.invalidate(method.name);
    }
    output_schemas_.forget_all();
    for (auto const kind : {ListKind::tools, ListKind::prompts, ListKind::resources}) {
        report_list(kind);
    }
}

void ServerRecord::report_list(ListKind kind) {
    std::erase_if(list_watchers_, [&](ListWatcher const& watcher) { return !watcher(kind); });
}

}  // namespace lanyard::client
