// uniqueItems in O(n log n): encodes the elements so that equal values get equal bytes, then sorts
// them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schema/instance.hpp"

namespace lanyard::schema {

/// Writes values as bytes that are identical for equal values and different for all others. The
/// numbers 1 and 1.0 are equal, and the order of an object's members does not matter. Calls
/// `allow(steps, depth)` for each value; the encoding stops if `allow` returns false.
template <class Instance, class Allow>
class Encoder {
public:
    explicit Encoder(Allow allow) : allow_(allow) {}

    /// Returns false if `allow` has stopped the encoding.
    bool append(Instance const& in) {
        std::size_t const before = out_.size();
        std::string scratch;
        bool ok = true;
        ++depth_;
        switch (in.kind()) {
            case json::Kind::null:
                out_ += 'n';
                break;
            case json::Kind::boolean:
                out_ += in.boolean() ? 't' : 'f';
                break;
            case json::Kind::integer:
            case json::Kind::unsigned_integer:
            case json::Kind::real:
                in.number().append_bytes_to(out_);
                break;
            case json::Kind::string:
                out_ += 's';
                append_text(in.string(scratch));
                break;
            case json::Kind::array:
                out_ += 'a';
                append_size(in.size());
                ok = allow_(1, depth_);
                in.each_element([&](Instance const& item) {
                    ok = ok && append(item);
                    return ok;
                });
                break;
            case json::Kind::object:
                ok = append_object(in);
                break;
        }
        --depth_;
        return ok && allow_(1 + (out_.size() - before) / 64, depth_);
    }

    std::string const& bytes() const noexcept { return out_; }

private:
    bool append_object(Instance const& in) {
        std::vector<std::pair<std::string, Instance>> members;
        members.reserve(in.size());
        std::string scratch;
        in.each_member([&](Instance const& key, Instance const& value) {
            members.emplace_back(std::string(key.string(scratch)), value);
            return true;
        });
        std::sort(members.begin(), members.end(),
                  [](auto const& a, auto const& b) { return a.first < b.first; });
        out_ += 'o';
        append_size(members.size());
        bool ok = allow_(1, depth_);
        for (auto const& [key, value] : members) {
            append_text(key);
            ok = ok && append(value);
        }
        return ok;
    }

    void append_size(std::size_t size) {
        auto const bytes = std::bit_cast<std::array<char, sizeof size>>(size);
        out_.append(bytes.data(), bytes.size());
    }

    void append_text(std::string_view text) {
        append_size(text.size());
        out_ += text;
    }

    Allow allow_;
    std::string out_;
    std::size_t depth_ = 0;
};

using Twins = std::optional<std::pair<std::size_t, std::size_t>>;

/// Compares every element with every other one. Used only for arrays that have few elements and
/// contain no arrays or objects.
template <class Instance>
Twins find_duplicate_scalar(Instance const& array) {
    Twins twins;
    std::size_t first = 0;
    array.each_element([&](Instance const& a) {
        std::size_t second = 0;
        array.each_element([&](Instance const& b) {
            if (second < first && same_scalar(a, b)) twins = std::pair(second, first);
            return ++second < first && !twins;
        });
        ++first;
        return !twins;
    });
    return twins;
}

/// Returns the positions of two equal elements of an array; nullopt if there are none or `allow`
/// has stopped the search.
template <class Instance, class Allow>
Twins find_duplicate(Instance const& array, Allow allow) {
    constexpr std::size_t few = 16;
    if (array.size() <= few) {
        bool scalars = true;
        array.each_element([&](Instance const& item) {
            scalars = item.kind() != json::Kind::array && item.kind() != json::Kind::object;
            return scalars;
        });
        if (scalars) return find_duplicate_scalar(array);
    }
    Encoder<Instance, Allow> encoder(allow);
    std::vector<std::size_t> ends;
    ends.reserve(array.size());
    bool finished = true;
    array.each_element([&](Instance const& item) {
        finished = encoder.append(item);
        ends.push_back(encoder.bytes().size());
        return finished;
    });
    if (!finished) return std::nullopt;
    std::vector<std::pair<std::string_view, std::size_t>> items;
    items.reserve(ends.size());
    std::size_t begin = 0;
    for (std::size_t position = 0; position < ends.size(); ++position) {
        items.emplace_back(std::string_view(encoder.bytes()).substr(begin, ends[position] - begin),
                           position);
        begin = ends[position];
    }
    std::sort(items.begin(), items.end());
    auto const twin =
        std::adjacent_find(items.begin(), items.end(),
                           [](auto const& a, auto const& b) { return a.first == b.first; });
    if (twin == items.end()) return std::nullopt;
    return std::pair(twin->second, std::next(twin)->second);
}

}  // namespace lanyard::schema
