// Middleware around every request: a counter, a content check, and a tool that only some clients
// see.
#include <atomic>

#include <lanyard/server.hpp>

struct Echo {
    std::string text;
};
LANYARD_STRUCT(Echo, text)

int main() {
    std::atomic<int> served = 0;
    lanyard::Server server{"guarded", "1.0.0"};

    // The outermost middleware: runs for every request for a feature and sees its outcome.
    server.use([&](lanyard::Context&, lanyard::Next next) -> lanyard::Task<lanyard::RawJson> {
        auto result = co_await next();
        ++served;
        co_return result;
    });
    // Refuses some requests before the handler is called.
    server.use(
        [](lanyard::Context& context, lanyard::Next next) -> lanyard::Task<lanyard::RawJson> {
            if (context.params().find("forbidden") != std::string_view::npos) {
                throw lanyard::Refusal(lanyard::RefusalReason::content_policy, "mind your words");
            }
            co_return co_await next();
        });
    // A hidden tool is not listed, and calling it fails like calling a tool that does not exist.
    server.filter([](lanyard::FeatureKind kind, std::string_view name, lanyard::Context& context) {
        bool const secret = kind == lanyard::FeatureKind::tool && name == "served";
        return !secret || context.client_info().name == "admin";
    });

    server.tool("echo", "Say it again", [](Echo in) { return in.text; });
    server.tool("served", "How many requests were served", [&] { return served.load(); });
    return server.run(lanyard::stdio());
}
