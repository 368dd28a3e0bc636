# Turns the plain comments of the public headers into documentation for Doxygen.
# The first comment is the file's; a line of dashes is no documentation; a comment after code belongs to it.
1s|^/\* |/** \\file\n * |
/^\/\* ----/b
s|^\( *\)/\* |\1/** |
s|\([;,{a-zA-Z0-9)] *\)/\* |\1/**< |
s|@|\\@|g
