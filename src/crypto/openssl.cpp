#include "crypto/openssl.hpp"

#include "lanyard/error.hpp"

namespace lanyard::crypto {

void require(bool succeeded, char const* what) {
    if (!succeeded) throw Error(Errc::failed, std::string("OpenSSL: ") + what);
}

}  // namespace lanyard::crypto
