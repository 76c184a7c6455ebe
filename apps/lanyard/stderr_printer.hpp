// StderrPrinter: prints what a server writes to stderr.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

namespace lanyard::app {

/// Makes control characters visible. A character that arrives in two pieces is printed once it is
/// complete.
class StderrPrinter {
public:
    explicit StderrPrinter(std::ostream& out) : out_(&out) {}

    void operator()(std::string_view text);

private:
    std::ostream* out_;
    std::string pending_;
};

}  // namespace lanyard::app
