// Declares the error categories of Boost.Asio as functions that are not inlined; asio.cpp includes
// this before Asio declares them itself.
//
// Errors are compared by the addresses of their categories, so the whole program must use one
// object per category. The functions are inline, so that this library and a program with a
// header-only Asio share their static variables. But a program may also compile Asio separately. If
// the linker then takes the definitions of these functions from the program, the code of this
// library must call those definitions, so the calls must not be inlined.
#pragma once
// g++ warns about inline functions that are not inlined, and the warning has no option to disable
// it.
#pragma GCC system_header

#include <boost/system/error_code.hpp>

namespace boost::asio::error {

BOOST_ASIO_DECL __attribute__((noinline)) boost::system::error_category const& get_netdb_category();
BOOST_ASIO_DECL __attribute__((noinline)) boost::system::error_category const&
get_addrinfo_category();
BOOST_ASIO_DECL __attribute__((noinline)) boost::system::error_category const& get_misc_category();

}  // namespace boost::asio::error
