// ForwardedError: an error that another peer has sent, and that is passed on unchanged.
#pragma once

#include "lanyard/error.hpp"

namespace lanyard::wire {

/// An error that another peer has sent, thrown to pass it on with its code, message and data.
/// wire::translate() treats errors of other peers as failures of a dependency unless they have this
/// type.
class ForwardedError : public Error {
public:
    explicit ForwardedError(Error const& error) : Error(error) {}
};

}  // namespace lanyard::wire
