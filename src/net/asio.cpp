// The compiled part of Boost.Asio, as the inline functions that a program with a header-only Asio
// has too. The linker takes one definition of each, from here or from the program, and neither
// duplicates the program's own nor keeps a second copy of their static variables.
#define BOOST_ASIO_SEPARATE_COMPILATION
#include <boost/asio/detail/config.hpp>

#undef BOOST_ASIO_DECL
#define BOOST_ASIO_DECL inline __attribute__((used))

#include <boost/system/error_code.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattributes"  // inline for the linker, not for the compiler
namespace boost::asio::error {

// Errors are compared by the addresses of their categories. If the linker takes these functions
// from the program, calls in this file have to go there too, so that they must not be inlined.
BOOST_ASIO_DECL __attribute__((noinline)) boost::system::error_category const& get_netdb_category();
BOOST_ASIO_DECL __attribute__((noinline)) boost::system::error_category const&
get_addrinfo_category();
BOOST_ASIO_DECL __attribute__((noinline)) boost::system::error_category const& get_misc_category();

}  // namespace boost::asio::error
#pragma GCC diagnostic pop

#include <boost/asio/impl/src.hpp>
