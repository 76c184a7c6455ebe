// Umbrella: all of the public API.
#pragma once

#include <lanyard/clock.hpp>
#include <lanyard/error.hpp>
#include <lanyard/json.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/result.hpp>
#include <lanyard/rpc/request_id.hpp>
#include <lanyard/version.hpp>
