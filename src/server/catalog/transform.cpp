// The predefined transforms.
#include "lanyard/server/transform.hpp"

#include <utility>

#include "lanyard/error.hpp"
#include "protocol/validation.hpp"

namespace lanyard {

namespace {

void check_name(std::string_view what, std::string const& name) {
    if (auto valid = protocol::check_tool_name(name); !valid) {
        throw Error(Errc::invalid_argument,
                    std::string(what) + " \"" + name + "\": " + valid.error().message);
    }
}

class Prefix final : public Transform {
public:
    explicit Prefix(std::string prefix) : prefix_(std::move(prefix)) {
        check_name("prefix", prefix_);
    }

    std::optional<Tool> tool(Tool tool) const override {
        tool.name.insert(0, prefix_);
        return tool;
    }
    std::optional<Prompt> prompt(Prompt prompt) const override {
        prompt.name.insert(0, prefix_);
        return prompt;
    }
    std::string original_tool(std::string name) const override { return original(std::move(name)); }
    std::string original_prompt(std::string name) const override {
        return original(std::move(name));
    }

private:
    std::string original(std::string name) const {
        if (name.starts_with(prefix_)) name.erase(0, prefix_.size());
        return name;
    }

    std::string prefix_;
};

class Rename final : public Transform {
public:
    explicit Rename(std::map<std::string, std::string> names) : new_names_(std::move(names)) {
        for (auto const& [from, to] : new_names_) {
            check_name("new name", to);
            if (!old_names_.emplace(to, from).second) {
                throw Error(Errc::invalid_argument, "new name \"" + to + "\" is given twice");
            }
        }
    }

    std::optional<Tool> tool(Tool tool) const override {
        tool.name = mapped(new_names_, std::move(tool.name));
        return tool;
    }
    std::optional<Prompt> prompt(Prompt prompt) const override {
        prompt.name = mapped(new_names_, std::move(prompt.name));
        return prompt;
    }
    std::string original_tool(std::string name) const override {
        return mapped(old_names_, std::move(name));
    }
    std::string original_prompt(std::string name) const override {
        return mapped(old_names_, std::move(name));
    }

private:
    static std::string mapped(std::map<std::string, std::string> const& names, std::string name) {
        auto const found = names.find(name);
        if (found == names.end()) return name;
        return found->second;
    }

    std::map<std::string, std::string> new_names_;
    std::map<std::string, std::string> old_names_;
};

class Hide final : public Transform {
public:
    explicit Hide(std::function<bool(Tool const&)> hidden) : hidden_(std::move(hidden)) {}

    std::optional<Tool> tool(Tool tool) const override {
        if (hidden_(tool)) return std::nullopt;
        return tool;
    }

private:
    std::function<bool(Tool const&)> hidden_;
};

}  // namespace

std::shared_ptr<Transform> Transform::prefix(std::string prefix) {
    return std::make_shared<Prefix>(std::move(prefix));
}

std::shared_ptr<Transform> Transform::rename(std::map<std::string, std::string> names) {
    return std::make_shared<Rename>(std::move(names));
}

std::shared_ptr<Transform> Transform::hide(std::function<bool(Tool const& tool)> hidden) {
    return std::make_shared<Hide>(std::move(hidden));
}

}  // namespace lanyard
