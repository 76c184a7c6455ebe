// The compiled part of Boost.Asio.
#include <boost/asio/impl/src.hpp>
