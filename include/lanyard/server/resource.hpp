// Resources of a server: options, and how values and functions become resources (MCP specification,
// server/resources).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanyard/protocol/resources.hpp>
#include <lanyard/server/feature_options.hpp>
#include <lanyard/server/handler.hpp>
#include <lanyard/server/text_input.hpp>
#include <lanyard/task.hpp>
#include <lanyard/uri_template.hpp>

namespace lanyard {

/// Options of a resource or template, besides its URI, name and content.
class ResourceOptions : public FeatureOptions<ResourceOptions> {
public:
    ResourceOptions() = default;

    /// A description for display and for the model. Default: none.
    ResourceOptions& description(std::string text) {
        description_ = std::move(text);
        return *this;
    }
    /// The MIME type, used in lists and for contents that do not set their own. Default: none.
    ResourceOptions& mime_type(std::string type) {
        mime_type_ = std::move(type);
        return *this;
    }
    /// The size in bytes, if it is known. Default: none. For static content, the size is set
    /// automatically.
    ResourceOptions& size(std::int64_t bytes) noexcept {
        size_ = bytes;
        return *this;
    }
    /// Hints about audience, priority and last modification. Default: none.
    ResourceOptions& annotations(Annotations annotations) {
        annotations_ = std::move(annotations);
        return *this;
    }
    /// How long clients may cache the content, and whether caches may be shared. Default: no
    /// caching.
    ResourceOptions& cache(CacheHint hint) noexcept {
        cache_ = hint;
        return *this;
    }
    /// How long the server caches the content; all clients get the same copy. Default: none, so
    /// every read calls the handler. Server::resource_updated() removes the content from the cache.
    /// Do not use this for content that depends on the caller.
    ResourceOptions& keep_reads(Duration expiry) noexcept {
        keep_reads_ = expiry;
        return *this;
    }

    std::string const& description() const noexcept { return description_; }
    std::string const& mime_type() const noexcept { return mime_type_; }
    std::optional<std::int64_t> size() const noexcept { return size_; }
    std::optional<Annotations> const& annotations() const noexcept { return annotations_; }
    CacheHint cache() const noexcept { return cache_; }
    /// How long the server caches the content; zero if it does not.
    Duration keep_reads() const noexcept { return keep_reads_; }

private:
    std::string description_;
    std::string mime_type_;
    std::optional<std::int64_t> size_;
    std::optional<Annotations> annotations_;
    CacheHint cache_;
    Duration keep_reads_{0};
};

/// The result of a read; nullopt if there is no such resource. Contents without a URI get the URI
/// of the request. Contents without a MIME type get the MIME type of the resource.
using ReadReply = std::optional<ReadResourceResult>;

/// A type-erased resource handler. Exactly one of `call` and `start` is set. Copies share the
/// handler.
struct ResourceFunction {
    /// Returns the contents. May throw any exception.
    std::function<ReadReply(UriVariables const& variables, Context& context)> call;
    /// Returns the coroutine that runs the handler. The variables are decoded before this function
    /// returns, so they may be destroyed while the coroutine runs. The context must outlive the
    /// task; this ResourceFunction need not.
    std::function<Task<ReadReply>(UriVariables const& variables, Context& context)> start;
    /// The size in bytes, if the content is static.
    std::optional<std::int64_t> size{};
    /// The allowed values of each variable that is an enumeration.
    std::map<std::string, std::vector<std::string>> choices{};
    /// The variables that the handler needs: the required members of its struct.
    std::vector<std::string> required{};
};

namespace detail {

ResourceContents text_contents(std::string text, std::string mime_type = {});
ResourceContents blob_contents(std::vector<std::byte> const& bytes);

/// The next four concepts describe the types that a handler of a resource may return. A handler may
/// also return an optional of such a type.
template <class T>
concept ResourceText = std::convertible_to<T const&, std::string_view>;
template <class T>
concept ResourceBytes = std::same_as<T, std::vector<std::byte>>;
template <class T>
concept ResourceValue =
    std::same_as<T, ResourceContents> || std::same_as<T, TextResourceContents> ||
    std::same_as<T, BlobResourceContents> || std::same_as<T, std::vector<ResourceContents>> ||
    std::same_as<T, ReadResourceResult>;
template <class T>
concept ResourceJson =
    std::same_as<T, Json> || std::same_as<T, JsonObject> || std::same_as<T, JsonArray> ||
    std::same_as<T, RawJson> || reflect::DescribedStruct<T>;
template <class T>
concept PlainResourceOutput =
    ResourceText<T> || ResourceBytes<T> || ResourceValue<T> || ResourceJson<T>;
template <class T>
inline constexpr bool is_resource_output = PlainResourceOutput<T>;
template <class T>
inline constexpr bool is_resource_output<std::optional<T>> = PlainResourceOutput<T>;

template <class T>
ReadReply make_read_reply(T value) {
    ReadReply reply(std::in_place);
    if constexpr (std::same_as<T, ReadResourceResult>) {
        *reply = std::move(value);
    } else if constexpr (std::same_as<T, std::vector<ResourceContents>>) {
        reply->contents = std::move(value);
    } else if constexpr (ResourceValue<T>) {
        reply->contents.emplace_back(std::move(value));
    } else if constexpr (ResourceText<T>) {
        reply->contents.push_back(text_contents(std::string(std::move(value))));
    } else if constexpr (ResourceBytes<T>) {
        reply->contents.push_back(blob_contents(value));
    } else {
        reply->contents.push_back(text_contents(to_json_text(value), "application/json"));
    }
    return reply;
}

template <class T>
ReadReply make_read_reply(std::optional<T> value) {
    if (!value) return std::nullopt;
    return make_read_reply(*std::move(value));
}

template <class In>
std::optional<In> decode_variables([[maybe_unused]] UriVariables const& variables) {
    if constexpr (std::same_as<In, NoInput>) {
        return In{};
    } else if constexpr (std::same_as<In, UriVariables>) {
        return variables;
    } else {
        auto input = decode_texts<In>(variables);
        if (!input) return std::nullopt;
        return *std::move(input);
    }
}

template <class F>
Task<ReadReply> run_resource(std::shared_ptr<F> handler,
                             std::optional<typename HandlerTraits<F>::Input> input,
                             Context& context) {
    if (!input) co_return std::nullopt;
    auto task = HandlerTraits<F>::invoke(*handler, *input, context);
    auto value = co_await std::move(task);
    co_return make_read_reply(std::move(value));
}

template <class F>
consteval void check_resource_handler() {
    static_assert(has_handler_form<F>,
                  "a resource is text, bytes, or a function or lambda (no overloads, no auto "
                  "parameters) of the form () or (Context&); that of a template may begin with "
                  "UriVariables const& or a struct of the variables");
    if constexpr (has_handler_form<F>) {
        static_assert(is_resource_output<typename HandlerTraits<F>::Value>,
                      "a resource yields text, std::vector<std::byte>, ResourceContents or a "
                      "vector of them, ReadResourceResult, JSON, a struct described with "
                      "LANYARD_STRUCT, an optional of one of these, or a Task");
    }
}

template <class F>
ResourceFunction bind_reader(F handler) {
    check_resource_handler<F>();
    using H = HandlerTraits<F>;
    using Input = typename H::Input;
    ResourceFunction function;
    if constexpr (reflect::DescribedStruct<Input> && !std::same_as<Input, NoInput>) {
        function.choices = choices_of(*reflect::struct_info<Input>());
        function.required = required_of(*reflect::struct_info<Input>());
    }
    auto shared = std::make_shared<F>(std::move(handler));
    if constexpr (H::is_task) {
        function.start = [shared](UriVariables const& variables, Context& context) {
            return run_resource<F>(shared, decode_variables<Input>(variables), context);
        };
    } else {
        function.call = [shared](UriVariables const& variables, Context& context) -> ReadReply {
            auto input = decode_variables<Input>(variables);
            if (!input) return std::nullopt;
            return make_read_reply(H::invoke(*shared, *input, context));
        };
    }
    return function;
}

}  // namespace detail

/// Type-erases the content of a resource: constant text or bytes, or a handler of the form () or
/// (Context&). The handler returns one of these types:
///
/// - text, or bytes (std::vector<std::byte>);
/// - ResourceContents, a vector of ResourceContents, or ReadResourceResult;
/// - JSON, or a described struct, which is sent as JSON;
/// - an optional of one of these types, which is empty if the resource does not exist;
/// - a Task of one of these types.
template <class F>
ResourceFunction bind_resource(F content) {
    if constexpr (detail::ResourceText<F> || detail::ResourceBytes<F>) {
        using Kept = std::conditional_t<detail::ResourceText<F>, std::string, F>;
        Kept kept(std::move(content));
        auto const size = static_cast<std::int64_t>(kept.size());
        auto function = detail::bind_reader([kept = std::move(kept)]() { return kept; });
        function.size = size;
        return function;
    } else {
        return detail::bind_reader(std::move(content));
    }
}

/// Same as bind_resource(), for a template. The handler may take the variables as its first
/// parameter: as UriVariables const&, or as a described struct with a member for each variable. If
/// the variables of a URI cannot be converted to the types of the struct, the URI matches no
/// resource. A required member that is no variable of the template is an error at registration.
template <class F>
ResourceFunction bind_resource_template(F handler) {
    return detail::bind_reader(std::move(handler));
}

}  // namespace lanyard
