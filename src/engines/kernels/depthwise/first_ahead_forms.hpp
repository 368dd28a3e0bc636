// The compiled kernels of first_ahead.cu (rows of channels first), one on each line. The columns
// are: name of the data type; its C++ type; height = width of the filter; columns of a thread; the
// number of blocks whose registers together must fit into a multiprocessor.
#pragma once

#define ATC_DEPTHWISE_ROWS_REDUCED(X, dtype, Element) \
  X(dtype, Element, 3, 8, 7)                          \
  X(dtype, Element, 3, 4, 8)                          \
  X(dtype, Element, 5, 8, 4)                          \
  X(dtype, Element, 5, 4, 6)                          \
  X(dtype, Element, 7, 4, 4)

#define ATC_DEPTHWISE_ROWS_FORMS(X)          \
  X(f32, float, 3, 4, 8)                     \
  X(f32, float, 5, 4, 6)                     \
  X(f32, float, 7, 4, 4)                     \
  ATC_DEPTHWISE_ROWS_REDUCED(X, f16, __half) \
  ATC_DEPTHWISE_ROWS_REDUCED(X, bf16, __nv_bfloat16)
