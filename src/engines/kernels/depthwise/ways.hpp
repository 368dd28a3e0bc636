// The ways in which the outputs along a dimension depend on inputs: each output sums a window of
// inputs, or each input contributes to several outputs. A way is a class of compile-time constants,
// so the compiler knows all indices of registers.
#pragma once

namespace atc::depthwise {

// Forward, and backward-data of stride 1, which is forward with a flipped filter. Output i reads
// the inputs from i * stride - pad on.
template <int kStride>
struct Gathering {
  // The number of inputs and the number of outputs of one step (unit).
  static constexpr int kIn = kStride, kOut = 1;
  static constexpr int slots(int taps) { return (taps + kStride - 1) / kStride; }
  static constexpr int window(int units, int taps) { return (units - 1) * kStride + taps; }
  // Returns the tap with which output i of a tile multiplies input k of the tile's window. If the
  // result is outside of [0, taps), output i does not depend on input k.
  static constexpr int tap(int i, int k, int /*taps*/) { return k - i * kStride; }
  static constexpr int first(int out, int pad, int /*taps*/) { return out * kStride - pad; }
};

// Backward-data of stride 2. Input o (of dy) contributes with tap t to the output o * 2 + t - pad
// (of dx). A step computes two neighbouring outputs. For the first output, output + pad is even,
// and only the even taps contribute. For the second output, only the odd taps contribute. So no
// zeros are inserted and multiplied.
struct Scattering {
  static constexpr int kIn = 1, kOut = 2;
  static constexpr int slots(int taps) { return (taps + 1) / 2; }
  static constexpr int window(int units, int taps) { return units + slots(taps) - 1; }
  static constexpr int tap(int i, int k, int taps) {
    return 2 * (i / 2 + slots(taps) - 1 - k) + i % 2;
  }
  static constexpr int first(int out, int pad, int taps) {
    return (out + pad) / 2 - (slots(taps) - 1);
  }
};

}  // namespace atc::depthwise
