// Operation: what a request asks for, apart from how it is run and carried.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "lanyard/server/context.hpp"
#include "lanyard/server/tool.hpp"
#include "server/dispatch_stats.hpp"
#include "wire/codec.hpp"
#include "wire/errors.hpp"

namespace lanyard::server {

/// How a handler is to be run.
struct RunOptions {
    Dispatch dispatch = Dispatch::inline_;
    DispatchStats* stats = nullptr;  ///< null where it is always run inline
    Duration timeout{0};             ///< zero is no limit
    std::size_t max_concurrent = 0;  ///< zero is no limit
};

/// What the peer gets of a handler that failed: a result for the model, or an error.
using Failure = std::variant<wire::ToolFailure, wire::Answer>;

/// Thrown where there is no such thing to be served.
class Unserved : public Error {
public:
    /// The subject is the name or URI of what is missing.
    Unserved(wire::Condition condition, std::string subject, std::string message)
        : Error(Errc::invalid_argument, std::move(message)),
          condition_(condition),
          subject_(std::move(subject)) {}
    /// The parameters name something that does not exist.
    explicit Unserved(DecodeError error)
        : Error(Errc::invalid_argument, error.to_string()), invalid_(std::move(error)) {}

    wire::WireError translate(Version version) const;

private:
    wire::Condition condition_{};
    std::string subject_;
    std::optional<DecodeError> invalid_;
};

/// The error to answer with, where it is one of these.
std::optional<wire::Answer> translate_unserved(std::exception_ptr const& exception,
                                               Version version);

/// One request for a feature. Used by one thread at a time.
class Operation {
public:
    virtual ~Operation() = default;

    virtual RunOptions run_options() const noexcept = 0;
    /// Whether start() is to be used instead of call().
    virtual bool is_task() const noexcept = 0;
    /// Reads the parameters that call() needs; the view is not used afterwards. Throws what the
    /// handler would throw.
    virtual void decode(json::View) {}
    /// Runs the handler, after decode(); throws what it throws.
    virtual void call(Context& context) = 0;
    /// Whether call() uses the context.
    virtual bool takes_context() const noexcept { return true; }
    /// An ordinary function that reads the parameters; the view is not used afterwards.
    virtual Task<> start(json::View params, Context& context) = 0;
    /// Makes the result ready to be written, once the handler has ended without throwing. Throws
    /// what is wrong with it, such as that it is too large.
    virtual void prepare(wire::ResultStamp const& stamp) = 0;
    /// Appends the result.
    virtual void write(std::string& out, wire::ResultStamp const& stamp) const = 0;

    /// What the peer gets of a handler that threw this.
    virtual Failure translate(std::exception_ptr const& exception, Version version,
                              Random& random) const;
};

}  // namespace lanyard::server
