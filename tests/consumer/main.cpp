// A program that uses the library: it includes only public headers, and needs the compiled library
// and Boost.JSON at link time.
#include <lanyard/lanyard.hpp>

#include <iostream>
#include <system_error>

int main() {
    std::error_code const code = lanyard::Errc::timeout;
    auto const value = lanyard::json::parse(R"({"answer":[42]})");
    if (!value) {
        std::cerr << value.error().to_string() << '\n';
        return 1;
    }
    auto const answer = value->at("answer").at(0).as_int64();
    std::cout << "lanyard " << lanyard::library_version << ": " << code.message() << ", " << answer
              << '\n';
    return answer == 42 ? 0 : 1;
}
