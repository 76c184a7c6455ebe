// Umbrella header: everything needed to write a client.
#pragma once

#include <lanyard/client/arguments.hpp>
#include <lanyard/client/blocking.hpp>
#include <lanyard/client/blocking_connections.hpp>
#include <lanyard/client/call_options.hpp>
#include <lanyard/client/client.hpp>
#include <lanyard/client/connection.hpp>
#include <lanyard/client/connections.hpp>
#include <lanyard/client/handler.hpp>
#include <lanyard/client/notifications.hpp>
#include <lanyard/client/observer.hpp>
#include <lanyard/client/options.hpp>
#include <lanyard/client/pages.hpp>
#include <lanyard/client/pool.hpp>
#include <lanyard/client/question_handler.hpp>
#include <lanyard/connect.hpp>
#include <lanyard/http/client.hpp>
#include <lanyard/protocol/content_text.hpp>
#include <lanyard/protocol/error_data.hpp>
#include <lanyard/protocol/sampling_text.hpp>
#include <lanyard/reflect.hpp>
#include <lanyard/transport/child_process.hpp>
