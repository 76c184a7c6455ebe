// The state of encoding and decoding: the protocol revision and, for decoding, the path to the
// current value. The path is a linked list on the stack, which is converted to text only if
// decoding fails.
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
    /// The protocol revision to write for; members that the revision does not have are left out. If
    /// no revision is given, all members are written.
    std::optional<Version> version;
};

class DecodeContext {
public:
    /// If a protocol revision is given, members that the revision does not have are ignored, and
    /// null means absent for members that may be absent. If `skipped` is not a null pointer,
    /// entries of a list result that cannot be decoded are left out, and their errors are added to
    /// `skipped`. Otherwise, one such entry makes the whole list fail.
    explicit DecodeContext(std::optional<Version> version = std::nullopt,
                           std::vector<DecodeError>* skipped = nullptr) noexcept
        : version_(version), skipped_(skipped) {}
    DecodeContext(DecodeContext const&) = delete;
    DecodeContext& operator=(DecodeContext const&) = delete;

    std::optional<Version> version() const noexcept { return version_; }

    /// Whether every described struct refuses unknown members, as if it were marked `closed`. A
    /// struct that stores unknown members (rest()) still accepts them.
    DecodeContext& refuse_unknown(bool on) noexcept {
        refuse_unknown_ = on;
        return *this;
    }
    bool refuses_unknown() const noexcept { return refuse_unknown_; }
    /// Whether null means absent for a member that may be absent and whose type cannot be null.
    DecodeContext& null_is_absent(bool on) noexcept {
        null_is_absent_ = on;
        return *this;
    }
    bool takes_null_as_absent() const noexcept { return null_is_absent_; }

    /// Records why the current value is refused; the message is the concatenation of the parts.
    /// Returns false, so that a decoder can write `return context.fail(...)`.
    template <class... Parts>
    bool fail(Parts const&... parts) {
        std::string_view const list[] = {std::string_view(parts)...};
        return fail_with(list);
    }
    /// Fails with a message such as "must be a string, got an integer".
    bool fail_expected(std::string_view expected, json::View got);

    /// The recorded failure.
    DecodeError take_error() noexcept { return std::move(error_); }

    /// Skips the list entry that could not be decoded. Returns false if entries must not be
    /// skipped.
    bool skip_entry();

    /// Whether error messages are discarded, so that a decoder need not compose them.
    bool quiet() const noexcept { return quiet_; }

    // Disables a warning: g++ 12 does not see that the destructor removes the address that the
    // constructor stored.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-pointer"
#endif
    /// While this object exists, the path of the current value has one more level: the name of a
    /// member, or an index. The name must outlive this object.
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

    /// While this object exists, decoding tries one of several alternatives. If the attempt is
    /// `quiet`, its failure is not recorded.
    class Trial {
    public:
        Trial(DecodeContext& context, json::View view, bool quiet) noexcept;
        Trial(Trial const&) = delete;
        Trial& operator=(Trial const&) = delete;
        ~Trial();

        /// Returns false if no more attempts should be made, because all attempts together have
        /// read many times the size of the outermost value. Without this limit, a sender could nest
        /// alternatives deeply, and each level would multiply the work.
        bool affordable() const noexcept { return context_.budget_ > 0; }

    private:
        DecodeContext& context_;
        bool outer_quiet_;
    };
    /// Whether decoding is trying one of several alternatives.
    bool trying() const noexcept { return trials_ > 0; }

private:
    bool fail_with(std::span<std::string_view const> parts);
    std::string pointer() const;

    std::optional<Version> version_;
    bool quiet_ = false;
    bool refuse_unknown_ = false;
    bool null_is_absent_ = false;
    std::size_t trials_ = 0;
    std::size_t budget_ = 0;  // number of bytes that attempts (Trial) may still read
    Step const* path_ = nullptr;
    std::vector<DecodeError>* skipped_;
    DecodeError error_;
};

}  // namespace lanyard
