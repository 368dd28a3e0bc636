// How the outputs of one dimension depend on a window of inputs, known at compile time.
#pragma once

namespace atc::depthwise {

// The way of forward, and of backward-data of stride 1 with the filter flipped. Output i reads
// inputs from i * stride - pad on.
template <int kStride>
struct Gathering {
  static constexpr int kIn = kStride, kOut = 1;  // inputs and outputs of a unit
  static constexpr int slots(int taps) { return (taps + kStride - 1) / kStride; }
  static constexpr int window(int units, int taps) { return (units - 1) * kStride + taps; }
  // Returns the tap by which output i of a tile reads input k of its window. A result outside of
  // [0, taps) means that there is none.
  static constexpr int tap(int i, int k, int /*taps*/) { return k - i * kStride; }
  static constexpr int first(int out, int pad, int /*taps*/) { return out * kStride - pad; }
};

// Backward-data of stride 2. Input o contributes to the outputs o * 2 + t - pad. A unit is two
// neighbouring outputs: the first one has an even i + pad and uses the even taps, the second one
// uses the odd taps. So no multiplication is by an inserted zero.
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
