#include "property.hpp"

#include <cstdlib>
#include <cstring>
#include <iostream>

namespace lanyard::test {

namespace {

int properties_checked = 0;

class CountAtEnd final : public testing::Environment {
public:
    void TearDown() override {
        std::cout << "COUNT: property tests " << properties_checked << " properties, "
                  << property_iterations() << " iterations each\n";
    }
};

[[maybe_unused]] auto const* const registered =
    testing::AddGlobalTestEnvironment(new CountAtEnd);  // GoogleTest owns it

}  // namespace

int property_iterations() {
    char const* long_run = std::getenv("LANYARD_TEST_LONG");
    return long_run != nullptr && std::strcmp(long_run, "1") == 0 ? 5'000 : 100;
}

void count_property() {
    ++properties_checked;
}

}  // namespace lanyard::test
