// A small picture, made on the spot.
#pragma once

#include <string>

namespace lanyard::app::demo {

/// A square of 32 by 32 pixels with a gradient, as the bytes of a PNG file.
std::string picture_png();

}  // namespace lanyard::app::demo
