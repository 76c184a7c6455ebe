#include "files/folder_changes.hpp"

namespace lanyard::files {

void FolderChanges::touch(std::string_view name, TimePoint now) {
    touched_.try_emplace(std::string(name), names_.contains(name));
    if (due_ == TimePoint::max()) due_ = now + settle_;
}

void FolderChanges::on_written(std::string_view name, TimePoint now) {
    touch(name, now);
}

void FolderChanges::on_appeared(std::string_view name, TimePoint now) {
    touch(name, now);
    names_.emplace(name);
}

void FolderChanges::on_vanished(std::string_view name, TimePoint now) {
    touch(name, now);
    if (auto const found = names_.find(name); found != names_.end()) names_.erase(found);
}

void FolderChanges::on_unknown(std::set<std::string, std::less<>> names, TimePoint now) {
    for (auto const& name : names_) touch(name, now);
    for (auto const& name : names) touch(name, now);
    names_ = std::move(names);
}

std::optional<FolderReport> FolderChanges::take(TimePoint now) {
    if (now < due_) return std::nullopt;
    due_ = TimePoint::max();
    FolderReport report;
    for (auto const& [name, was_there] : touched_) {
        bool const is_there = names_.contains(name);
        if (was_there != is_there) report.listed = true;
        // A file that neither existed before nor exists now was a temporary file and is not
        // reported.
        if (was_there || is_there) report.changed.push_back(name);
    }
    touched_.clear();
    if (report.changed.empty()) return std::nullopt;
    return report;
}

}  // namespace lanyard::files
