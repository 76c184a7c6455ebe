// The search for a path through a template's automaton that consumes a whole URI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "uri_template/program.hpp"

namespace lanyard::uri_template {

/// A node on the path, and the position in the URI at which the search entered it.
struct Step {
    NodeIndex node;
    std::uint32_t begin;
    /// For Kind::run: the position after the consumed characters.
    std::uint32_t end;
    /// For Kind::run with a character limit: the number of characters (not bytes) that were
    /// consumed.
    std::uint16_t characters;
    /// For Kind::choice: whether `next` has failed, so that `other` is tried. For Kind::run:
    /// whether each further attempt consumes fewer characters than the one before.
    bool retreating;
};

/// The steps of a path. A long path is stored in pieces, so that it is never copied as a whole and
/// can be freed piece by piece.
class TemplatePath {
public:
    bool empty() const noexcept { return top_.empty() && below_.empty(); }
    Step& back() noexcept { return top_.back(); }
    void push(Step const& step) {
        if (top_.empty()) top_.reserve(first_piece);
        if (top_.size() == piece) {
            below_.push_back(std::move(top_));
            top_ = {};
            top_.reserve(piece);
        }
        top_.push_back(step);
    }
    void pop() noexcept {
        top_.pop_back();
        if (!top_.empty() || below_.empty()) return;
        top_ = std::move(below_.back());
        below_.pop_back();
    }

    template <class F>
    void for_each(F const& show) const {
        for (auto const& steps : below_) {
            for (auto const& step : steps) show(step);
        }
        for (auto const& step : top_) show(step);
    }
    /// Like for_each(), but frees the steps and leaves the path empty.
    template <class F>
    void consume(F const& show) {
        for (auto& steps : below_) {
            for (auto const& step : steps) show(step);
            std::vector<Step>().swap(steps);
        }
        for (auto const& step : top_) show(step);
        below_.clear();
        std::vector<Step>().swap(top_);
    }

private:
    static constexpr std::size_t first_piece = 16;
    static constexpr std::size_t piece = 4096;

    std::vector<std::vector<Step>> below_;
    std::vector<Step> top_;  // empty only if the path is empty
};

/// Returns the preferred path that consumes the whole URI, or nullopt if there is none. The path
/// contains only the nodes of Kind::run and Kind::choice, in order. `steps` receives the number of
/// nodes entered and characters examined.
std::optional<TemplatePath> find_path(TemplateProgram const& program, std::string_view uri,
                                      std::size_t& steps);

}  // namespace lanyard::uri_template
