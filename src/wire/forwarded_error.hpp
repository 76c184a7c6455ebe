// ForwardedError: an error that another peer has sent, and that is passed on unchanged.
#pragma once

#include "lanyard/error.hpp"

namespace lanyard::wire {

/// An error that another peer has sent. It is thrown to pass the error on with its code, message
/// and data. wire::translate() treats errors of other peers that do not have this type as failures
/// of a dependency.
class ForwardedError : public Error {
public:
    explicit ForwardedError(Error const& error) : Error(error) {}
};

}  // namespace lanyard::wire
