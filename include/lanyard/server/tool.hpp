// Tools of a server: options, and how a C++ function becomes a tool (MCP specification,
// server/tools).
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <lanyard/codec.hpp>
#include <lanyard/error.hpp>
#include <lanyard/protocol/tools.hpp>
#include <lanyard/schema_of.hpp>
#include <lanyard/server/feature_options.hpp>
#include <lanyard/server/handler.hpp>
#include <lanyard/server/input_store.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

/// Options of a tool, besides its name, description and handler.
class ToolOptions : public FeatureOptions<ToolOptions> {
public:
    ToolOptions() = default;

    /// Whether the tool changes nothing (readOnlyHint). Default: none, so clients assume that the
    /// tool may change something.
    ToolOptions& read_only(bool on = true) {
        hints().read_only_hint = on;
        return *this;
    }
    /// Whether the changes that the tool makes may destroy something (destructiveHint). Default:
    /// none, so clients assume that the changes may destroy something.
    ToolOptions& destructive(bool on = true) {
        hints().destructive_hint = on;
        return *this;
    }
    /// Whether repeating a call with the same arguments changes nothing more (idempotentHint).
    /// Default: none, so clients assume that a repeated call may change something again.
    ToolOptions& idempotent(bool on = true) {
        hints().idempotent_hint = on;
        return *this;
    }
    /// Whether the tool deals with things outside the server's domain, such as the web
    /// (openWorldHint). Default: none, so clients assume that the tool may do so.
    ToolOptions& open_world(bool on = true) {
        hints().open_world_hint = on;
        return *this;
    }
    /// All hints about the tool's behaviour; replaces the hints that were set before. Default:
    /// none.
    ToolOptions& annotations(ToolAnnotations hints) {
        annotations_ = std::move(hints);
        return *this;
    }
    /// The maximum size of a result; a larger result is replaced by an error. Default: 16 MiB.
    /// Zero: no limit.
    ToolOptions& max_result_bytes(std::size_t bytes) noexcept {
        max_result_bytes_ = bytes;
        return *this;
    }
    /// Whether the tool is enabled. Default: true. A disabled tool is not listed, and calling it
    /// fails with the kind `disabled`.
    ToolOptions& enabled(bool on) noexcept {
        enabled_ = on;
        return *this;
    }
    /// Whether structured output is checked against the output schema. Default: true, but false if
    /// the schema was derived from the handler's result type.
    ToolOptions& check_output(bool on) noexcept {
        check_output_ = on;
        return *this;
    }
    /// Whether unknown arguments are ignored instead of refused. Default: as in ServerOptions. For
    /// a tool that brings its own schemas, the input schema decides.
    ToolOptions& ignore_unknown_arguments(bool on) noexcept {
        ignore_unknown_arguments_ = on;
        return *this;
    }
    /// Whether schemas that are derived from types repeat a struct at each use instead of referring
    /// to `$defs`. Default: as in ServerOptions. Recursive structs are always referenced.
    ToolOptions& inline_references(bool on) noexcept {
        inline_references_ = on;
        return *this;
    }
    /// The output schema. Default: derived from the handler's result type.
    ToolOptions& output_schema(RawJson schema) {
        output_schema_ = std::move(schema);
        return *this;
    }

    std::optional<ToolAnnotations> const& annotations() const noexcept { return annotations_; }
    std::size_t max_result_bytes() const noexcept { return max_result_bytes_; }
    bool enabled() const noexcept { return enabled_; }
    std::optional<bool> check_output() const noexcept { return check_output_; }
    RawJson const& output_schema() const noexcept { return output_schema_; }
    std::optional<bool> ignore_unknown_arguments() const noexcept {
        return ignore_unknown_arguments_;
    }
    std::optional<bool> inline_references() const noexcept { return inline_references_; }

private:
    ToolAnnotations& hints() { return annotations_ ? *annotations_ : annotations_.emplace(); }

    std::optional<ToolAnnotations> annotations_;
    std::size_t max_result_bytes_ = 16 * 1024 * 1024;
    bool enabled_ = true;
    std::optional<bool> check_output_;
    std::optional<bool> ignore_unknown_arguments_;
    std::optional<bool> inline_references_;
    RawJson output_schema_;
};

/// The effective values of two options: those of the tool if it sets them, otherwise those of the
/// server.
struct ToolRules {
    bool ignore_unknown_arguments = false;
    bool inline_references = false;
};

/// The result of a handler before it is encoded for a protocol revision. The object can be reused
/// for the next call: clear() keeps the memory of the text.
class ToolReply {
public:
    enum class Kind {
        nothing,     ///< no content
        text,        ///< one text block
        structured,  ///< structured content, and a text block that repeats it
        result,      ///< a complete CallToolResult
    };

    void set_text(std::string_view text) {
        text_.assign(text);
        kind_ = Kind::text;
    }
    void take_text(std::string&& text) noexcept {
        text_ = std::move(text);
        kind_ = Kind::text;
    }
    /// Returns the buffer for the structured content. Write one JSON value to it.
    std::string& begin_structured() {
        text_.clear();
        kind_ = Kind::structured;
        return text_;
    }
    /// Sets a complete result. If it has structured content but no content blocks, a text block
    /// that repeats the structured content is added.
    void set_result(CallToolResult result);
    void clear() noexcept {
        text_.clear();
        result_.reset();
        kind_ = Kind::nothing;
    }

    Kind kind() const noexcept { return kind_; }
    /// The text of the reply; valid only if the kind is `text`.
    std::string_view text() const noexcept { return text_; }
    /// The structured content as JSON text; valid only if the kind is `structured`.
    std::string_view structured() const noexcept { return text_; }
    /// The complete result; valid only if the kind is `result`.
    CallToolResult const& result() const noexcept { return *result_; }

private:
    Kind kind_ = Kind::nothing;
    std::string text_;
    std::optional<CallToolResult> result_;
};

/// A type-erased tool handler. For a plain function, `decode` and `call` are set; for a coroutine,
/// `start` is set. Copies share the handler.
struct ToolFunction {
    /// Decodes the arguments into the store. `arguments` is not used after this function has
    /// returned. Throws ToolError if the arguments are invalid.
    std::function<void(json::View arguments, detail::InputStore& input)> decode;
    /// Runs the handler with the input that `decode` has put into the store. Returns when the
    /// handler has finished. May throw any exception.
    std::function<void(detail::InputStore& input, Context& context, ToolReply& reply)> call;
    /// Whether `call` uses the context.
    bool takes_context = true;
    /// Returns the coroutine that runs the handler. The arguments are decoded before this function
    /// returns, so they may be destroyed while the coroutine runs. The context and the reply must
    /// outlive the task; this ToolFunction need not.
    std::function<Task<>(json::View arguments, Context& context, ToolReply& reply)> start;
};

namespace detail {

/// Throws ToolError (invalid_arguments) with a JSON Pointer to the offending value.
[[noreturn]] void refuse_arguments(DecodeError const& error);
/// Throws ToolError (invalid_arguments) if there are any arguments.
void refuse_any_argument(json::View arguments);

/// Returns the schema of a tool that takes no arguments.
RawJson no_arguments_schema(ToolRules const& rules);
RawJson input_schema(reflect::Shape const& shape, ToolRules const& rules);
RawJson output_schema(reflect::Shape const& shape, ToolRules const& rules);

template <class T>
concept TextOutput = std::convertible_to<T const&, std::string_view>;

template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... Ts>
inline constexpr bool is_alternative<T, std::variant<Ts...>> = (std::same_as<T, Ts> || ...);

template <class T>
concept ContentOutput = std::same_as<T, ContentBlock> || is_alternative<T, ContentBlock>;

/// Types that are already content blocks or a complete result.
template <class T>
concept ResultOutput = std::same_as<T, CallToolResult> ||
                       std::same_as<T, std::vector<ContentBlock>> || ContentOutput<T>;

/// Types that become structured content through their codec. The types of ResultOutput are
/// excluded, because the protocol defines how they are written.
template <class T>
concept StructuredOutput =
    !std::is_void_v<T> && !TextOutput<T> && !ResultOutput<T> && reflect::has_codec<T>();

/// Types that become structured content, but from which no schema can be derived.
template <class T>
concept UntypedOutput =
    std::same_as<T, Json> || std::same_as<T, JsonObject> || std::same_as<T, RawJson>;

template <class T>
concept ToolOutput = std::is_void_v<T> || TextOutput<T> || ResultOutput<T> || StructuredOutput<T>;

template <class T>
void write_reply(ToolReply& reply, T value) {
    if constexpr (std::same_as<T, CallToolResult>) {
        reply.set_result(std::move(value));
    } else if constexpr (std::same_as<T, std::string>) {
        reply.take_text(std::move(value));
    } else if constexpr (TextOutput<T>) {
        reply.set_text(value);
    } else if constexpr (ResultOutput<T>) {
        CallToolResult result;
        if constexpr (ContentOutput<T>) {
            result.content.emplace_back(std::move(value));
        } else {
            result.content = std::move(value);
        }
        reply.set_result(std::move(result));
    } else {
        json::Writer writer(reply.begin_structured());
        encode(writer, value);
    }
}

template <class In>
void decode_arguments(json::View arguments, [[maybe_unused]] In& input, bool ignore_unknown) {
    if constexpr (std::same_as<In, NoInput>) {
        if (!ignore_unknown) refuse_any_argument(arguments);
    } else {
        codec::require_readable<In>();
        DecodeContext context;
        context.refuse_unknown(!ignore_unknown).null_is_absent(true);
        if (!Codec<In>::decode(arguments, input, context)) refuse_arguments(context.take_error());
    }
}

/// A handler and the options with which it is called.
template <class F>
struct BoundTool {
    F handler;
    bool ignore_unknown = false;
};

/// The coroutine that runs the handler. It owns the handler and the input.
template <class F>
Task<> run_tool(std::shared_ptr<BoundTool<F>> bound, typename HandlerTraits<F>::Input input,
                Context& context, ToolReply& reply) {
    auto task = HandlerTraits<F>::invoke(bound->handler, input, context);
    if constexpr (std::is_void_v<typename HandlerTraits<F>::Value>) {
        co_await std::move(task);
    } else {
        auto value = co_await std::move(task);
        write_reply(reply, std::move(value));
    }
}

template <class F>
consteval void check_tool_handler() {
    static_assert(has_handler_form<F>,
                  "a tool's handler is a function or lambda (no overloads, no auto parameters) of "
                  "the form (), (Input), (Context&) or (Input, Context&)");
    if constexpr (has_handler_form<F>) {
        using H = HandlerTraits<F>;
        static_assert(
            !H::takes_input || requires { Codec<typename H::Input>{}; },
            "describe the input struct of the tool with LANYARD_STRUCT");
        static_assert(ToolOutput<typename H::Value>,
                      "a tool returns text, a type with a codec (a number, a container, a struct "
                      "described with LANYARD_STRUCT, ...), content blocks, CallToolResult, void, "
                      "or a Task of one of these");
    }
}

}  // namespace detail

/// Type-erases a handler of the form (), (Input), (Context&) or (Input, Context&). The input is a
/// described struct, or JsonObject for arguments of any form. The result depends on the return
/// type:
///
/// - text: a text block;
/// - CallToolResult: the complete result;
/// - one content block, or a vector of them: the content of the result;
/// - any other type with a codec: structured content, and a text block that repeats it;
/// - void: a result without content.
///
/// A handler that returns a Task of one of these is a coroutine. Unknown arguments are refused
/// unless `rules` allows them. An optional argument may be null, which means that it is absent.
template <class F>
ToolFunction bind_tool(F handler, ToolRules rules = {}) {
    detail::check_tool_handler<F>();
    using H = detail::HandlerTraits<F>;
    ToolFunction function;
    using Input = typename H::Input;
    auto bound = std::make_shared<detail::BoundTool<F>>(
        detail::BoundTool<F>{std::move(handler), rules.ignore_unknown_arguments});
    if constexpr (H::is_task) {
        function.start = [bound](json::View arguments, Context& context, ToolReply& reply) {
            Input input{};
            detail::decode_arguments(arguments, input, bound->ignore_unknown);
            return detail::run_tool<F>(bound, std::move(input), context, reply);
        };
    } else {
        function.takes_context = H::takes_context;
        function.decode = [bound](json::View arguments, detail::InputStore& store) {
            detail::decode_arguments(arguments, store.emplace<Input>(), bound->ignore_unknown);
        };
        function.call = [bound](detail::InputStore& store, Context& context, ToolReply& reply) {
            auto& input = store.get<Input>();
            if constexpr (std::is_void_v<typename H::Value>) {
                H::invoke(bound->handler, input, context);
            } else {
                detail::write_reply(reply, H::invoke(bound->handler, input, context));
            }
            store.clear();
        };
    }
    return function;
}

/// Returns a tool whose schemas are derived from the types of its handler.
template <class F>
Tool describe_tool(std::string name, std::string description, ToolRules rules = {}) {
    detail::check_tool_handler<F>();
    using H = detail::HandlerTraits<F>;
    Tool tool;
    tool.name = std::move(name);
    tool.description = std::move(description);
    if constexpr (H::takes_input) {
        tool.input_schema = detail::input_schema(reflect::shape_of<typename H::Input>(), rules);
    } else {
        tool.input_schema = detail::no_arguments_schema(rules);
    }
    using Value = typename H::Value;
    if constexpr (detail::StructuredOutput<Value> && !detail::UntypedOutput<Value>) {
        tool.output_schema = detail::output_schema(reflect::shape_of<Value>(), rules);
    }
    return tool;
}

}  // namespace lanyard
