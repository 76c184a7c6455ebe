// The actions of conformance-client in each scenario of the suite.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "lanyard/client/client.hpp"
#include "lanyard/json/document.hpp"

namespace lanyard::conformance {

/// The data of a scenario in the suite: an object, empty if there is none.
using ScenarioContext = JsonObject;

/// The actions with a connected client.
using Scenario = std::function<Task<>(Client const&, ScenarioContext const&)>;

/// Returns the scenario; nothing if its name is unknown.
std::optional<Scenario> find_scenario(std::string_view name);

}  // namespace lanyard::conformance
