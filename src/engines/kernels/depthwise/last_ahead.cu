// Depthwise forward and backward-data, channels last. Rows of the input are copied to shared memory
// several steps before they are used (last.cu does not do this). Each thread copies the data that
// it will read itself, so no thread waits for another. There is one exception: cp.async cannot copy
// two bytes. So if a thread's vector of channels has only two bytes, two neighbouring lanes copy
// for each other: one lane copies the even columns of both vectors, and the other lane copies the
// odd columns. These two lanes wait for each other.
#include "engines/kernels/depthwise/copies.cuh"
#include "engines/kernels/depthwise/last.cuh"
#include "engines/kernels/depthwise/last_forms.hpp"

namespace atc::depthwise {

namespace {

// Copies the rows that a strip reads to shared memory and reads them from there, one step at a
// time, from step `first` to step `end` - 1. Pixels outside of the image are zeros.
template <typename Element, class Way, int T, int R, int S, int VC, int TW, int kAhead>
class Rows {
 public:
  static constexpr int kCols = Way::window(TW, S);

  __device__ Rows(const PlaneShape& g, const LastTiling& tiling, const Strip<Element>& strip,
                  int first, int end)
      : channels_(g.channels),
        pitch_(static_cast<long long>(g.in[2]) * g.channels),
        left_(end - first) {
    const int col = Way::first(strip.col, g.pad[2], S);
    const int row = Way::first(strip.row, g.pad[1], R) + first * Way::kIn;
    const int depth = strip.depth - g.pad[0];
    before_ = -row;
    after_ = g.in[1] - row;
#pragma unroll
    for (int t = 0; t < T; ++t)
      slices_ |= static_cast<unsigned>(T == 1 || (depth + t >= 0 && depth + t < g.in[0])) << t;
    // A vector of only two bytes cannot be copied alone, so two lanes share the copies. The first
    // lane copies the even columns (odd = 0). The second lane copies the odd columns (odd = 1).
    const int odd = kLanes == 2 ? static_cast<int>(threadIdx.x) % 2 : 0;
    left_col_ = -col - odd;
    right_col_ = min(g.in[2] - col, kCols) - odd;
    slice_ = g.in[1] * pitch_;
    next_ = strip.in + (T == 1 ? 0 : depth * slice_) + row * pitch_ +
            static_cast<long long>(col + odd) * g.channels - odd;
    memory_ = reinterpret_cast<unsigned char*>(shared_floats() + tiling.filter_floats) +
              (threadIdx.y * blockDim.x + threadIdx.x) * kBytes;
    to_ = memory_ + odd * (kPitch - kBytes);
  }

  // Starts to copy the rows of the input for the next step to shared memory.
  __device__ void ask() {
    if (left_ > 0) {
#pragma unroll
      for (int k = 0; k < Way::kIn; ++k) {
        // If each step reads only one row of the input, this row lies in the image in all steps
        // from `first` to `end` - 1.
        const bool row = Way::kIn == 1 || (k >= before_ && k < after_);
#pragma unroll
        for (int t = 0; t < T; ++t) {
          const bool exists = row && (T == 1 || (slices_ >> t & 1) != 0);
          const Element* const from = next_ + k * pitch_ + t * slice_;
          unsigned char* const to = to_ + asked_ + (t * Way::kIn + k) * kPlaces * kPitch;
          if (kLanes == 1 && exists && left_col_ <= 0 && right_col_ >= kCols) {
#pragma unroll
            for (int l = 0; l < kCols; ++l)
              cp_async<kBytes * kLanes>(to + l * kPitch, from + l * channels_, true);
          } else {
#pragma unroll
            for (int l = 0; l < kCols; l += kLanes)
              cp_async<kBytes * kLanes>(to + l * kPitch, from + l * channels_,
                                        exists && l >= left_col_ && l < right_col_);
          }
        }
      }
      next_ += Way::kIn * pitch_;
      before_ -= Way::kIn;
      after_ -= Way::kIn;
      --left_;
    }
    cp_async_commit_group();
    asked_ = asked_ == kAhead * kStep ? 0 : asked_ + kStep;
  }
  // Waits until the rows of the input for the next step are in shared memory, and returns their
  // address. The copies of the latest kAhead - 1 calls of ask() may still run. After await(), ask()
  // may overwrite the rows of the previous step.
  __device__ const unsigned char* await() {
    cp_async_wait_group<kAhead - 1>();
    if (kLanes == 2) __syncwarp(lanes());
    return memory_ + (asked_ == kAhead * kStep ? 0 : asked_ + kStep);
  }
  // Returns whether `is_so` is true in this lane. If vectors have only two bytes, two lanes copy
  // for each other; then returns whether `is_so` is true in at least one of the two lanes.
  __device__ static bool any(bool is_so) {
    return kLanes == 1 ? is_so : __any_sync(lanes(), is_so) != 0;
  }
  // Reads one pixel of the input rows that ask() has copied to shared memory for one step of the
  // kernel's loop. `step` is the address of these rows. t, k and l are the depth, row and column of
  // the pixel among them.
  __device__ static void read(const unsigned char* step, int t, int k, int l, float (&values)[VC]) {
    Vector<Element, VC>::load(
        reinterpret_cast<const Element*>(step + ((t * Way::kIn + k) * kPlaces + l) * kPitch))
        .unpack(values);
  }

 private:
  static constexpr int kBytes = VC * static_cast<int>(sizeof(Element));
  // The number of lanes that copy for each other: 2 if a vector of channels has two bytes,
  // otherwise 1.
  static constexpr int kLanes = kBytes == 2 ? 2 : 1;
  static constexpr int kPitch = kBytes * kLastThreads;
  // The number of columns of a row in shared memory: kCols, rounded up to a multiple of kLanes (the
  // number of lanes that copy for each other).
  static constexpr int kPlaces = (kCols + kLanes - 1) / kLanes * kLanes;
  static constexpr int kStep = T * Way::kIn * kPlaces * kPitch;

  __device__ static unsigned lanes() {
    return 3u << ((threadIdx.y * blockDim.x + threadIdx.x) % 32 / 2 * 2);
  }

  const Element* next_;
  int channels_;
  long long pitch_, slice_;
  int left_;  // the number of steps whose rows are still to be copied
  // The first row of the image and the row after its last one, counted from the first row of the
  // next step.
  int before_, after_;
  // The first column of the image and the column after its last one, counted from the first column
  // of the window of inputs.
  int left_col_, right_col_;
  unsigned slices_ = 0;
  // The addresses in shared memory from which this thread reads, and to which it copies.
  unsigned char *memory_, *to_;
  int asked_ = 0;
};

// Stores the outputs of a strip, one step (Way::kOut rows) after the other. The first step has the
// number `first`, counted from the beginning of the strip; it may be negative.
template <typename Element, class Way, int VC, int TW>
class Outputs {
 public:
  static constexpr int kCols = TW * Way::kOut;

  __device__ Outputs(const PlaneShape& g, const Strip<Element>& strip, int first)
      : channels_(g.channels),
        row_(strip.row + first * Way::kOut),
        rows_(g.out[1]),
        pitch_(static_cast<long long>(g.out[2]) * g.channels) {
    left_ = -strip.col;
    right_ = g.out[2] - strip.col;
    next_ = strip.out + (static_cast<long long>(strip.depth) * g.out[1] + row_) * pitch_ +
            static_cast<long long>(strip.col) * g.channels;
  }
  // Stores the rows that one step has completed, if `valid` is true. Then goes on to the rows of
  // the next step. `valid` must be false for steps before the strip.
  __device__ void put(const Finish& finish, bool valid, float (&sums)[Way::kOut][kCols][VC]) {
    using Values = Vector<Element, VC>;
#pragma unroll
    for (int e = 0; e < Way::kOut; ++e) {
      if (valid && row_ >= 0 && row_ < rows_) {
        if (finish.accumulate) {
#pragma unroll
          for (int j = 0; j < kCols; ++j) {
            float old[VC];
            if (!inside(j)) continue;
            Values::load(next_ + j * channels_).unpack(old);
#pragma unroll
            for (int v = 0; v < VC; ++v) sums[e][j][v] += old[v];
          }
        }
        if (finish.relu) {
#pragma unroll
          for (int j = 0; j < kCols; ++j)
#pragma unroll
            for (int v = 0; v < VC; ++v) sums[e][j][v] = relu(sums[e][j][v]);
        }
#pragma unroll
        for (int j = 0; j < kCols; ++j)
          if (inside(j)) Values::pack(sums[e][j]).store(next_ + j * channels_);
      }
      ++row_;
      next_ += pitch_;
    }
  }

 private:
  __device__ bool inside(int j) const { return (Way::kOut == 1 || j >= left_) && j < right_; }

  Element* next_;
  int channels_, row_, rows_;
  // The first column of the image and the column after its last one, counted from the first column
  // of the strip.
  int left_, right_;
  long long pitch_;
};

template <typename Element, class Way, int T, int R, int S, int VC, int TW, int kAhead>
__device__ void convolve(const Pointers& p, const PlaneShape& g, const LastTiling& tiling) {
  constexpr int kTaps = T * R * S, kSlots = Way::slots(R), kCols = Way::window(TW, S);
  constexpr int kOutCols = TW * Way::kOut;

  Strip<Element> strip{};
  const bool exists = find_strip<Way, VC, TW>(p, g, tiling, strip);
  // Step s adds the products of Way::kIn rows of the input. It completes the rows of outputs that
  // have the step number s - (kSlots - 1) of the strip. In the steps before `first`, and from `end`
  // on, the rows of the input lie in padding, and nothing is added.
  const int units = strip.rows / Way::kOut, steps = units + kSlots - 1;
  const int row0 = Way::first(strip.row, g.pad[1], R);
  const int first = min(steps, max(0, -row0) / Way::kIn);
  const int end = max(first, min(steps, (g.in[1] - row0 + Way::kIn - 1) / Way::kIn));
  Rows<Element, Way, T, R, S, VC, TW, kAhead> rows(g, tiling, strip, first, end);
  if (exists) {
#pragma unroll 1
    for (int i = 0; i < kAhead; ++i) rows.ask();
  }
  stage_filters<VC, Element>(p, g, tiling, kTaps);
  __syncthreads();
  if (!exists) return;
  float weights[kTaps][VC], bias[VC];
  // If a weight is Inf or NaN, the sums are computed tap by tap. The code after this branch
  // multiplies padding, as zeros. This is only right for finite weights, because 0 x Inf is NaN.
  if (rows.any(load_weights(strip, weights) != 0)) {
    cp_async_wait_group<0>();
    return convolve_each<VC, Way>(g, strip, T, R, S, TW);
  }
  load_bias(strip, bias);

  using Unit = float[Way::kOut][kOutCols][VC];
  const auto start = [&](Unit& unit) {
#pragma unroll
    for (int e = 0; e < Way::kOut; ++e)
#pragma unroll
      for (int j = 0; j < kOutCols; ++j)
#pragma unroll
        for (int v = 0; v < VC; ++v) unit[e][j][v] = bias[v];
  };
  // The sums of the incomplete rows. sums[a] is complete after kSlots - 1 - a more steps.
  Unit sums[kSlots];
  const auto turn = [&] {
#pragma unroll
    for (int a = kSlots - 1; a > 0; --a)
#pragma unroll
      for (int e = 0; e < Way::kOut; ++e)
#pragma unroll
        for (int j = 0; j < kOutCols; ++j)
#pragma unroll
          for (int v = 0; v < VC; ++v) sums[a][e][j][v] = sums[a - 1][e][j][v];
    start(sums[0]);
  };
#pragma unroll
  for (int a = 0; a < kSlots; ++a) start(sums[a]);
  Outputs<Element, Way, VC, TW> outputs(g, strip, 1 - kSlots);
  int step = 0;
#pragma unroll 1
  for (; step < first; ++step) {
    outputs.put(g.finish, step >= kSlots - 1, sums[kSlots - 1]);
    start(sums[kSlots - 1]);
  }
#pragma unroll 1
  for (; step < end; ++step) {
    const unsigned char* const memory = rows.await();
    rows.ask();
    float values[T][Way::kIn][kCols][VC];
#pragma unroll
    for (int t = 0; t < T; ++t)
#pragma unroll
      for (int k = 0; k < Way::kIn; ++k)
#pragma unroll
        for (int l = 0; l < kCols; ++l) rows.read(memory, t, k, l, values[t][k][l]);
#pragma unroll
    for (int a = kSlots - 1; a >= 0; --a)
#pragma unroll
      for (int t = 0; t < T; ++t)
#pragma unroll
        for (int k = 0; k < Way::kIn; ++k)
#pragma unroll
          for (int l = 0; l < kCols; ++l)
#pragma unroll
            for (int e = 0; e < Way::kOut; ++e)
#pragma unroll
              for (int j = 0; j < kOutCols; ++j) {
                const int r = Way::tap(e, a * Way::kIn + k, R), s = Way::tap(j, l, S);
                if (r < 0 || r >= R || s < 0 || s >= S) continue;
#pragma unroll
                for (int v = 0; v < VC; ++v)
                  sums[a][e][j][v] =
                      fmaf(values[t][k][l][v], weights[(t * R + r) * S + s][v], sums[a][e][j][v]);
              }
    outputs.put(g.finish, step >= kSlots - 1, sums[kSlots - 1]);
    turn();
  }
#pragma unroll 1
  for (; step < steps; ++step) {
    outputs.put(g.finish, step >= kSlots - 1, sums[kSlots - 1]);
    turn();
  }
}

}  // namespace

#define ATC_DEPTHWISE_AHEAD(dtype, Element, way, Way, T, R, S, VC, TW, AHEAD, BLOCKS) \
  extern "C" __global__ void __launch_bounds__(kLastThreads, BLOCKS)                  \
      atc_depthwise_ahead_##dtype##_##T##x##R##x##S##_##way##_v##VC##_w##TW(          \
          const __grid_constant__ Pointers p, const __grid_constant__ PlaneShape g,   \
          const __grid_constant__ LastTiling tiling) {                                \
    convolve<Element, Way, T, R, S, VC, TW, AHEAD>(p, g, tiling);                     \
  }
ATC_DEPTHWISE_AHEAD_FORMS(ATC_DEPTHWISE_AHEAD)

}  // namespace atc::depthwise
