// Unguessable ids for sessions, streams, tasks and everything else that a peer refers to by id.
#pragma once

#include <string>

#include "lanyard/clock.hpp"

namespace lanyard::crypto {

/// Returns 144 random bits as 24 characters of base64url: visible ASCII, safe in headers and URIs.
std::string random_id(Random& random);

}  // namespace lanyard::crypto
