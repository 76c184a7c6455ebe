// Declares the error categories of Boost.Asio as functions that are not inlined; asio.cpp includes
// this before Asio declares them itself.
//
// Errors are compared by the addresses of their categories. The functions are inline, so that their
// static variables are those of a program with a header-only Asio. If the linker takes the
// functions from a program that compiles Asio separately, the calls in this library have to go
// there too, so they must not be inlined.
#pragma once
// g++ warns about inline functions that are not inlined, and has no option to turn that off.
#pragma GCC system_header

#include <boost/system/error_code.hpp>

namespace boost::asio::error {

BOOST_ASIO_DECL __attribute__((noinline)) boost::system::error_category const& get_netdb_category();
BOOST_ASIO_DECL __attribute__((noinline)) boost::system::error_category const&
get_addrinfo_category();
BOOST_ASIO_DECL __attribute__((noinline)) boost::system::error_category const& get_misc_category();

}  // namespace boost::asio::error
