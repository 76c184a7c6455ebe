#include "sockets/byte_channel.hpp"

namespace lanyard::sockets {

template class BasicByteChannel<SocketCalls>;

}  // namespace lanyard::sockets
