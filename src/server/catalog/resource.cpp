// The functions of bind_resource() that are not C++ templates.
#include "lanyard/server/resource.hpp"

#include "lanyard/base64.hpp"

namespace lanyard::detail {

ResourceContents text_contents(std::string text, std::string mime_type) {
    TextResourceContents contents;
    contents.text = std::move(text);
    contents.mime_type = std::move(mime_type);
    return contents;
}

ResourceContents blob_contents(std::vector<std::byte> const& bytes) {
    BlobResourceContents contents;
    contents.blob = base64::encode({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    return contents;
}

}  // namespace lanyard::detail
