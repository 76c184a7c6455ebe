#include "uri_template/path.hpp"

#include <algorithm>
#include <utility>

namespace lanyard::uri_template {

namespace {

/// Searches depth-first in the order of preference. Records dead ends, so that no node is tried
/// twice at the same position: the time is linear in the length of the URI for every template.
class PathFinder {
public:
    PathFinder(TemplateProgram const& program, std::string_view uri) noexcept
        : program_(program),
          uri_(uri),
          budget_(steps_per_place * program.nodes.size() * (uri.size() + 1)) {}

    bool find();

    /// The path that was found.
    TemplatePath path() && noexcept { return std::move(path_); }
    std::size_t steps() const noexcept { return steps_; }

private:
    // The search fails when it has taken this many steps per pair of a node and a position in the
    // URI. If no variable has a character limit, a search takes fewer than four steps per pair.
    static constexpr std::size_t steps_per_place = 8;

    struct Place {
        NodeIndex node;
        std::uint32_t at;
    };
    enum class Outcome { go_on, dead_end, found };

    Outcome enter(Place& place);
    bool back_up(Place& place);
    bool advance(Step& run);
    bool retreat(Step& run);
    std::uint32_t unit_size(std::uint32_t at, CharacterSet allowed) const noexcept;
    bool counts(TemplateNode const& node, std::uint32_t at) const noexcept;
    bool is_at(std::uint32_t at, char c) const noexcept {
        return at < uri_.size() && uri_[at] == c;
    }

    bool is_dead_end(TemplateNode const& node, std::uint32_t at,
                     std::uint16_t characters) const noexcept;
    void remember_dead_end(TemplateNode const& node, std::uint32_t at, std::uint16_t characters);
    std::size_t memo_index(TemplateNode const& node, std::uint32_t at) const noexcept {
        return node.memo * (uri_.size() + 1) + at;
    }

    TemplateProgram const& program_;
    std::string_view uri_;
    std::size_t budget_;
    std::size_t steps_ = 0;
    TemplatePath path_;
    // Whether a node is a dead end at a position, indexed by memo_index(). Allocated when the first
    // dead end is recorded, because most searches record none.
    std::vector<bool> dead_ends_;
    // Dead ends of nodes of Kind::run that have a character limit, indexed by memo_index(). Each
    // entry is a number of characters: if the node has consumed at least this many when the search
    // reaches the position, the search cannot succeed from this position.
    std::vector<std::uint16_t> limited_dead_ends_;
};

bool PathFinder::find() {
    Place place{program_.start, 0};
    while (steps_ < budget_) {
        auto const outcome = enter(place);
        if (outcome == Outcome::found) return true;
        if (outcome == Outcome::dead_end && !back_up(place)) return false;
    }
    return false;
}

PathFinder::Outcome PathFinder::enter(Place& place) {
    ++steps_;
    auto const& node = program_.nodes[place.node];
    switch (node.kind) {
        case TemplateNode::Kind::literal:
            if (!uri_.substr(place.at).starts_with(node.text)) return Outcome::dead_end;
            place = {node.next, place.at + static_cast<std::uint32_t>(node.text.size())};
            return Outcome::go_on;
        case TemplateNode::Kind::choice:
            if (is_dead_end(node, place.at, 0)) return Outcome::dead_end;
            path_.push({place.node, place.at, place.at, 0, false});
            place.node = node.next;
            return Outcome::go_on;
        case TemplateNode::Kind::run: {
            if (is_dead_end(node, place.at, 0)) return Outcome::dead_end;
            Step run{place.node, place.at, place.at, 0, false};
            bool const any = !is_at(place.at, node.stop) && advance(run);
            if (node.needs_character && !any) return Outcome::dead_end;
            path_.push(run);
            place = {node.next, run.end};
            return Outcome::go_on;
        }
        case TemplateNode::Kind::accept:
            break;
    }
    return place.at == uri_.size() ? Outcome::found : Outcome::dead_end;
}

// Goes back to the last node that has another alternative, and sets `place` to the next place to
// try. Returns false if there is no such node.
bool PathFinder::back_up(Place& place) {
    while (!path_.empty()) {
        ++steps_;
        auto& step = path_.back();
        auto const& node = program_.nodes[step.node];
        if (node.kind == TemplateNode::Kind::choice && !step.retreating) {
            step.retreating = true;
            place = {node.other, step.begin};
            return true;
        }
        if (node.kind == TemplateNode::Kind::run && retreat(step)) {
            place = {node.next, step.end};
            return true;
        }
        remember_dead_end(node, step.begin, 0);
        path_.pop();
    }
    return false;
}

// Consumes characters up to the next TemplateNode::stop character, or as many as the node allows.
// Returns whether any were consumed.
bool PathFinder::advance(Step& run) {
    auto const& node = program_.nodes[run.node];
    auto const before = run.end;
    do {
        ++steps_;
        auto const size = unit_size(run.end, node.allowed);
        if (size == 0) break;
        auto const characters = static_cast<std::uint16_t>(run.characters + counts(node, run.end));
        if (characters > node.limit || is_dead_end(node, run.end + size, characters)) break;
        run.end += size;
        run.characters = characters;
    } while (!is_at(run.end, node.stop));
    return run.end != before;
}

// Moves the end of the consumed characters to the next position to try. The end first moves
// forward, from one TemplateNode::stop character to the next, then backward by single characters.
// On the way back, it skips the stop characters, because they have been tried. Returns false if no
// position is left.
bool PathFinder::retreat(Step& run) {
    auto const& node = program_.nodes[run.node];
    if (!run.retreating) {
        if (is_at(run.end, node.stop) && advance(run)) return true;
        run.retreating = true;
    }
    auto const least = run.begin + (node.needs_character ? 1 : 0);
    while (run.end > least) {
        ++steps_;
        remember_dead_end(node, run.end, run.characters);
        // A '%' among the consumed characters is always the beginning of a triplet ("%XX").
        run.end -= run.end - run.begin >= 3 && uri_[run.end - 3] == '%' ? 3 : 1;
        run.characters = static_cast<std::uint16_t>(run.characters - counts(node, run.end));
        if (run.end >= least && !is_at(run.end, node.stop)) return true;
    }
    return false;
}

// Returns the size of the character or triplet at this position, or 0 if it is not allowed.
std::uint32_t PathFinder::unit_size(std::uint32_t at, CharacterSet allowed) const noexcept {
    if (at == uri_.size() || allowed == no_characters) return 0;
    if (is(uri_[at], allowed)) return 1;
    return is_triplet(uri_, at) ? 3 : 0;
}

// Whether the character or triplet at this position counts toward the node's character limit. Bytes
// that continue a UTF-8 character do not count.
bool PathFinder::counts(TemplateNode const& node, std::uint32_t at) const noexcept {
    if (!node.is_limited()) return false;
    return begins_character(uri_[at] == '%' ? triplet_byte(uri_, at) : uri_[at]);
}

bool PathFinder::is_dead_end(TemplateNode const& node, std::uint32_t at,
                             std::uint16_t characters) const noexcept {
    auto const index = memo_index(node, at);
    if (node.is_limited()) {
        return !limited_dead_ends_.empty() && characters >= limited_dead_ends_[index];
    }
    return !dead_ends_.empty() && dead_ends_[index];
}

void PathFinder::remember_dead_end(TemplateNode const& node, std::uint32_t at,
                                   std::uint16_t characters) {
    auto const places = uri_.size() + 1;
    auto const index = memo_index(node, at);
    if (node.is_limited()) {
        limited_dead_ends_.resize(program_.limited_memos * places, no_limit);
        limited_dead_ends_[index] = std::min(limited_dead_ends_[index], characters);
    } else {
        dead_ends_.resize(program_.memos * places);
        dead_ends_[index] = true;
    }
}

}  // namespace

std::optional<TemplatePath> find_path(TemplateProgram const& program, std::string_view uri,
                                      std::size_t& steps) {
    PathFinder finder(program, uri);
    bool const found = finder.find();
    steps = finder.steps();
    if (!found) return std::nullopt;
    return std::move(finder).path();
}

}  // namespace lanyard::uri_template
