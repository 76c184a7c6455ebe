// The compiled part of the program's own Beast.
#include <boost/beast/src.hpp>
