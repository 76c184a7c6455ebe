// The compiled part of the program's own Asio; OWN_TLS_SOURCE adds that of asio::ssl.
#include <boost/asio/impl/src.hpp>
#ifdef OWN_TLS_SOURCE
#include <boost/asio/ssl/impl/src.hpp>
#endif
