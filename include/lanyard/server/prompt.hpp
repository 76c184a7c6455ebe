// Prompts of a server: options, and how a C++ function becomes a prompt (MCP specification,
// server/prompts).
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanyard/protocol/prompts.hpp>
#include <lanyard/server/feature_options.hpp>
#include <lanyard/server/handler.hpp>
#include <lanyard/server/text_input.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

/// Options of a prompt, besides its name, description and handler.
class PromptOptions : public FeatureOptions<PromptOptions> {
public:
    PromptOptions() = default;
};

/// The arguments of a prompt as the client sent them: their names and their values as strings.
using PromptArguments = std::map<std::string, std::string>;

/// A type-erased prompt handler. Exactly one of `call` and `start` is set. Copies share the
/// handler.
struct PromptFunction {
    /// Returns the prompt. May throw any exception; throws DecodeError if the arguments are
    /// invalid.
    std::function<GetPromptResult(PromptArguments const& arguments, Context& context)> call;
    /// Returns the coroutine that runs the handler. The arguments are decoded before this function
    /// returns, so they may be destroyed while the coroutine runs. The context must outlive the
    /// task; this PromptFunction need not.
    std::function<Task<GetPromptResult>(PromptArguments const& arguments, Context& context)> start;
    /// The allowed values of each argument that is an enumeration.
    std::map<std::string, std::vector<std::string>> choices{};
};

namespace detail {

/// Returns a message with the role `user`.
PromptMessage user_message(std::string text);
/// Returns the prompt arguments that correspond to the members of a described struct. Throws Error
/// (invalid_argument) if a member cannot be given as text; the message names the member.
std::vector<PromptArgument> prompt_arguments(reflect::StructInfo const& info);
UriVariables as_variables(PromptArguments const& arguments);

template <class T>
concept PromptOutput =
    std::convertible_to<T const&, std::string_view> || std::same_as<T, PromptMessage> ||
    std::same_as<T, std::vector<PromptMessage>> || std::same_as<T, GetPromptResult>;

template <class T>
concept PromptInput =
    std::same_as<T, NoInput> || std::same_as<T, PromptArguments> || reflect::DescribedStruct<T>;

template <PromptOutput T>
GetPromptResult make_prompt_result(T value) {
    if constexpr (std::same_as<T, GetPromptResult>) {
        return value;
    } else {
        GetPromptResult result;
        if constexpr (std::same_as<T, std::vector<PromptMessage>>) {
            result.messages = std::move(value);
        } else if constexpr (std::same_as<T, PromptMessage>) {
            result.messages.push_back(std::move(value));
        } else {
            result.messages.push_back(user_message(std::string(std::move(value))));
        }
        return result;
    }
}

template <class In>
In decode_prompt_arguments([[maybe_unused]] PromptArguments const& arguments) {
    if constexpr (std::same_as<In, NoInput>) {
        return In{};
    } else if constexpr (std::same_as<In, PromptArguments>) {
        return arguments;
    } else {
        auto input = decode_texts<In>(as_variables(arguments));
        if (!input) {
            throw DecodeError{"/arguments" + input.error().pointer, input.error().message};
        }
        return *std::move(input);
    }
}

template <class F>
Task<GetPromptResult> run_prompt(std::shared_ptr<F> handler, typename HandlerTraits<F>::Input input,
                                 Context& context) {
    auto task = HandlerTraits<F>::invoke(*handler, input, context);
    auto value = co_await std::move(task);
    co_return make_prompt_result(std::move(value));
}

template <class F>
consteval void check_prompt_handler() {
    static_assert(has_handler_form<F>,
                  "a prompt's handler is a function or lambda (no overloads, no auto parameters) "
                  "of the form (), (Input), (Context&) or (Input, Context&)");
    if constexpr (has_handler_form<F>) {
        static_assert(PromptInput<typename HandlerTraits<F>::Input>,
                      "describe the input struct of the prompt with LANYARD_STRUCT, or take "
                      "PromptArguments const&");
        static_assert(PromptOutput<typename HandlerTraits<F>::Value>,
                      "a prompt returns text, PromptMessage or a vector of them, "
                      "GetPromptResult, or a Task of one of these");
    }
}

}  // namespace detail

/// Type-erases a handler of the form (), (Input), (Context&) or (Input, Context&). The input is
/// either PromptArguments or a described struct of strings, numbers, booleans and enumerations. The
/// handler returns one of these types or a Task of it: text (for one message with the role `user`),
/// PromptMessage, a vector of PromptMessage, GetPromptResult.
template <class F>
PromptFunction bind_prompt(F handler) {
    detail::check_prompt_handler<F>();
    using H = detail::HandlerTraits<F>;
    using Input = typename H::Input;
    PromptFunction function;
    if constexpr (reflect::DescribedStruct<Input>) {
        function.choices = detail::choices_of(*reflect::struct_info<Input>());
    }
    auto shared = std::make_shared<F>(std::move(handler));
    if constexpr (H::is_task) {
        function.start = [shared](PromptArguments const& arguments, Context& context) {
            auto input = detail::decode_prompt_arguments<Input>(arguments);
            return detail::run_prompt<F>(shared, std::move(input), context);
        };
    } else {
        function.call = [shared](PromptArguments const& arguments, Context& context) {
            auto input = detail::decode_prompt_arguments<Input>(arguments);
            return detail::make_prompt_result(H::invoke(*shared, input, context));
        };
    }
    return function;
}

/// Returns a prompt whose arguments are derived from the input of its handler.
template <class F>
Prompt describe_prompt(std::string name, std::string description) {
    detail::check_prompt_handler<F>();
    using Input = typename detail::HandlerTraits<F>::Input;
    Prompt prompt;
    prompt.name = std::move(name);
    prompt.description = std::move(description);
    if constexpr (reflect::DescribedStruct<Input>) {
        prompt.arguments = detail::prompt_arguments(*reflect::struct_info<Input>());
    }
    return prompt;
}

}  // namespace lanyard
