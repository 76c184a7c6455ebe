// The program's own use of libraries that Lanyard uses, too.
#pragma once

namespace boost::json {
class value;
}

namespace own {

/// Each function uses a library and returns whether it did what it should.
bool use_simdjson();
bool use_re2();
bool use_json();

/// Returns also whether the error queue of this thread is as the program left it: empty.
bool use_openssl();

/// Returns whether header-only Boost.JSON reads a value that Lanyard has made: {"a":[1,2.5,"c"]}.
bool reads(boost::json::value const& value);

}  // namespace own
