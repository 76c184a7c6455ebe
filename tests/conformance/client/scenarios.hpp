// What conformance-client does in each scenario of the suite.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include <lanyard/client/client.hpp>
#include <lanyard/json/document.hpp>

namespace lanyard::conformance {

/// The data the suite gives with a scenario: an object, empty where there is none.
using ScenarioContext = JsonObject;

/// What to do with a connected client.
using Scenario = std::function<Task<>(Client const&, ScenarioContext const&)>;

/// Nothing where the program does not know the scenario.
std::optional<Scenario> find_scenario(std::string_view name);

}  // namespace lanyard::conformance
