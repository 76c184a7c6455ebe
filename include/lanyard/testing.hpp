// Umbrella header: everything needed to test a server, a client or a transport.
#pragma once

#include <lanyard/testing/connect.hpp>
#include <lanyard/testing/failing_transport.hpp>
#include <lanyard/testing/fake_time.hpp>
#include <lanyard/testing/scripted_peer.hpp>
#include <lanyard/testing/validate_server.hpp>
#include <lanyard/testing/validate_transport.hpp>
