// CapabilityDetails: describes an experimental capability or an extension.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <lanyard/json/document.hpp>

namespace lanyard {

/// The settings of an experimental capability or an extension, with members that describe it:
///
///     server.experimental("tracing", lanyard::CapabilityDetails()
///                                        .version("1.2")
///                                        .description("Spans of each tool call")
///                                        .depends_on("logging"));
///
/// The protocol does not define these members; peers that do not support the members ignore them.
class CapabilityDetails {
public:
    CapabilityDetails() = default;
    /// Starts with these settings; the other functions add members to them.
    explicit CapabilityDetails(JsonObject settings) : settings_(std::move(settings)) {}

    CapabilityDetails& version(std::string const& text) {
        settings_["version"] = text;
        return *this;
    }
    CapabilityDetails& description(std::string const& text) {
        settings_["description"] = text;
        return *this;
    }
    /// Adds the name of a capability that this one needs.
    CapabilityDetails& depends_on(std::string const& capability) {
        dependencies_.push_back(capability);
        return *this;
    }

    /// The settings. They contain the members `version`, `description` and `dependencies` only if
    /// these were set.
    JsonObject settings() const {
        auto all = settings_;
        if (dependencies_.empty()) return all;
        JsonArray names;
        for (auto const& name : dependencies_) names.emplace_back(name);
        all["dependencies"] = std::move(names);
        return all;
    }
    /// Converts implicitly, for Server::experimental() and Server::extension().
    operator JsonObject() const { return settings(); }

private:
    JsonObject settings_;
    std::vector<std::string> dependencies_;
};

}  // namespace lanyard
