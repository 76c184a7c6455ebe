// What travels along while a value is encoded or decoded: the protocol revision in force, and on
// decoding the path to the present value, kept as a list on the stack and rendered only on failure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanyard/error.hpp>
#include <lanyard/json/document.hpp>
#include <lanyard/protocol/era.hpp>

namespace lanyard {

struct EncodeContext {
    /// The revision to write for; members it lacks are left out. Empty: everything is written.
    std::optional<Version> version;
};

class DecodeContext {
public:
    /// With a revision, members it lacks are not read, and null is read as the absence of a member
    /// that may be absent. Entries of list results that cannot be read are noted in `skipped` and
    /// left out; without it they fail the whole list.
    explicit DecodeContext(std::optional<Version> version = std::nullopt,
                           std::vector<DecodeError>* skipped = nullptr) noexcept
        : version_(version), skipped_(skipped) {}
    DecodeContext(DecodeContext const&) = delete;
    DecodeContext& operator=(DecodeContext const&) = delete;

    std::optional<Version> version() const noexcept { return version_; }

    /// Whether every described struct refuses members it does not describe, as if it said `closed`.
    /// A struct that keeps such members still does.
    DecodeContext& refuse_unknown(bool on) noexcept {
        refuse_unknown_ = on;
        return *this;
    }
    bool refuses_unknown() const noexcept { return refuse_unknown_; }
    /// Whether null for a member that may be absent, and whose type has no null, counts as absence.
    DecodeContext& null_is_absent(bool on) noexcept {
        null_is_absent_ = on;
        return *this;
    }
    bool takes_null_as_absent() const noexcept { return null_is_absent_; }

    /// Records why the present value is refused; the parts are joined.
    /// Returns false, so that a decoder can say `return context.fail(...)`.
    template <class... Parts>
    bool fail(Parts const&... parts) {
        std::string_view const list[] = {std::string_view(parts)...};
        return fail_with(list);
    }
    /// "must be a string, got an integer"
    bool fail_expected(std::string_view expected, json::View got);

    /// The recorded failure.
    DecodeError take_error() noexcept { return std::move(error_); }

    /// Goes on without the entry of a list that has just failed. False if it is not to be skipped.
    bool skip_entry();

    /// Whether nobody will read the message, so that a decoder may skip composing it.
    bool quiet() const noexcept { return quiet_; }

    // g++ 12 does not see that the destructor takes back the address that the constructor lends.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-pointer"
#endif
    /// A level of the path, in force while the object lives. A name must outlive the step.
    class Step {
    public:
        Step(DecodeContext& context, std::string_view name) noexcept
            : context_(&context), parent_(context.path_), name_(name) {
            context.path_ = this;
        }
        Step(DecodeContext& context, std::size_t index) noexcept
            : context_(&context), parent_(context.path_), index_(index), indexed_(true) {
            context.path_ = this;
        }
        Step(Step const&) = delete;
        Step& operator=(Step const&) = delete;
        ~Step() { context_->path_ = parent_; }

        void next() noexcept { ++index_; }
        void rename(std::string_view name) noexcept { name_ = name; }

    private:
        friend class DecodeContext;
        DecodeContext* context_;
        Step const* parent_;
        std::string_view name_;
        std::size_t index_ = 0;
        bool indexed_ = false;
    };
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

    /// The attempt to decode a value as one of several alternatives, under way while the object
    /// lives. A quiet attempt records no failure.
    class Trial {
    public:
        Trial(DecodeContext& context, json::View view, bool quiet) noexcept;
        Trial(Trial const&) = delete;
        Trial& operator=(Trial const&) = delete;
        ~Trial();

        /// False once the attempts inside the outermost one have read many times its size: nested
        /// alternatives multiply, and the sender decides how deep they nest.
        bool affordable() const noexcept { return context_.budget_ > 0; }

    private:
        DecodeContext& context_;
        bool outer_quiet_;
    };
    /// Whether an attempt is under way.
    bool trying() const noexcept { return trials_ > 0; }

private:
    bool fail_with(std::span<std::string_view const> parts);
    std::string pointer() const;

    std::optional<Version> version_;
    bool quiet_ = false;
    bool refuse_unknown_ = false;
    bool null_is_absent_ = false;
    std::size_t trials_ = 0;
    std::size_t budget_ = 0;  // bytes that attempts may still read
    Step const* path_ = nullptr;
    std::vector<DecodeError>* skipped_;
    DecodeError error_;
};

}  // namespace lanyard
