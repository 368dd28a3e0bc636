// The arguments of the reference engine's CUDA kernels. The kernels only know convolutions with
// three spatial dimensions. If a problem has fewer, the missing leading dimensions have the extent
// 1. Host and device share this code, so it uses no more of the standard library than
// integers.
#pragma once

#include "core/activation.hpp"

namespace atc::reference {

struct DeviceTensor {
  // Strides, in elements, of the two outer dimensions (such as image and channel) and of the three
  // spatial dimensions.
  long long strides[5] = {};
  int dtype = 0;  // a value of atc::Dtype
};

struct DeviceGeometry {
  // group_in, group_out: the numbers of channels of a group.
  long long batch = 0, groups = 0, group_in = 0, group_out = 0;
  long long in[3] = {}, out[3] = {}, kernel[3] = {}, stride[3] = {}, dilation[3] = {}, pad[3] = {};
  DeviceTensor x, w, y;
  int direction = 0;  // a value of atc::Direction
  int accumulate = 0, has_bias = 0, has_scale = 0, has_residual = 0;
  Activation activation;
  double steepest = 1;  // an upper bound of the activation's absolute slope
};

struct DeviceOperands {
  const void *x = nullptr, *w = nullptr, *y = nullptr, *bias = nullptr, *old = nullptr;
  const void *scale = nullptr, *residual = nullptr;
};

// The index of an element of the output in two outer dimensions (such as image and channel) and
// three spatial dimensions. In leading spatial dimensions that the output does not have, the index
// is 0.
struct DevicePosition {
  long long index[5];
};

struct DeviceValue {
  double value = 0;
  double magnitude = 0;  // sum of the absolute values of the summands
  double energy = 0;     // sum of the squares of the summands
  // The largest absolute value among the partial sums that an engine may round before it adds the
  // bias or the old value.
  double fresh = 0;
};

}  // namespace atc::reference
