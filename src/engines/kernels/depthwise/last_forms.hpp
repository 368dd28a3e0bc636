// The tables of the compiled kernels of last.cu and last_ahead.cu (channels last). Each line of a
// table is one kernel.
//
// The columns of the tables of this file:
//   dtype, Element   name of the data type, and its C++ type
//   way, Way         name and C++ class of the way in which outputs depend on inputs (ways.hpp)
//   T, R, S          depth, height and width of the filter
//   VC               channels of a thread's vector
//   TW               columns of outputs of a thread's strip (Scattering: pairs of columns)
//   U                the number of steps whose rows a thread loads before it adds their products
//
// Only kernels for one spatial dimension have the column U (the number of steps whose rows are
// loaded at once). For these kernels, positions are treated as rows (R), and S is 1.
#pragma once

#define ATC_DEPTHWISE_LAST_REDUCED(X, dtype, Element)   \
  X(dtype, Element, s1, Gathering<1>, 1, 2, 1, 8, 1, 4) \
  X(dtype, Element, s1, Gathering<1>, 1, 3, 1, 8, 1, 4) \
  X(dtype, Element, s1, Gathering<1>, 1, 4, 1, 8, 1, 4) \
  X(dtype, Element, s1, Gathering<1>, 1, 5, 1, 4, 1, 8) \
  X(dtype, Element, s1, Gathering<1>, 1, 7, 1, 4, 1, 8)

#define ATC_DEPTHWISE_LAST_FORMS(X)                 \
  X(f32, float, s1, Gathering<1>, 1, 2, 1, 4, 1, 8) \
  X(f32, float, s1, Gathering<1>, 1, 3, 1, 4, 1, 8) \
  X(f32, float, s1, Gathering<1>, 1, 4, 1, 4, 1, 8) \
  X(f32, float, s1, Gathering<1>, 1, 5, 1, 4, 1, 8) \
  X(f32, float, s1, Gathering<1>, 1, 7, 1, 4, 1, 4) \
  ATC_DEPTHWISE_LAST_REDUCED(X, f16, __half)        \
  ATC_DEPTHWISE_LAST_REDUCED(X, bf16, __nv_bfloat16)

// Kernels for large filters, of any height: a thread reads one row of the filter at a time. Each
// line below is one kernel. The columns are: dtype; its C++ type; the way and its C++ class; S, the
// width of the filter; VC, the channels of a thread's vector; TW and TH, the columns and the rows
// of outputs of a thread's strip.
#define ATC_DEPTHWISE_LAST_ROW_FORMS(X)                 \
  X(f32, float, s1, Gathering<1>, 9, 1, 8, 4)           \
  X(f32, float, s1, Gathering<1>, 11, 1, 8, 4)          \
  X(f32, float, s1, Gathering<1>, 13, 1, 8, 4)          \
  X(f16, __half, s1, Gathering<1>, 9, 2, 8, 2)          \
  X(f16, __half, s1, Gathering<1>, 11, 2, 8, 2)         \
  X(f16, __half, s1, Gathering<1>, 13, 2, 8, 2)         \
  X(bf16, __nv_bfloat16, s1, Gathering<1>, 9, 2, 8, 2)  \
  X(bf16, __nv_bfloat16, s1, Gathering<1>, 11, 2, 8, 2) \
  X(bf16, __nv_bfloat16, s1, Gathering<1>, 13, 2, 8, 2)

// The kernels of last_ahead.cu, which copy rows to shared memory before they are used. The columns
// from dtype to TW are those of the list at the top of this file. Two more columns follow: the
// number of steps from the start of a row's copy to its use; the number of blocks whose registers
// together must fit into a multiprocessor.
#define ATC_DEPTHWISE_AHEAD_REDUCED(X, dtype, Element)     \
  X(dtype, Element, s1, Gathering<1>, 1, 3, 3, 4, 4, 3, 4) \
  X(dtype, Element, s1, Gathering<1>, 1, 3, 3, 8, 2, 3, 3) \
  X(dtype, Element, s1, Gathering<1>, 1, 5, 5, 2, 4, 3, 4) \
  X(dtype, Element, s1, Gathering<1>, 1, 5, 5, 2, 7, 3, 3) \
  X(dtype, Element, s1, Gathering<1>, 1, 7, 7, 1, 7, 3, 4) \
  X(dtype, Element, s2, Gathering<2>, 1, 3, 3, 4, 4, 2, 4) \
  X(dtype, Element, s2, Gathering<2>, 1, 3, 3, 8, 2, 2, 3) \
  X(dtype, Element, s2, Gathering<2>, 1, 5, 5, 2, 4, 2, 4) \
  X(dtype, Element, t2, Scattering, 1, 3, 3, 4, 2, 3, 4)   \
  X(dtype, Element, t2, Scattering, 1, 3, 3, 2, 4, 3, 4)   \
  X(dtype, Element, t2, Scattering, 1, 5, 5, 2, 2, 3, 4)   \
  X(dtype, Element, t2, Scattering, 1, 5, 5, 2, 4, 3, 2)   \
  X(dtype, Element, s1, Gathering<1>, 3, 3, 3, 2, 4, 3, 4)

#define ATC_DEPTHWISE_AHEAD_FORMS(X)                   \
  X(f32, float, s1, Gathering<1>, 1, 3, 3, 4, 2, 3, 4) \
  X(f32, float, s1, Gathering<1>, 1, 3, 3, 2, 4, 3, 5) \
  X(f32, float, s1, Gathering<1>, 1, 5, 5, 2, 4, 3, 4) \
  X(f32, float, s1, Gathering<1>, 1, 5, 5, 1, 7, 3, 5) \
  X(f32, float, s1, Gathering<1>, 1, 7, 7, 1, 7, 3, 4) \
  X(f32, float, s2, Gathering<2>, 1, 3, 3, 4, 2, 2, 4) \
  X(f32, float, s2, Gathering<2>, 1, 3, 3, 2, 4, 2, 5) \
  X(f32, float, s2, Gathering<2>, 1, 5, 5, 2, 4, 2, 4) \
  X(f32, float, t2, Scattering, 1, 3, 3, 4, 2, 3, 4)   \
  X(f32, float, t2, Scattering, 1, 3, 3, 2, 4, 3, 4)   \
  X(f32, float, t2, Scattering, 1, 5, 5, 2, 2, 3, 4)   \
  X(f32, float, s1, Gathering<1>, 3, 3, 3, 2, 4, 3, 4) \
  ATC_DEPTHWISE_AHEAD_REDUCED(X, f16, __half)          \
  ATC_DEPTHWISE_AHEAD_REDUCED(X, bf16, __nv_bfloat16)
