// How the outputs of one dimension draw on a window of inputs, known at compile time.
#pragma once

namespace atc::depthwise {

// Forward; backward-data of stride 1 with the filter flipped: output i takes inputs from i * stride
// - pad on.
template <int kStride>
struct Gathering {
  static constexpr int kIn = kStride, kOut = 1;  // inputs and outputs of a unit
  static constexpr int slots(int taps) { return (taps + kStride - 1) / kStride; }
  static constexpr int window(int units, int taps) { return (units - 1) * kStride + taps; }
  // The tap by which output i of a tile takes input k of its window; outside [0, taps): none.
  static constexpr int tap(int i, int k, int /*taps*/) { return k - i * kStride; }
  static constexpr int first(int out, int pad, int /*taps*/) { return out * kStride - pad; }
};

// Backward-data of stride 2: input o reaches the outputs o * 2 + t - pad. A unit is two
// neighbouring outputs i, the first with an even i + pad: this one has the even taps and the second
// one the odd taps, so that no product is with a zero.
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
