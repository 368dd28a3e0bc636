// The compiled kernels of first.cu (planes of channels first), one on each line. The columns are:
// name of the way in which outputs depend on inputs (ways.hpp); the C++ class of the way; depth,
// height and width of the filter; rows and columns of the tile that a thread computes. Rows and
// columns are counted in units of kOut outputs. The numbers of columns are odd, so that the lanes
// of a warp use different banks.
#pragma once

#define ATC_DEPTHWISE_FIRST_FORMS(X)  \
  X(s1, Gathering<1>, 1, 3, 3, 4, 7)  \
  X(s1, Gathering<1>, 1, 5, 5, 4, 7)  \
  X(s1, Gathering<1>, 1, 7, 7, 4, 7)  \
  X(s1, Gathering<1>, 1, 3, 3, 7, 7)  \
  X(s1, Gathering<1>, 1, 5, 5, 7, 7)  \
  X(s1, Gathering<1>, 1, 7, 7, 7, 7)  \
  X(s1, Gathering<1>, 3, 3, 3, 4, 7)  \
  X(s2, Gathering<2>, 1, 3, 3, 2, 7)  \
  X(s2, Gathering<2>, 1, 5, 5, 2, 7)  \
  X(s2, Gathering<2>, 1, 7, 7, 2, 7)  \
  X(t2, Scattering, 1, 3, 3, 1, 7)    \
  X(t2, Scattering, 1, 5, 5, 1, 7)    \
  X(t2, Scattering, 1, 7, 7, 1, 7)    \
  X(s1, Gathering<1>, 1, 1, 2, 1, 15) \
  X(s1, Gathering<1>, 1, 1, 3, 1, 15) \
  X(s1, Gathering<1>, 1, 1, 4, 1, 15) \
  X(s1, Gathering<1>, 1, 1, 5, 1, 15) \
  X(s1, Gathering<1>, 1, 1, 7, 1, 15)

// Compiled kernels of first.cu for large filters of any height: a thread has only one row of the
// filter in registers at a time. The columns are: name of the way in which outputs depend on inputs
// (ways.hpp); its C++ class; width of the filter; rows and columns of a thread's tile.
#define ATC_DEPTHWISE_FIRST_ROW_FORMS(X) \
  X(s1, Gathering<1>, 9, 4, 7)           \
  X(s1, Gathering<1>, 11, 4, 7)          \
  X(s1, Gathering<1>, 13, 4, 7)          \
  X(s1, Gathering<1>, 31, 4, 7)
