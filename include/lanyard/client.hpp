// Umbrella: the client.
#pragma once

#include <lanyard/client/blocking.hpp>
#include <lanyard/client/call_options.hpp>
#include <lanyard/client/client.hpp>
#include <lanyard/client/handler.hpp>
#include <lanyard/client/options.hpp>
#include <lanyard/client/pages.hpp>
#include <lanyard/reflect.hpp>
