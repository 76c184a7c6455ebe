// The compiled part of Boost.Asio, as the inline functions that a program with a header-only Asio
// has too. The linker takes one definition of each, from here or from the program, and neither
// duplicates the program's own nor keeps a second copy of their static variables.
#define BOOST_ASIO_SEPARATE_COMPILATION
#include <boost/asio/detail/config.hpp>

#undef BOOST_ASIO_DECL
#define BOOST_ASIO_DECL inline __attribute__((used))

#include "asio_categories.hpp"

#include <boost/asio/impl/src.hpp>
