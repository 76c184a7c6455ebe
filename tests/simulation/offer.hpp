// The tools and resources of the simulated server.
#pragma once

#include "lanyard/server.hpp"
#include "stage.hpp"

namespace lanyard::simulation {

/// The argument of every tool.
struct Work {
    std::string token;
};
LANYARD_STRUCT(Work, (token, "Names the call"))

/// The names of the tools that are always offered. Each except "fail" returns the token it was
/// given.
inline constexpr std::array<std::string_view, 7> tool_names{"echo",  "fail", "later", "never",
                                                            "steps", "ask",  "think"};

/// The tools and resources of the server.
class Offer {
public:
    explicit Offer(Stage& stage) : stage_(stage) {}

    void add_to(Server& server);

private:
    void add_resources(Server& server);
    void note_run(std::string const& token);
    Task<std::string> wait_and_return(Work in, Duration most);
    Task<std::string> report(Work in, Context& context);
    Task<std::string> ask_first(Work in, Context& context);
    Task<std::string> think_first(Work in, Context& context);

    Stage& stage_;
};

}  // namespace lanyard::simulation
