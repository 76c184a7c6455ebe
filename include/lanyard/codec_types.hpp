// Codecs of maps, sets, pairs, tuples, spans, paths, durations and time points; part of codec.hpp.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ratio>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <lanyard/codec.hpp>

namespace lanyard {

namespace codec {

template <class T>
inline constexpr bool is_key =
    std::same_as<T, std::string> || (std::integral<T> && !std::same_as<T, bool>);

}  // namespace codec

/// std::map, std::unordered_map and other types that map strings or integers to values. Integer
/// keys are written as decimal member names.
template <class Map>
    requires codec::is_key<typename Map::key_type> && requires { typename Map::mapped_type; }
struct Codec<Map> {
    using Key = typename Map::key_type;
    using T = typename Map::mapped_type;
    using Elements = reflect::Types<T>;
    using Keys = reflect::Shape::Keys;
    static constexpr bool named = std::same_as<Key, std::string>;
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::map,
                                          .keys = named ? Keys::strings
                                                  : std::is_unsigned_v<Key>
                                                      ? Keys::unsigned_integers
                                                      : Keys::integers,
                                          .element = &reflect::shape_of<T>};

    static void encode(json::Writer& writer, Map const& value, EncodeContext const& context) {
        writer.begin_object();
        for (auto const& [key, mapped] : value) {
            if constexpr (named) {
                writer.key(key);
            } else {
                writer.key(std::to_string(key));
            }
            Codec<T>::encode(writer, mapped, context);
        }
        writer.end_object();
    }
    static bool decode(json::View view, Map& out, DecodeContext& context) {
        if (!view.is_object()) return context.fail_expected("an object", view);
        out.clear();
        DecodeContext::Step step(context, std::string_view{});
        for (auto const& [key, value] : view.members()) {
            std::string name;
            key.append_string_to(name);
            if constexpr (named) {
                auto& [stored, mapped] = *out.emplace(std::move(name), T{}).first;
                step.rename(stored);
                if (!Codec<T>::decode(value, mapped, context)) return false;
            } else {
                using Limits = std::numeric_limits<Key>;
                using Wide = std::conditional_t<std::is_signed_v<Key>, std::int64_t, std::uint64_t>;
                Wide number = 0;
                step.rename(name);
                if (!codec::decode_key(name, Wide{Limits::min()}, Wide{Limits::max()}, number,
                                       context)) {
                    return false;
                }
                auto& mapped = out.emplace(static_cast<Key>(number), T{}).first->second;
                if (!Codec<T>::decode(value, mapped, context)) return false;
            }
        }
        return true;
    }
};

/// std::set, std::unordered_set and similar types become arrays. Decoding a set refuses equal
/// items; decoding a multiset accepts them.
template <class Set>
    requires reflect::is_set<Set>
struct Codec<Set> {
    using T = typename Set::value_type;
    using Elements = reflect::Types<T>;
    static constexpr bool unique =
        requires(Set& set, T value) { set.insert(std::move(value)).second; };
    static constexpr reflect::Shape shape{
        .kind = reflect::Shape::Kind::array, .unique = unique, .element = &reflect::shape_of<T>};

    static void encode(json::Writer& writer, Set const& value, EncodeContext const& context) {
        writer.begin_array();
        for (auto const& element : value) Codec<T>::encode(writer, element, context);
        writer.end_array();
    }
    static bool decode(json::View view, Set& out, DecodeContext& context) {
        if (!codec::check_array(view, std::nullopt, context)) return false;
        out.clear();
        DecodeContext::Step step(context, std::size_t{0});
        for (auto const element : view.elements()) {
            T value{};
            if (!Codec<T>::decode(element, value, context)) return false;
            if constexpr (unique) {
                if (!out.insert(std::move(value)).second) return codec::fail_equal_items(context);
            } else {
                out.insert(std::move(value));
            }
            step.next();
        }
        return true;
    }
};

/// A std::span can only be encoded: it owns no memory to decode into.
template <class T, std::size_t N>
struct Codec<std::span<T, N>> {
    using Element = std::remove_const_t<T>;
    using Elements = reflect::Types<Element>;
    static constexpr bool sized = N != std::dynamic_extent;
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::array,
                                          .size = sized ? N : 0,
                                          .sized = sized,
                                          .element = &reflect::shape_of<Element>};
    static void encode(json::Writer& writer, std::span<T, N> value, EncodeContext const& context) {
        writer.begin_array();
        for (auto const& element : value) Codec<Element>::encode(writer, element, context);
        writer.end_array();
    }
};

namespace codec {

/// The codec of pairs and tuples: a JSON array with one item for each element.
template <class Tuple, class... Ts>
struct TupleCodec {
    using Elements = reflect::Types<Ts...>;
    static constexpr std::array<reflect::TypeOps, sizeof...(Ts)> parts{
        reflect::TypeOps{&reflect::shape_of<Ts>, nullptr, nullptr}...};
    static constexpr reflect::Shape shape{
        .kind = reflect::Shape::Kind::tuple, .size = sizeof...(Ts), .alternatives = parts};

    static void encode(json::Writer& writer, Tuple const& value, EncodeContext const& context) {
        writer.begin_array();
        std::apply([&](Ts const&... part) { (Codec<Ts>::encode(writer, part, context), ...); },
                   value);
        writer.end_array();
    }
    static bool decode(json::View view, Tuple& out, DecodeContext& context) {
        if (!check_array(view, sizeof...(Ts), context)) return false;
        [[maybe_unused]] DecodeContext::Step step(context, std::size_t{0});
        auto const elements = view.elements();
        [[maybe_unused]] auto item = elements.begin();
        [[maybe_unused]] auto const decode_part = [&]<class T>(T& part) {
            if (!Codec<T>::decode(*item, part, context)) return false;
            ++item;
            step.next();
            return true;
        };
        return std::apply([&](Ts&... part) { return (decode_part(part) && ...); }, out);
    }
};

}  // namespace codec

template <class A, class B>
struct Codec<std::pair<A, B>> : codec::TupleCodec<std::pair<A, B>, A, B> {};
template <class... Ts>
struct Codec<std::tuple<Ts...>> : codec::TupleCodec<std::tuple<Ts...>, Ts...> {};

/// A std::filesystem::path is a UTF-8 string in JSON. The path is not normalized.
template <class Path>
    requires reflect::is_path<Path>
struct Codec<Path> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::string};
    static void encode(json::Writer& writer, Path const& value, EncodeContext const&) {
        auto const text = value.u8string();
        writer.string({reinterpret_cast<char const*>(text.data()), text.size()});
    }
    static bool decode(json::View view, Path& out, DecodeContext& context) {
        std::string text;
        if (!codec::decode_path(view, text, context)) return false;
        out = Path(std::u8string(text.begin(), text.end()));
        return true;
    }
};

/// A duration is a number of seconds in JSON. If the type counts seconds or longer units, only
/// integers are accepted. If it counts shorter units, fractions are accepted and rounded to the
/// nearest tick.
template <class Rep, class Period>
struct Codec<std::chrono::duration<Rep, Period>> {
    using Value = std::chrono::duration<Rep, Period>;
    static constexpr bool real = std::floating_point<Rep>;
    static_assert(real || Period::num == 1 || Period::den == 1,
                  "a duration counts seconds, multiples of seconds or parts of a second");
    static constexpr bool whole = !real && Period::den == 1;
    static constexpr reflect::Shape shape{
        .kind = whole ? reflect::Shape::Kind::integer : reflect::Shape::Kind::number,
        .multiple_of = whole && Period::num > 1 ? reflect::Number(std::int64_t{Period::num})
                                                : reflect::Number()};

    static void encode(json::Writer& writer, Value value, EncodeContext const&) {
        if constexpr (real) {
            writer.real(std::chrono::duration<double>(value).count());
        } else if constexpr (whole) {
            codec::encode_whole_ticks(writer, static_cast<std::int64_t>(value.count()),
                                      Period::num);
        } else {
            codec::encode_ticks(writer, static_cast<std::int64_t>(value.count()), Period::den);
        }
    }
    static bool decode(json::View view, Value& out, DecodeContext& context) {
        using Limits = std::numeric_limits<Rep>;
        if constexpr (real) {
            double seconds = 0;
            if (!codec::decode_real(view, std::numeric_limits<double>::max(), seconds, context)) {
                return false;
            }
            out = std::chrono::duration_cast<Value>(std::chrono::duration<double>(seconds));
            return true;
        } else {
            constexpr std::int64_t least = Limits::min();
            constexpr std::int64_t most = std::in_range<std::int64_t>(Limits::max())
                                              ? static_cast<std::int64_t>(Limits::max())
                                              : INT64_MAX;
            std::int64_t ticks = 0;
            bool const read =
                whole ? codec::decode_whole_ticks(view, Period::num, least, most, ticks, context)
                      : codec::decode_ticks(view, Period::den, least, most, ticks, context);
            if (!read) return false;
            out = Value(static_cast<Rep>(ticks));
            return true;
        }
    }
};

/// A point in time of the system clock: an RFC 3339 string, written in UTC. Fractions of a second
/// that the type cannot hold are truncated on decoding.
template <class Duration>
struct Codec<std::chrono::sys_time<Duration>> {
    using Value = std::chrono::sys_time<Duration>;
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::string,
                                          .format = "date-time"};

    static void encode(json::Writer& writer, Value value, EncodeContext const&) {
        auto const seconds = std::chrono::floor<std::chrono::seconds>(value);
        auto const rest = std::chrono::duration_cast<std::chrono::nanoseconds>(value - seconds);
        codec::encode_instant(writer, {seconds.time_since_epoch().count(), rest.count()});
    }
    static bool decode(json::View view, Value& out, DecodeContext& context) {
        codec::Instant instant;
        if (!codec::decode_instant(view, instant, context)) return false;
        // Some valid dates do not fit the type: if Duration counts nanoseconds, its range is
        // smaller than the years 0000 to 9999.
        using Seconds = std::chrono::duration<double>;
        auto const about = static_cast<double>(instant.seconds);
        if (about <= std::chrono::duration_cast<Seconds>(Duration::min()).count() + 1 ||
            about >= std::chrono::duration_cast<Seconds>(Duration::max()).count() - 1) {
            return codec::fail_instant(view, context);
        }
        out = Value(std::chrono::floor<Duration>(std::chrono::seconds(instant.seconds)) +
                    std::chrono::floor<Duration>(std::chrono::nanoseconds(instant.nanoseconds)));
        return true;
    }
};

}  // namespace lanyard
