#include "uri_template/expand.hpp"

namespace lanyard::uri_template {

namespace {

/// Returns the first `limit` characters of a value. If the value may contain triplets ("%XX"), does
/// not split them.
std::string_view prefix_of(std::string_view value, std::size_t limit, bool triplets) noexcept {
    std::size_t characters = 0;
    for (std::size_t at = 0; at < value.size();) {
        bool const triplet = triplets && is_triplet(value, at);
        char const byte = triplet ? triplet_byte(value, at) : value[at];
        if (begins_character(byte) && ++characters > limit) return value.substr(0, at);
        at += triplet ? 3 : 1;
    }
    return value;
}

/// Appends the value of one variable according to its operator and modifiers.
class ValueWriter {
public:
    ValueWriter(std::string& out, Operator const& op, Variable const& variable,
                std::string_view name) noexcept
        : out_(out), op_(op), variable_(variable), name_(name) {}

    void operator()(std::string const& value) {
        begin_item(name_);
        put(variable_.prefix == 0 ? value
                                  : prefix_of(value, variable_.prefix, op_.allows_reserved()));
        end_item();
    }

    void operator()(UriList const& list) {
        if (!variable_.explode) begin_item(name_);
        for (auto const& value : list) {
            if (&value != &list.front()) out_ += variable_.explode ? op_.separator : ',';
            if (variable_.explode) begin_item(name_);
            put(value);
            if (variable_.explode) end_item();
        }
        if (!variable_.explode) end_item();
    }

    void operator()(UriPairs const& pairs) {
        if (variable_.explode) {
            for (auto const& pair : pairs) {
                if (&pair != &pairs.front()) out_ += op_.separator;
                put(pair.first);
                begin_value();
                put(pair.second);
                if (op_.named) end_item();
            }
            return;
        }
        begin_item(name_);
        for (auto const& pair : pairs) {
            if (&pair != &pairs.front()) out_ += ',';
            put(pair.first);
            out_ += ',';
            put(pair.second);
        }
        end_item();
    }

private:
    void put(std::string_view text) { append_encoded(out_, text, op_.allowed); }

    void begin_value() {
        value_at_ = out_.size();
        out_ += '=';
    }

    // Only named operators write "name=". If the value is empty, end_item() replaces the '=' with
    // the operator's form of an empty value.
    void begin_item(std::string_view name) {
        if (!op_.named) return;
        out_ += name;
        begin_value();
    }
    void end_item() {
        if (!op_.named || out_.size() > value_at_ + 1) return;
        out_.resize(value_at_);
        out_ += op_.if_empty;
    }

    std::string& out_;
    Operator const& op_;
    Variable const& variable_;
    std::string_view name_;
    std::size_t value_at_ = 0;
};

bool is_undefined(UriValue const& value) noexcept {
    if (auto const* list = std::get_if<UriList>(&value)) return list->empty();
    if (auto const* pairs = std::get_if<UriPairs>(&value)) return pairs->empty();
    return false;
}

}  // namespace

Result<std::string, DecodeError> expand(Syntax const& syntax, UriVariables const& variables) {
    std::string out;
    for (auto const& part : syntax.parts) {
        auto const* expression = std::get_if<Expression>(&part);
        if (expression == nullptr) {
            out += std::get<std::string>(part);
            continue;
        }
        auto const& op = *expression->op;
        bool first = true;
        for (auto const& variable : expression->variables) {
            auto const& name = syntax.names[variable.name];
            auto const* value = variables.find(name);
            if (value == nullptr || is_undefined(*value)) continue;
            if (variable.prefix != 0 && !std::holds_alternative<std::string>(*value)) {
                return Unexpected(DecodeError{
                    "/" + name, "must be a string, because the URI template takes a prefix of it"});
            }
            if (first) {
                out += op.first;
            } else {
                out += op.separator;
            }
            first = false;
            std::visit(ValueWriter(out, op, variable, name), *value);
        }
    }
    return out;
}

}  // namespace lanyard::uri_template
