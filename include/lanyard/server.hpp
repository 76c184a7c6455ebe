// Umbrella header: everything needed to write a server.
#pragma once

#include <lanyard/listen.hpp>
#include <lanyard/protocol/sampling_text.hpp>
#include <lanyard/reflect.hpp>
#include <lanyard/server/capability_details.hpp>
#include <lanyard/server/completion.hpp>
#include <lanyard/server/context.hpp>
#include <lanyard/server/engine.hpp>
#include <lanyard/server/middleware.hpp>
#include <lanyard/server/notification.hpp>
#include <lanyard/server/options.hpp>
#include <lanyard/server/prompt.hpp>
#include <lanyard/server/provider.hpp>
#include <lanyard/server/resource.hpp>
#include <lanyard/server/server.hpp>
#include <lanyard/server/tool.hpp>
#include <lanyard/server/transform.hpp>
#include <lanyard/transport/memory.hpp>
#include <lanyard/transport/stdio.hpp>
#include <lanyard/transport/together.hpp>
