// Tools in front of a web service: docs/cookbook.md.
// [program]
#include <lanyard/lanyard.hpp>

#include "cookbook_http.hpp"

struct Place {
    std::string city;
};
LANYARD_STRUCT(Place, (city, "Name of the city", min_length{1}, max_length{100}))

// The members of the service's answer that we use; others are ignored.
struct Weather {
    double temperature = 0;
    std::optional<std::string> sky;
};
LANYARD_STRUCT(Weather, (temperature, "In degrees Celsius", name{"temp_c"}),
               (sky, "What it looks like", name{"condition"}))

Weather weather_in(Place place, lanyard::Context& context) {
    // Expanding the template escapes the value, so a city cannot add parameters of its own.
    static auto const address =
        lanyard::UriTemplate::parse("https://api.example.com/v1/weather{?city}").value();
    auto const url = address.expand(lanyard::UriVariables().set("city", place.city)).value();

    HttpAnswer const answer = http_get(url, context.stop_token());
    if (answer.status == 404) throw lanyard::ToolError("there is no city \"" + place.city + "\"");
    if (answer.status == 429) throw lanyard::ToolError("too many questions; try again in a minute");
    // The text of any other exception goes to the log. The model gets a neutral text.
    if (answer.status != 200) throw std::runtime_error("status " + std::to_string(answer.status));
    auto const weather = lanyard::decode_text<Weather>(answer.body);
    if (!weather) throw std::runtime_error("bad answer: " + weather.error().to_string());
    return *weather;
}

int main() {
    using namespace std::chrono_literals;
    lanyard::Server server{"weather", "1.0.0"};
    server.tool("weather", "The weather in a city", weather_in,
                lanyard::ToolOptions().read_only().blocking().timeout(10s).max_concurrent(20));
    // The same as a resource, asked for once a minute at most.
    server.resource_template("weather:{city}", "weather", weather_in,
                             lanyard::ResourceOptions().keep_reads(60s).blocking().timeout(10s));
    return server.run(lanyard::stdio());
}
// [/program]

// A stand-in for a web service.
HttpAnswer http_get(std::string const& url, std::stop_token /*stop*/) {
    if (url == "https://api.example.com/v1/weather?city=S%C3%A3o%20Paulo%26x") {
        return {200, R"({"temp_c":21.5,"condition":"blue","humidity":40})"};
    }
    return {404, {}};
}
