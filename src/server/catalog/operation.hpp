// Operation: the action that a request asks for, independent of how it is run and transported.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "lanyard/server/context.hpp"
#include "lanyard/server/tool.hpp"
#include "server/catalog/dispatch_stats.hpp"
#include "wire/codec.hpp"
#include "wire/errors.hpp"

namespace lanyard::server {

/// How a handler is to be run.
struct RunOptions {
    Dispatch dispatch = Dispatch::inline_;
    DispatchStats* stats = nullptr;  ///< null if the handler always runs inline
    Duration timeout{0};             ///< zero means no limit
    std::size_t max_concurrent = 0;  ///< zero means no limit
};

/// The answer to the peer if a handler fails: a tool result that the model can read, or an error.
using Failure = std::variant<wire::ToolFailure, wire::FailureAnswer>;

/// Thrown if the requested feature does not exist.
class Unserved : public Error {
public:
    /// `subject` is the name or URI of the missing feature.
    Unserved(wire::Condition condition, std::string subject, std::string message)
        : Error(Errc::invalid_argument, std::move(message)),
          condition_(condition),
          subject_(std::move(subject)) {}
    /// For a request whose parameters refer to something that does not exist.
    explicit Unserved(DecodeError error)
        : Error(Errc::invalid_argument, error.to_string()), invalid_(std::move(error)) {}

    wire::WireError translate(Version version) const;

private:
    wire::Condition condition_{};
    std::string subject_;
    std::optional<DecodeError> invalid_;
};

/// Returns the error to send if the exception is an Unserved; otherwise nullopt.
std::optional<wire::FailureAnswer> translate_unserved(std::exception_ptr const& exception,
                                                      Version version);

/// One request for a feature. Used by only one thread at a time.
class Operation {
public:
    virtual ~Operation() = default;

    virtual RunOptions run_options() const noexcept = 0;
    /// Whether the handler is a coroutine, so that start() is to be used instead of call().
    virtual bool is_task() const noexcept = 0;
    /// Reads the parameters that call() needs; the view is not used afterwards. An exception counts
    /// as an exception of the handler.
    virtual void decode(json::View) {}
    /// Runs the handler, after decode(); rethrows its exceptions.
    virtual void call(Context& context) = 0;
    /// Whether call() uses the context.
    virtual bool takes_context() const noexcept { return true; }
    /// Starts the handler as a coroutine. A handler that needs the parameters reads them before
    /// start() returns; the view is not used afterwards.
    virtual Task<> start(json::View params, Context& context) = 0;
    /// Prepares the result for write(), after the handler has succeeded. Throws if the result is
    /// invalid, for example too large.
    virtual void prepare(wire::ResultStamp const& stamp) = 0;
    /// Appends the encoded result to `out`.
    virtual void write(std::string& out, wire::ResultStamp const& stamp) const = 0;

    /// Returns the answer to the peer if the handler threw this exception.
    virtual Failure translate(std::exception_ptr const& exception, Version version,
                              Random& random) const;
};

}  // namespace lanyard::server
