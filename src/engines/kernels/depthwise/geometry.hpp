// Describes a problem in the form that the kernels' arguments need. Also says how the outputs of
// the problem depend on its inputs (a "way" of ways.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "core/problem.hpp"
#include "engines/kernels/depthwise/arguments.hpp"

namespace atc::depthwise {

constexpr int kWarp = 32;
constexpr std::int64_t kMostBlocks = std::numeric_limits<std::int32_t>::max();
// The largest number of elements that one channel of an image may have. Up to this number, an index
// plus a window fits into an int.
constexpr std::int64_t kMostInPlane = std::int64_t{1} << 30;
// The largest number of bytes of shared memory that a block may have on every device of compute
// capability 8.0 or later.
constexpr std::int64_t kMostShared = 99 << 10;

template <typename Integer>
constexpr Integer ceil_div(Integer value, Integer by) {
  return (value + by - 1) / by;
}

// A problem with three spatial dimensions. `in` is the tensor that a kernel reads, and `out` is the
// tensor that it writes.
struct Geometry {
  std::int64_t batch = 1, in_channels = 1, out_channels = 1;
  int in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, taps[3] = {1, 1, 1};
  int stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, pad[3] = {0, 0, 0};
  bool backward = false, last = false;
  Finish finish{};

  std::int64_t volume_in() const { return std::int64_t{in[0]} * in[1] * in[2]; }
  std::int64_t volume_out() const { return std::int64_t{out[0]} * out[1] * out[2]; }
  std::int64_t filter() const { return std::int64_t{taps[0]} * taps[1] * taps[2]; }
};

Geometry geometry_of(const Problem& problem);

// Returns the name of the way in which outputs depend on inputs (ways.hpp): "s1" and "s2" stand for
// a window of inputs with stride 1 or 2, "t2" for backward-data of stride 2. Returns "" if only the
// direct kernel can compute the problem.
std::string way_of(const Geometry& g);

PlaneShape plane_shape(const Geometry& g);

// A way describes how outputs depend on inputs. ways.hpp has a class for each way; this struct has
// the constants and functions of such a class as values, for host code.
struct Way {
  // The number of inputs and the number of outputs of one step along a dimension.
  int in, out;
  int (*slots)(int taps);
  int (*window)(int units, int taps);
};

template <class Static>
constexpr Way as_value() {
  return {Static::kIn, Static::kOut, &Static::slots, &Static::window};
}

// Returns the output with which the first step begins, along one dimension. With Scattering
// (backward-data of stride 2) a step computes a pair of outputs; the first output of a pair is one
// for which output + pad is even. So if `pad` is odd, the first pair begins at -1. In all other
// cases the function returns 0.
inline int start(const Way& way, int pad) { return way.out == 2 ? -(pad & 1) : 0; }

inline int units(const Way& way, int extent, int start) {
  return ceil_div(extent - start, way.out);
}

}  // namespace atc::depthwise
