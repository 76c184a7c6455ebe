#include "offer.hpp"

namespace lanyard::simulation {

struct Sure {
    bool really;
};
LANYARD_STRUCT(Sure, (really, "Whether to go on"))

namespace {

using namespace std::chrono_literals;

// Records a running handler, to check that all of them end.
class Working {
public:
    Working(Stage& stage, std::string const& token)
        : stage_(stage), entry_(stage.working.insert(token)) {}
    ~Working() { stage_.working.erase(entry_); }
    Working(Working const&) = delete;
    Working& operator=(Working const&) = delete;

private:
    Stage& stage_;
    std::multiset<std::string>::iterator entry_;
};

}  // namespace

void Offer::add_to(Server& server) {
    ToolOptions fast;
    fast.inline_();
    auto const echo = [this](Work in) {
        note_run(in.token);
        bool const swaps = stage_.defect == Defect::swaps_answers;
        return swaps && stage_.world.dice.percent(10) ? "x" : in.token;
    };
    server.tool("echo", "Returns the token", echo, fast);
    auto const fail = [this](Work in) -> std::string {
        note_run(in.token);
        throw ToolError(in.token);
    };
    server.tool("fail", "Fails with the token", fail, fast);
    auto const later = [this](Work in) { return wait_and_return(std::move(in), 8s); };
    server.tool("later", "Returns the token after a while", later);
    auto const never = [this](Work in) { return wait_and_return(std::move(in), 10h); };
    server.tool("never", "Returns only when it is cancelled", never);
    auto const steps = [this](Work in, Context& context) { return report(std::move(in), context); };
    server.tool("steps", "Reports progress", steps);
    auto const ask = [this](Work in, Context& context) {
        return ask_first(std::move(in), context);
    };
    server.tool("ask", "Asks the user before it returns the token", ask);
    auto const think = [this](Work in, Context& context) {
        return think_first(std::move(in), context);
    };
    server.tool("think", "Asks the model before it returns the token", think);
    add_resources(server);
}

void Offer::add_resources(Server& server) {
    ResourceOptions fast;
    fast.inline_();
    for (std::size_t i = 0; i < stage_.editions.size(); ++i) {
        auto const read = [this, i] {
            return resource_uri(i) + "#" + std::to_string(stage_.editions[i]);
        };
        server.resource(resource_uri(i), "resource " + std::to_string(i), read, fast);
    }
}

void Offer::note_run(std::string const& token) {
    if (++stage_.runs[token] > 1) stage_.violate(token + " ran twice");
}

Task<std::string> Offer::wait_and_return(Work in, Duration most) {
    Working const working(stage_, in.token);
    note_run(in.token);
    auto const until = stage_.time.now() + most / 2 + stage_.world.dice.up_to(most);
    co_await sleep_until(stage_.time, until);
    co_return in.token;
}

Task<std::string> Offer::report(Work in, Context& context) {
    Working const working(stage_, in.token);
    note_run(in.token);
    for (int i = 1; i <= 3; ++i) {
        context.report_progress(i, 3);
        auto const until = stage_.time.now() + stage_.world.dice.up_to(2s);
        co_await sleep_until(stage_.time, until);
    }
    co_return in.token;
}

Task<std::string> Offer::ask_first(Work in, Context& context) {
    Working const working(stage_, in.token);
    auto const sure = co_await context.elicit<Sure>("sure", "Go on?");
    if (!sure || !sure->really) throw ToolError("declined " + in.token);
    note_run(in.token);
    co_return in.token;
}

Task<std::string> Offer::think_first(Work in, Context& context) {
    Working const working(stage_, in.token);
    TextContent prompt;
    prompt.text = in.token;
    SamplingMessage message;
    message.content.emplace_back(std::move(prompt));
    CreateMessageParams params;
    params.messages.push_back(std::move(message));
    params.max_tokens = 10;
    auto const thought = co_await context.sample("thought", params);
    auto const* const text = std::get_if<TextContent>(&thought.content.at(0));
    if (text == nullptr || text->text != in.token) {
        stage_.violate(in.token + " got a thought that is not its own");
    }
    note_run(in.token);
    co_return in.token;
}

}  // namespace lanyard::simulation
