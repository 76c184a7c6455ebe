// The compiled part of Boost.Beast, emitted as inline functions; see asio.cpp for the reason.
#define BOOST_ASIO_SEPARATE_COMPILATION
#define BOOST_BEAST_SEPARATE_COMPILATION
#include <boost/beast/core/detail/config.hpp>

#undef BOOST_BEAST_DECL
#define BOOST_BEAST_DECL inline __attribute__((used))

#include <boost/beast/src.hpp>
