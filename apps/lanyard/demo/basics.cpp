// Plain tools: text, structured output, a hand-written schema, progress, cancellation, log
// messages.
#include "lanyard/reflect.hpp"
#include "lanyard/time_source.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "demo/demo.hpp"

namespace lanyard::app::demo {

struct Echo {
    std::string text;
};
LANYARD_STRUCT(Echo, (text, "What to say"))

struct Add {
    double a = 0;
    double b = 0;
};
LANYARD_STRUCT(Add, (a, "The first number"), (b, "The second number"))

struct Sum {
    double sum = 0;
};
LANYARD_STRUCT(Sum, (sum, "a + b"))

enum class Units { celsius, fahrenheit };
LANYARD_ENUM(Units, (celsius, "Degrees Celsius"), (fahrenheit, "Degrees Fahrenheit"))

struct WeatherQuestion {
    std::string city;
    Units units = Units::celsius;
};
LANYARD_STRUCT(WeatherQuestion, (city, "Where", min_length{1}),
               (units, "How to measure", defaulted))

struct Wind {
    double speed = 0;
    std::string direction;
};
LANYARD_STRUCT(Wind, (speed, "Metres per second"), (direction, "Where it comes from"))

struct Weather {
    std::string city;
    double temperature = 0;
    Units units = Units::celsius;
    std::string sky;
    Wind wind;
};
LANYARD_STRUCT(Weather, city, temperature, units, sky, wind)

struct CountDown {
    int from = 3;
    int delay_ms = 50;
};
LANYARD_STRUCT(CountDown, (from, "Where to begin", min{1}, max{1000}, defaulted),
               (delay_ms, "Milliseconds between steps", min{0}, max{10'000}, defaulted))

struct Wait {
    double seconds = 1;
};
LANYARD_STRUCT(Wait, (seconds, "How long", min{0}, max{3600}, defaulted))

namespace {

using std::chrono::milliseconds;

/// Returns the same weather for the same city every time.
Weather weather(WeatherQuestion const& question) {
    unsigned seed = 7;
    for (char const character : question.city) {
        seed = seed * 31 + static_cast<unsigned char>(character);
    }
    constexpr char const* skies[] = {"sunny", "cloudy", "rain", "snow"};
    constexpr char const* winds[] = {"north", "east", "south", "west"};
    Weather weather;
    weather.city = question.city;
    weather.units = question.units;
    weather.temperature = static_cast<double>(seed % 30);
    if (question.units == Units::fahrenheit) weather.temperature = weather.temperature * 9 / 5 + 32;
    weather.sky = skies[seed / 30 % 4];
    weather.wind.speed = static_cast<double>(seed / 120 % 20);
    weather.wind.direction = winds[seed / 2400 % 4];
    return weather;
}

Task<std::string> count_down(CountDown in, Context& context) {
    for (int step = 1; step <= in.from; ++step) {
        context.report_progress(step, in.from, std::to_string(in.from - step) + " to go");
        co_await sleep_for(milliseconds(in.delay_ms));
    }
    co_return "counted down from " + std::to_string(in.from);
}

/// Counts interrupted waits: the destructor increments the count, unless over() was called.
class Interruption {
public:
    explicit Interruption(std::shared_ptr<std::atomic<int>> count) : count_(std::move(count)) {}
    ~Interruption() {
        if (!over_) ++*count_;
    }
    Interruption(Interruption const&) = delete;
    Interruption& operator=(Interruption const&) = delete;
    void over() noexcept { over_ = true; }

private:
    std::shared_ptr<std::atomic<int>> count_;
    bool over_ = false;
};

Task<std::string> wait(Wait in, std::shared_ptr<std::atomic<int>> interrupted) {
    Interruption interruption(std::move(interrupted));
    co_await sleep_for(milliseconds(std::llround(in.seconds * 1000)));
    interruption.over();
    co_return "waited";
}

std::string log_everything(Context& context) {
    for (auto const name : EnumNames<LoggingLevel>::value) {
        context.log(*parse_enum<LoggingLevel>(name),
                    Json("a message of level " + std::string(name)), "demo");
    }
    return "logged a message of each level";
}

CallToolResult largest(JsonObject const& arguments, Context&) {
    double best = -HUGE_VAL;
    for (auto const& number : arguments.at("numbers").as_array()) {
        best = std::max(best, number.to_number<double>());
    }
    JsonObject structured;
    structured["largest"] = best;
    CallToolResult result;
    result.structured_content = RawJson(Json(structured));
    return result;
}

Tool largest_tool() {
    Tool tool;
    tool.name = "largest";
    tool.description =
        "Find the largest of some numbers (a tool whose schemas are written by hand)";
    tool.input_schema = RawJson::trusted(
        R"({"type":"object","properties":{"numbers":{"type":"array","minItems":1,)"
        R"("items":{"type":"number"}}},"required":["numbers"],"additionalProperties":false})");
    tool.output_schema = RawJson::trusted(
        R"({"type":"object","properties":{"largest":{"type":"number"}},"required":["largest"]})");
    return tool;
}

}  // namespace

void add_basics(Server& server) {
    auto const harmless = ToolOptions().read_only().open_world(false);
    server.tool("echo", "Say the same again", ToolOptions(harmless).title("Echo"),
                [](Echo in) { return in.text; });
    server.tool("add", "Add two numbers", ToolOptions(harmless).title("Add"),
                [](Add in) { return Sum{in.a + in.b}; });
    server.tool("weather", "Tell the (invented) weather of a city", harmless, weather);
    server.add_tool(largest_tool(), largest);
    server.tool("count_down", "Count down, reporting progress", count_down);
    auto interrupted = std::make_shared<std::atomic<int>>(0);
    server.tool("wait", "Wait, unless the call is cancelled",
                [interrupted](Wait in) { return wait(in, interrupted); });
    server.tool("count_interrupted", "Tell how many waits were cancelled",
                [interrupted] { return std::to_string(interrupted->load()); });
    server.tool("log_everything", "Send a log message of each level", log_everything);
}

}  // namespace lanyard::app::demo
