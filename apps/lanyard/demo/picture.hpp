// A small picture, generated at run time.
#pragma once

#include <string>

namespace lanyard::app::demo {

/// Returns a square of 32 by 32 pixels with a gradient, as the bytes of a PNG file.
std::string picture_png();

}  // namespace lanyard::app::demo
