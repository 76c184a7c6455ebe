# Changes that the headers need before Doxygen reads them.

# The place of an example's source is for tools/check_snippets.
s|(/// Example) \(docs/snippets/[^)]*\):|\1:|

# Doxygen 1.9.4 does not find the definition of this function.
/^template <class T>$/ {
    N
    s/^template <class T>\nShape const& shape_of\(\);$/\n/
}
