// Simulates a user who accepts one question and declines another.
#include <iostream>

#include "support/example.hpp"

struct Purge {
    std::string folder;
};
LANYARD_STRUCT(Purge, folder)

struct Purged {
    int files = 0;
    std::string reason;
};
LANYARD_STRUCT(Purged, files, reason)

// A real client would show a form with these fields.
lanyard::ElicitResult answer(lanyard::ElicitFormParams const& form) {
    std::cout << form.message << '\n';
    for (auto const& field : form.requested_schema.fields) std::cout << "  " << field.name << '\n';

    lanyard::ElicitResult result;
    if (form.message.find("attic") == std::string::npos) {
        result.action = lanyard::ElicitAction::decline;
    } else {
        result.action = lanyard::ElicitAction::accept;
        result.content = lanyard::JsonObject{{"really", true}, {"reason", "moving house"}};
    }
    return result;
}

lanyard::Task<> talk(std::string server, lanyard::ClientOptions options) {
    options.on_elicitation(answer);
    auto client = co_await lanyard::connect(lanyard::child_process(server), options);

    Purge attic{"attic"};
    auto const purged = co_await client.call<Purged>("purge", attic);
    std::cout << purged.files << " files deleted: " << purged.reason << '\n';
    example::expect(purged.files == 12 && purged.reason == "moving house", "the attic is empty");

    Purge cellar{"cellar"};
    auto const declined = co_await client.call_tool("purge", lanyard::to_raw_json(cellar));
    example::expect(declined.is_error, "the user declined");
}

int main(int argc, char** argv) {
    return lanyard::run(talk(example::server(argc, argv), example::options(argc, argv)));
}
