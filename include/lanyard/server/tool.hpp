// Tools of a server: options, and how a C++ function becomes one (server/tools).
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

/// What a tool is beyond its name, description and handler.
class ToolOptions : public FeatureOptions<ToolOptions> {
public:
    ToolOptions() = default;

    ToolOptions& annotations(ToolAnnotations hints) {
        annotations_ = std::move(hints);
        return *this;
    }
    /// Replaces a longer result by an error; zero is no limit.
    ToolOptions& max_result_bytes(std::size_t bytes) noexcept {
        max_result_bytes_ = bytes;
        return *this;
    }
    /// A disabled tool is not listed, and calling it fails with the kind `disabled`.
    ToolOptions& enabled(bool on) noexcept {
        enabled_ = on;
        return *this;
    }
    /// Whether structured output is checked against the output schema. On by default, except where
    /// the schema was made from the type of the output.
    ToolOptions& check_output(bool on) noexcept {
        check_output_ = on;
        return *this;
    }
    /// Replaces the output schema.
    ToolOptions& output_schema(RawJson schema) {
        output_schema_ = std::move(schema);
        return *this;
    }

    std::optional<ToolAnnotations> const& annotations() const noexcept { return annotations_; }
    std::size_t max_result_bytes() const noexcept { return max_result_bytes_; }
    bool enabled() const noexcept { return enabled_; }
    std::optional<bool> check_output() const noexcept { return check_output_; }
    RawJson const& output_schema() const noexcept { return output_schema_; }

private:
    std::optional<ToolAnnotations> annotations_;
    std::size_t max_result_bytes_ = 16 * 1024 * 1024;
    bool enabled_ = true;
    std::optional<bool> check_output_;
    RawJson output_schema_;
};

/// What a handler has returned, before any revision's encoding. Reusable: its memory is kept.
class ToolReply {
public:
    enum class Kind {
        nothing,     ///< no content
        text,        ///< one text block
        structured,  ///< structured content, which is repeated as a text block
        result,      ///< as the handler composed it
    };

    void set_text(std::string_view text) {
        text_.assign(text);
        kind_ = Kind::text;
    }
    void take_text(std::string&& text) noexcept {
        text_ = std::move(text);
        kind_ = Kind::text;
    }
    /// The place to write the structured content to: one JSON object.
    std::string& begin_structured() {
        text_.clear();
        kind_ = Kind::structured;
        return text_;
    }
    void set_result(CallToolResult result) {
        result_ = std::move(result);
        kind_ = Kind::result;
    }
    void clear() noexcept {
        text_.clear();
        result_.reset();
        kind_ = Kind::nothing;
    }

    Kind kind() const noexcept { return kind_; }
    /// Where the kind is text.
    std::string_view text() const noexcept { return text_; }
    /// Where the kind is structured: JSON text.
    std::string_view structured() const noexcept { return text_; }
    /// Where the kind is result.
    CallToolResult const& result() const noexcept { return *result_; }

private:
    Kind kind_ = Kind::nothing;
    std::string text_;
    std::optional<CallToolResult> result_;
};

/// A handler with its types taken off. Either decode and call are set, or start; copies share the
/// handler.
struct ToolFunction {
    /// Reads the arguments into the store; the view is not used afterwards. Throws ToolError.
    std::function<void(json::View arguments, server::InputStore& input)> decode;
    /// Runs the handler with what decode() has left in the store. Returns when the call is done;
    /// may throw anything.
    std::function<void(server::InputStore& input, Context& context, ToolReply& reply)> call;
    /// Whether call() uses the context.
    bool takes_context = true;
    /// Reads the arguments before it returns; the view is not used afterwards. The task needs the
    /// context and the reply, but not this function.
    std::function<Task<>(json::View arguments, Context& context, ToolReply& reply)> start;
};

namespace server {

/// Throws ToolError (invalid_arguments) with the JSON Pointer to what is wrong.
[[noreturn]] void refuse_arguments(DecodeError const& error);
/// Throws ToolError (invalid_arguments) where there are any.
void refuse_any_argument(json::View arguments);

/// The schema of a tool that takes nothing (T-04).
RawJson const& no_arguments_schema();

template <class T>
concept TextOutput = std::convertible_to<T const&, std::string_view>;

template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... Ts>
inline constexpr bool is_alternative<T, std::variant<Ts...>> = (std::same_as<T, Ts> || ...);

template <class T>
concept ContentOutput = std::same_as<T, ContentBlock> || is_alternative<T, ContentBlock>;

/// What says itself how it is sent.
template <class T>
concept ResultOutput = std::same_as<T, CallToolResult> ||
                       std::same_as<T, std::vector<ContentBlock>> || ContentOutput<T>;

template <class T>
concept MapOutput =
    std::same_as<typename T::key_type, std::string> && requires { typename T::mapped_type; };

/// What becomes structured content with a schema that follows from the type. A type of the
/// protocol is not looked at as a struct: its description belongs to the wire codecs.
template <class T>
concept StructuredOutput = !ResultOutput<T> && (MapOutput<T> || reflect::DescribedStruct<T>);

/// What becomes text by way of its JSON.
template <class T>
concept ScalarOutput = std::is_arithmetic_v<T> || reflect::DescribedEnum<T>;

template <class T>
concept ToolOutput = std::is_void_v<T> || TextOutput<T> || ResultOutput<T> ||
                     std::same_as<T, JsonObject> || ScalarOutput<T> || StructuredOutput<T>;

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
    } else if constexpr (std::is_arithmetic_v<T>) {
        reply.take_text(to_json_text(value));
    } else if constexpr (std::is_enum_v<T>) {
        auto const quoted = to_json_text(value);
        reply.set_text(std::string_view(quoted).substr(1, quoted.size() - 2));
    } else {
        json::Writer writer(reply.begin_structured());
        encode(writer, value);
    }
}

template <class In>
void decode_arguments(json::View arguments, [[maybe_unused]] In& input) {
    if constexpr (std::same_as<In, NoInput>) {
        refuse_any_argument(arguments);
    } else {
        DecodeContext context;
        if (!Codec<In>::decode(arguments, input, context)) refuse_arguments(context.take_error());
    }
}

/// The handler's coroutine, owning what the handler needs.
template <class F>
Task<> run_tool(std::shared_ptr<F> handler, typename Handler<F>::Input input, Context& context,
                ToolReply& reply) {
    auto task = Handler<F>::invoke(*handler, input, context);
    if constexpr (std::is_void_v<typename Handler<F>::Value>) {
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
        using H = Handler<F>;
        static_assert(
            !H::takes_input || requires { Codec<typename H::Input>{}; },
            "describe the input struct of the tool with LANYARD_STRUCT");
        static_assert(ToolOutput<typename H::Value>,
                      "a tool returns text, a number, a struct described with LANYARD_STRUCT, "
                      "content blocks, CallToolResult, void, or a Task of one of these");
    }
}

}  // namespace server

/// Takes the types off a handler of the form (), (Input), (Context&) or (Input, Context&). The
/// input is a described struct, or JsonObject for arguments of any shape. What it returns becomes
///
/// - a text block: text, numbers, booleans, described enumerations;
/// - structured content with a text block that repeats it: described structs, maps, JsonObject;
/// - what it says: CallToolResult, content blocks; void is a result without content.
///
/// A handler that returns a Task of one of these is a coroutine.
template <class F>
ToolFunction bind_tool(F handler) {
    server::check_tool_handler<F>();
    using H = server::Handler<F>;
    ToolFunction function;
    auto shared = std::make_shared<F>(std::move(handler));
    if constexpr (H::is_task) {
        function.start = [shared](json::View arguments, Context& context, ToolReply& reply) {
            typename H::Input input{};
            server::decode_arguments(arguments, input);
            return server::run_tool<F>(shared, std::move(input), context, reply);
        };
    } else {
        function.takes_context = H::takes_context;
        function.decode = [](json::View arguments, server::InputStore& store) {
            server::decode_arguments(arguments, store.emplace<typename H::Input>());
        };
        function.call = [shared](server::InputStore& store, Context& context, ToolReply& reply) {
            auto& input = store.get<typename H::Input>();
            if constexpr (std::is_void_v<typename H::Value>) {
                H::invoke(*shared, input, context);
            } else {
                server::write_reply(reply, H::invoke(*shared, input, context));
            }
            store.clear();
        };
    }
    return function;
}

/// A tool with the schemas that follow from the types of its handler.
template <class F>
Tool describe_tool(std::string name, std::string description) {
    server::check_tool_handler<F>();
    using H = server::Handler<F>;
    Tool tool;
    tool.name = std::move(name);
    tool.description = std::move(description);
    if constexpr (H::takes_input) {
        tool.input_schema = schema_text_of<typename H::Input>();
    } else {
        tool.input_schema = server::no_arguments_schema();
    }
    if constexpr (server::StructuredOutput<typename H::Value>) {
        tool.output_schema = schema_text_of<typename H::Value>();
    }
    return tool;
}

}  // namespace lanyard
