// The compiled part of Boost.Asio, emitted as inline functions, like those of a program with a
// header-only Asio. The linker keeps one definition of each, from here or from the program, so
// there are neither duplicate definitions nor second copies of static variables.
#define BOOST_ASIO_SEPARATE_COMPILATION
#include <boost/asio/detail/config.hpp>

#undef BOOST_ASIO_DECL
#define BOOST_ASIO_DECL inline __attribute__((used))

#include "asio_categories.hpp"

#include <boost/asio/impl/src.hpp>
