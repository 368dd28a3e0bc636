// A convolution in the form that the reference's kernels need: three spatial dimensions, of which
// leading ones may have the extent 1. Host and device share this code, so it does not use the
// standard library.
#pragma once

namespace atc::reference {

struct DeviceTensor {
  long long strides[5] = {};  // strides of the two outer dimensions and of the three spatial ones
  int dtype = 0;              // atc::Dtype
};

struct DeviceGeometry {
  long long batch = 0, groups = 0, group_in = 0, group_out = 0;  // group_*: channels per group
  long long in[3] = {}, out[3] = {}, kernel[3] = {}, stride[3] = {}, dilation[3] = {}, pad[3] = {};
  DeviceTensor x, w, y;
  int direction = 0;  // atc::Direction
  int accumulate = 0, has_bias = 0, relu = 0;
};

struct DeviceOperands {
  const void *x = nullptr, *w = nullptr, *y = nullptr, *bias = nullptr, *old = nullptr;
};

// A position of the output, and the value there. In leading spatial dimensions that the output does
// not have, the position is 0.
struct DevicePosition {
  long long index[5];
};

struct DeviceValue {
  double value = 0;
  double magnitude = 0;  // sum of |summands|
  double energy = 0;     // sum of summands squared
  // The largest partial sum that an engine may round before it adds bias or old value.
  double fresh = 0;
};

}  // namespace atc::reference
