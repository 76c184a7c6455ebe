// The interface that validation needs from an instance, implemented for a parsed text (json::View)
// and for a tree (Json).
#pragma once

#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "lanyard/json/document.hpp"
#include "schema/number.hpp"

namespace lanyard::schema {

class ViewInstance {
public:
    explicit ViewInstance(json::View view) noexcept : view_(view) {}

    json::Kind kind() const noexcept { return view_.kind(); }
    std::size_t size() const noexcept { return view_.size(); }
    bool boolean() const noexcept { return *view_.as_bool(); }
    NumericValue number() const noexcept {
        if (auto const value = view_.as_int64()) return NumericValue(*value);
        if (auto const value = view_.as_uint64()) return NumericValue(*value);
        return NumericValue(*view_.as_double());
    }
    /// Returns the characters. If the text contains escapes, decodes them into `scratch`.
    std::string_view string(std::string& scratch) const {
        if (auto const plain = view_.plain_string()) return *plain;
        scratch.clear();
        view_.append_string_to(scratch);
        return scratch;
    }
    /// Calls f(element) for each element, until f returns false.
    template <class F>
    void each_element(F&& f) const {
        for (auto const element : view_.elements()) {
            if (!f(ViewInstance(element))) return;
        }
    }
    /// Calls f(key, value) for each member, until f returns false.
    template <class F>
    void each_member(F&& f) const {
        for (auto const& member : view_.members()) {
            if (!f(ViewInstance(member.key), ViewInstance(member.value))) return;
        }
    }

private:
    json::View view_;
};

class JsonInstance {
public:
    explicit JsonInstance(Json const& value) noexcept : value_(&value) {}

    json::Kind kind() const noexcept {
        if (value_ == nullptr) return json::Kind::string;
        switch (value_->kind()) {
            case boost::json::kind::null:
                return json::Kind::null;
            case boost::json::kind::bool_:
                return json::Kind::boolean;
            case boost::json::kind::int64:
                return json::Kind::integer;
            case boost::json::kind::uint64:
                return json::Kind::unsigned_integer;
            case boost::json::kind::double_:
                return json::Kind::real;
            case boost::json::kind::string:
                return json::Kind::string;
            case boost::json::kind::array:
                return json::Kind::array;
            case boost::json::kind::object:
                break;
        }
        return json::Kind::object;
    }
    std::size_t size() const noexcept {
        if (auto const* array = value_->if_array()) return array->size();
        return value_->get_object().size();
    }
    bool boolean() const noexcept { return value_->get_bool(); }
    NumericValue number() const noexcept { return NumericValue(*value_); }
    std::string_view string(std::string&) const noexcept {
        return value_ == nullptr ? key_ : std::string_view(value_->get_string());
    }
    template <class F>
    void each_element(F&& f) const {
        for (auto const& element : value_->get_array()) {
            if (!f(JsonInstance(element))) return;
        }
    }
    template <class F>
    void each_member(F&& f) const {
        for (auto const& member : value_->get_object()) {
            if (!f(JsonInstance(std::string_view(member.key())), JsonInstance(member.value()))) {
                return;
            }
        }
    }

private:
    explicit JsonInstance(std::string_view key) noexcept : value_(nullptr), key_(key) {}

    Json const* value_;
    std::string_view key_;
};

/// Whether two values that are neither arrays nor objects are equal.
template <class Instance>
bool same_scalar(Instance const& a, Instance const& b) {
    using json::Kind;
    auto const is_number = [](Kind kind) {
        return kind == Kind::integer || kind == Kind::unsigned_integer || kind == Kind::real;
    };
    if (is_number(a.kind()) && is_number(b.kind())) return a.number() == b.number();
    if (a.kind() != b.kind()) return false;
    if (a.kind() == Kind::boolean) return a.boolean() == b.boolean();
    if (a.kind() == Kind::null) return true;
    std::string scratch_a;
    std::string scratch_b;
    return a.string(scratch_a) == b.string(scratch_b);
}

}  // namespace lanyard::schema
