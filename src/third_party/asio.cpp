// The compiled part of Boost.Asio. Its functions are emitted as inline functions, as in a program
// that uses Asio header-only. The linker keeps one definition of each function, from here or from
// the program, so there are neither duplicate definitions nor second copies of static variables.
#define BOOST_ASIO_SEPARATE_COMPILATION
#include <boost/asio/detail/config.hpp>

#undef BOOST_ASIO_DECL
#define BOOST_ASIO_DECL inline __attribute__((used))

#include "asio_categories.hpp"

#include <boost/asio/impl/src.hpp>
