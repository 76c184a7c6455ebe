// Umbrella: all of the public API.
#pragma once

#include <lanyard/base64.hpp>
#include <lanyard/clock.hpp>
#include <lanyard/codec.hpp>
#include <lanyard/error.hpp>
#include <lanyard/json.hpp>
#include <lanyard/protocol/error_data.hpp>
#include <lanyard/protocol/features.hpp>
#include <lanyard/protocol/methods.hpp>
#include <lanyard/reflect.hpp>
#include <lanyard/result.hpp>
#include <lanyard/rpc/message.hpp>
#include <lanyard/schema.hpp>
#include <lanyard/schema_of.hpp>
#include <lanyard/server/tool.hpp>
#include <lanyard/server/transform.hpp>
#include <lanyard/task.hpp>
#include <lanyard/time_source.hpp>
#include <lanyard/transport.hpp>
#include <lanyard/transport/child_process.hpp>
#include <lanyard/transport/framing.hpp>
#include <lanyard/transport/memory.hpp>
#include <lanyard/transport/stdio.hpp>
#include <lanyard/uri_template.hpp>
#include <lanyard/version.hpp>
