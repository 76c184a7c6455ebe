// Tools that ask the client to fill in a form, to open a web page, to call its model, or to list
// its folders.
#include "lanyard/reflect.hpp"

#include <atomic>
#include <memory>
#include <string>

#include "demo/demo.hpp"

namespace lanyard::app::demo {

enum class Area { inside, terrace };
LANYARD_ENUM(Area, (inside, "Inside"), (terrace, "On the terrace"))

struct Booking {
    std::string name;
    int guests = 2;
    Area area = Area::inside;
    bool vegetarian = false;
};
LANYARD_STRUCT(Booking, (name, "In whose name", min_length{1}),
               (guests, "How many come", min{1}, max{8}, defaulted),
               (area, "Where to sit", defaulted), (vegetarian, "Only vegetables", defaulted))

struct Destination {
    std::string place;
};
LANYARD_STRUCT(Destination, (place, "Where to go"))

struct Departure {
    std::string day;
};
LANYARD_STRUCT(Departure, (day, "When to leave", format{"date"}))

struct DemoQuestion {
    std::string question;
};
LANYARD_STRUCT(DemoQuestion, (question, "What to ask"))

namespace {

Task<std::string> book_table(Context& context) {
    auto const booking = co_await context.elicit<Booking>("booking", "Who comes, and how many?");
    if (!booking)
        co_return "no table was booked: the user chose to " +
            std::string(to_string(booking.action()));
    co_return "a table for " + std::to_string(booking->guests) + " in the name of " +
        booking->name + (booking->area == Area::terrace ? ", on the terrace" : ", inside") +
        (booking->vegetarian ? ", vegetarian" : "");
}

Task<std::string> open_page(Context& context) {
    auto const answer = co_await context.elicit_url("page", "Please confirm your address",
                                                    "https://example.com/confirm");
    if (answer.action != ElicitAction::accept) co_return "the user did not agree";
    co_return "the user agreed";
}

CreateMessageParams to_model(std::string words) {
    TextContent text;
    text.text = std::move(words);
    SamplingMessage message;
    message.content.emplace_back(std::move(text));
    CreateMessageParams params;
    params.messages.push_back(std::move(message));
    params.max_tokens = 100;
    params.system_prompt = "Answer in one sentence.";
    return params;
}

std::string words_of(CreateMessageResult const& answer) {
    std::string words;
    for (auto const& block : answer.content) {
        if (auto const* text = std::get_if<TextContent>(&block)) words += text->text;
    }
    return words;
}

Task<std::string> ask_model(DemoQuestion in, Context& context) {
    auto const answer = co_await context.sample("answer", to_model(in.question));
    co_return answer.model + " says: " + words_of(answer);
}

Task<std::string> list_folders(Context& context) {
    auto const roots = co_await context.list_roots();
    std::string text = std::to_string(roots.size()) + " open folders";
    for (auto const& root : roots) text += "\n" + root.uri;
    co_return text;
}

/// Asks two questions in turn, after a side effect that must happen only once.
Task<std::string> plan_trip(Context& context, std::shared_ptr<std::atomic<int>> tickets) {
    auto const draw = [tickets] { return ++*tickets; };
    auto const ticket = co_await context.once("ticket", draw);
    auto const destination = co_await context.elicit<Destination>("destination", "Where to?");
    if (!destination) throw ToolError("no trip: the user does not want to go anywhere");
    auto const departure =
        co_await context.elicit<Departure>("departure", "When to " + destination->place + "?");
    if (!departure) throw ToolError("no trip: the user does not want to leave");
    co_return "ticket " + std::to_string(ticket) + ": " + destination->place + " on " +
        departure->day;
}

/// Asks two questions at once.
Task<std::string> ask_both(Context& context) {
    auto const [destination, answer] =
        co_await context.ask_all(ask_form<Destination>("destination", "Where to?"),
                                 lanyard::ask_model("advice", to_model("Where is it nice?")));
    co_return "the user says " + (destination ? destination->place : "nothing") +
        ", the model says " + words_of(answer);
}

}  // namespace

void add_questions(Server& server) {
    server.tool("book_table", "Ask the user by a form", book_table);
    server.tool("open_page", "Send the user to a web page", open_page);
    server.tool("ask_model", "Ask the client's model", ask_model);
    server.tool("list_folders", "Ask which folders the client opens to servers", list_folders);
    auto tickets = std::make_shared<std::atomic<int>>(0);
    server.tool("plan_trip", "Ask the user twice, drawing a ticket first",
                [tickets](Context& context) { return plan_trip(context, tickets); });
    server.tool("ask_both", "Ask the user and the model at a time", ask_both);
}

}  // namespace lanyard::app::demo
