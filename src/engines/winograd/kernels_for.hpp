// The kernels that kernels.hpp declares, as a template for an instruction set. For each instruction
// set one source file includes this file, and is compiled with instructions that some processors
// lack. If the file contained inline functions that other files also have, the linker might use the
// copy with these instructions in the whole program. So everything in this file has internal
// linkage, and no inline function of the standard library is used.
#pragma once

#include <immintrin.h>

#include "engines/winograd/kernels.hpp"

namespace atc::winograd {

namespace {

// `Set` describes an instruction set. Set::Vector is a vector of floats. Set::kTiles is the number
// of tiles that multiply() computes at the same time; their 2 x kTiles accumulators are in
// registers.
template <typename Set>
struct KernelsFor {
  using Vector = typename Set::Vector;
  static constexpr int kLanes = sizeof(Vector) / sizeof(float), kBlock = 2 * kLanes, kEight = 8;

  static Vector load(const float* from) {
    Vector v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  static void store(float* to, Vector v) { __builtin_memcpy(to, &v, sizeof v); }

  // Transposes eight rows of eight floats. `from_row` and `to_row` are the distances between two
  // rows in floats.
  static void transpose(const float* from, std::int64_t from_row, float* to, std::int64_t to_row) {
    __m256 r[kEight], a[kEight], b[kEight];
    for (int i = 0; i < kEight; ++i) r[i] = _mm256_loadu_ps(from + i * from_row);
    for (int i = 0; i < kEight; i += 2) {
      a[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
      a[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < kEight; i += 4)
      for (int j = 0; j < 2; ++j) {
        b[i + 2 * j] = _mm256_shuffle_ps(a[i + j], a[i + j + 2], 0x44);
        b[i + 2 * j + 1] = _mm256_shuffle_ps(a[i + j], a[i + j + 2], 0xee);
      }
    for (int i = 0; i < 4; ++i) {
      _mm256_storeu_ps(to + i * to_row, _mm256_permute2f128_ps(b[i], b[i + 4], 0x20));
      _mm256_storeu_ps(to + (i + 4) * to_row, _mm256_permute2f128_ps(b[i], b[i + 4], 0x31));
    }
  }

  // The one-dimensional transforms.

  // Computes B' d (kernels.hpp) for one row or column of an input tile.
  template <int m>
  static void input(const Vector* d, Vector* to) {
    if constexpr (m == 4) {
      const Vector even = d[4] - 4.0F * d[2], odd = d[3] - 4.0F * d[1];
      const Vector even2 = d[4] - d[2], odd2 = 2.0F * (d[3] - d[1]);
      to[0] = 4.0F * d[0] - 5.0F * d[2] + d[4];
      to[1] = even + odd;
      to[2] = even - odd;
      to[3] = even2 + odd2;
      to[4] = even2 - odd2;
      to[5] = 4.0F * d[1] - 5.0F * d[3] + d[5];
    } else {
      to[0] = d[0] - d[2];
      to[1] = d[1] + d[2];
      to[2] = d[2] - d[1];
      to[3] = d[1] - d[3];
    }
  }

  // Computes G g (kernels.hpp) for one row or column of a filter.
  template <int m>
  static void filter(const Vector* g, Vector* to) {
    if constexpr (m == 4) {
      const Vector even = g[0] + g[2], even4 = g[0] / 24.0F + g[2] / 6.0F;
      to[0] = g[0] / 4.0F;
      to[1] = (even + g[1]) / -6.0F;
      to[2] = (even - g[1]) / -6.0F;
      to[3] = even4 + g[1] / 12.0F;
      to[4] = even4 - g[1] / 12.0F;
      to[5] = g[2];
    } else {
      const Vector even = g[0] + g[2];
      to[0] = g[0];
      to[1] = (even + g[1]) / 2.0F;
      to[2] = (even - g[1]) / 2.0F;
      to[3] = g[2];
    }
  }

  // Computes A' p (kernels.hpp) for one row or column of products.
  template <int m>
  static void output(const Vector* p, Vector* to) {
    const Vector sum = p[1] + p[2], difference = p[1] - p[2];
    if constexpr (m == 4) {
      const Vector sum2 = p[3] + p[4], difference2 = p[3] - p[4];
      to[0] = p[0] + sum + sum2;
      to[1] = difference + 2.0F * difference2;
      to[2] = sum + 4.0F * sum2;
      to[3] = difference + 8.0F * difference2 + p[5];
    } else {
      to[0] = p[0] + sum;
      to[1] = difference - p[3];
    }
  }

  // Transforms of filters.

  static constexpr int kTaps = 9;

  // The taps of kLanes filters for eight channels.
  struct Taps {
    Vector of[kEight][kTaps];  // of[channel][tap]: a vector with one float for each filter
  };

  static void load_taps(const Filters& f, std::int64_t first, std::int64_t channel, Taps& to) {
    const float* const from = f.data + first * f.filter + channel * f.channel;
    const bool whole = first + kLanes <= f.filters && channel + kEight <= f.channels;
    const auto distance_of = [&](int tap) { return tap / 3 * f.row + tap % 3 * f.column; };
    alignas(64) float lanes[kEight][kLanes];
    if (whole && f.column == 1 && f.row == 3) {
      load_dense_taps(f, from, false, to);
    } else if (whole && f.column == -1 && f.row == -3) {
      load_dense_taps(f, from - (kTaps - 1), true, to);
    } else if (whole && f.filter == 1) {
      for (int c = 0; c < kEight; ++c)
        for (int tap = 0; tap < kTaps; ++tap)
          to.of[c][tap] = load(from + c * f.channel + distance_of(tap));
    } else if (whole && f.channel == 1) {
      for (int tap = 0; tap < kTaps; ++tap) {
        for (int part = 0; part < kLanes; part += kEight)
          transpose(from + part * f.filter + distance_of(tap), f.filter, lanes[0] + part, kLanes);
        for (int c = 0; c < kEight; ++c) to.of[c][tap] = load(lanes[c]);
      }
    } else {
      for (int c = 0; c < kEight; ++c)
        for (int tap = 0; tap < kTaps; ++tap) {
          to.of[c][tap] = Vector{};
          for (int lane = 0; lane < kLanes && first + lane < f.filters; ++lane)
            if (channel + c < f.channels)
              to.of[c][tap][lane] = from[lane * f.filter + c * f.channel + distance_of(tap)];
        }
    }
  }

  // Loads the nine taps of each filter and channel, which are contiguous in memory, into `to`.
  // `from` points to the taps of the first filter and channel. If `reverse` is true, the order of
  // the taps is reversed.
  static void load_dense_taps(const Filters& f, const float* from, bool reverse, Taps& to) {
    alignas(64) float lanes[kTaps][kLanes];
    for (int c = 0; c < kEight; ++c) {
      const float* const taps = from + c * f.channel;
      for (int part = 0; part < kLanes; part += kEight)
        transpose(taps + part * f.filter, f.filter, lanes[0] + part, kLanes);
      for (int lane = 0; lane < kLanes; ++lane)
        lanes[kEight][lane] = taps[lane * f.filter + kEight];
      for (int tap = 0; tap < kTaps; ++tap)
        to.of[c][reverse ? kTaps - 1 - tap : tap] = load(lanes[tap]);
    }
  }

  template <int m>
  static void transform_taps(const Vector* taps, float* to, std::int64_t place) {
    constexpr int n = inputs_of(m);
    Vector rows_done[n][3];
    for (int column = 0; column < 3; ++column) {
      const Vector of_column[] = {taps[column], taps[3 + column], taps[6 + column]};
      Vector done[n];
      filter<m>(of_column, done);
      for (int i = 0; i < n; ++i) rows_done[i][column] = done[i];
    }
    for (int i = 0; i < n; ++i) {
      Vector done[n];
      filter<m>(rows_done[i], done);
      for (int j = 0; j < n; ++j) store(to + (i * n + j) * place, done[j]);
    }
  }

  template <int m>
  static void transform_filters_by(const Filters& f, std::int64_t block, std::int64_t first,
                                   std::int64_t last, float* to, std::int64_t place) {
    Taps taps;
    for (std::int64_t channel = first; channel < last; channel += kEight)
      for (int half = 0; half < kBlock; half += kLanes) {
        load_taps(f, block + half, channel, taps);
        for (int c = 0; c < kEight; ++c)
          transform_taps<m>(taps.of[c], to + (channel + c) * kBlock + half, place);
      }
  }

  // Transforms of inputs.

  // Loads the n pixels of one row of an input window, each for kLanes channels.
  template <int n>
  static void load_row(const Plane& p, std::int64_t row, std::int64_t column, std::int64_t first,
                       Vector* to) {
    for (int j = 0; j < n; ++j) to[j] = Vector{};
    if (row < 0 || row >= p.rows) return;
    const float* const from = p.data + first * p.channel + row * p.row;
    const bool whole = first + kLanes <= p.channels;
    if (whole && p.column == 1 && p.columns >= kEight) {
      const std::int64_t most = p.columns - kEight;
      const std::int64_t begin = column < 0 ? 0 : column < most ? column : most;
      alignas(64) float pixels[kEight][kLanes];
      for (int part = 0; part < kLanes; part += kEight)
        transpose(from + part * p.channel + begin, p.channel, pixels[0] + part, kLanes);
      for (int j = 0; j < n; ++j)
        if (column + j >= 0 && column + j < p.columns) to[j] = load(pixels[column + j - begin]);
      return;
    }
    for (int j = 0; j < n; ++j) {
      if (column + j < 0 || column + j >= p.columns) continue;
      const float* const pixel = from + (column + j) * p.column;
      if (whole && p.channel == 1) {
        to[j] = load(pixel);
        continue;
      }
      for (int lane = 0; lane < kLanes && first + lane < p.channels; ++lane)
        to[j][lane] = pixel[lane * p.channel];
    }
  }

  template <int m>
  static void transform_input_by(const Plane& p, std::int64_t row, std::int64_t column,
                                 std::int64_t first, float* to, std::int64_t place) {
    constexpr int n = inputs_of(m);
    Vector rows_done[n][n];
    for (int i = 0; i < n; ++i) {
      Vector pixels[n], done[n];
      load_row<n>(p, row + i, column, first, pixels);
      input<m>(pixels, done);
      for (int j = 0; j < n; ++j) rows_done[j][i] = done[j];
    }
    for (int j = 0; j < n; ++j) {
      Vector done[n];
      input<m>(rows_done[j], done);
      for (int i = 0; i < n; ++i) store(to + (i * n + j) * place, done[i]);
    }
  }

  // Matrix products.

  template <int count>
  static void multiply_tiles(const float* filters, const float* inputs, float* products,
                             std::int64_t channels, std::int64_t stride) {
    Vector sums[count][2];
    for (int i = 0; i < count; ++i) sums[i][0] = sums[i][1] = Vector{};
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      const Vector low = load(filters + channel * kBlock);
      const Vector high = load(filters + channel * kBlock + kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < count; ++i) {
        const float x = inputs[i * channels + channel];
        sums[i][0] += low * x;
        sums[i][1] += high * x;
      }
    }
    for (int i = 0; i < count; ++i) {
      store(products + i * stride, sums[i][0]);
      store(products + i * stride + kLanes, sums[i][1]);
    }
  }

  // Multiplies the filters with the last `tiles` tiles, whose number is less than `count`.
  template <int count>
  static void multiply_rest(const float* filters, const float* inputs, float* products,
                            std::int64_t tiles, std::int64_t channels, std::int64_t stride) {
    if constexpr (count > 1) {
      if (tiles == count - 1)
        multiply_tiles<count - 1>(filters, inputs, products, channels, stride);
      else
        multiply_rest<count - 1>(filters, inputs, products, tiles, channels, stride);
    }
  }

  static void multiply(const float* filters, const float* inputs, float* products,
                       std::int64_t tiles, std::int64_t channels, std::int64_t stride) {
    for (; tiles >= Set::kTiles; tiles -= Set::kTiles) {
      multiply_tiles<Set::kTiles>(filters, inputs, products, channels, stride);
      inputs += Set::kTiles * channels;
      products += Set::kTiles * stride;
    }
    multiply_rest<Set::kTiles>(filters, inputs, products, tiles, channels, stride);
  }

  // Transforms of products to outputs.

  template <int m>
  static void store_outputs(const Vector (*sums)[m], const Plane& p, std::int64_t row,
                            std::int64_t column, std::int64_t first) {
    float* const to = p.data + first * p.channel + row * p.row + column * p.column;
    const int rows_left = static_cast<int>(p.rows - row < m ? p.rows - row : m);
    const int columns_left = static_cast<int>(p.columns - column < m ? p.columns - column : m);
    const int channels =
        static_cast<int>(p.channels - first < kLanes ? p.channels - first : kLanes);
    if (channels == kLanes && p.channel == 1) {
      for (int i = 0; i < rows_left; ++i)
        for (int j = 0; j < columns_left; ++j) store(to + i * p.row + j * p.column, sums[i][j]);
      return;
    }
    alignas(64) float pixels[m][m][kLanes];
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) store(pixels[i][j], sums[i][j]);
    if constexpr (m == 4) {
      if (channels == kLanes && p.column == 1 && columns_left == m) {
        // For each of eight pixels (two rows of four) there are eight channels. The transposition
        // makes from them, for each of the eight channels, a vector of eight pixels.
        for (int i = 0; i < rows_left; i += 2)
          for (int part = 0; part < kLanes; part += kEight) {
            alignas(32) float by_channel[kEight][kEight];
            transpose(pixels[i][0] + part, kLanes, by_channel[0], kEight);
            for (int lane = 0; lane < kEight; ++lane) {
              float* const pixel = to + (part + lane) * p.channel + i * p.row;
              _mm_storeu_ps(pixel, _mm_load_ps(by_channel[lane]));
              if (i + 1 < rows_left)
                _mm_storeu_ps(pixel + p.row, _mm_load_ps(by_channel[lane] + m));
            }
          }
        return;
      }
    }
    for (int lane = 0; lane < channels; ++lane)
      for (int i = 0; i < rows_left; ++i)
        for (int j = 0; j < columns_left; ++j)
          to[lane * p.channel + i * p.row + j * p.column] = pixels[i][j][lane];
  }

  template <int m>
  static bool transform_output_by(const float* products, std::int64_t place, const Plane& p,
                                  std::int64_t row, std::int64_t column, std::int64_t first,
                                  const Finish& finish) {
    constexpr int n = inputs_of(m);
    Vector columns_done[m][n], sums[m][m], zeros{}, bias{};
    for (int j = 0; j < n; ++j) {
      Vector column_of[n], done[m];
      for (int i = 0; i < n; ++i) column_of[i] = load(products + (i * n + j) * place);
      output<m>(column_of, done);
      for (int i = 0; i < m; ++i) columns_done[i][j] = done[i];
    }
    if (finish.bias != nullptr)
      for (int lane = 0; lane < kLanes && first + lane < p.channels; ++lane)
        bias[lane] = finish.bias[first + lane];
    for (int i = 0; i < m; ++i) {
      output<m>(columns_done[i], sums[i]);
      for (int j = 0; j < m; ++j) {
        zeros += sums[i][j] * 0.0F;  // `zeros` becomes NaN if a sum is Inf or NaN
        sums[i][j] += bias;
        if (finish.relu) sums[i][j] = sums[i][j] > 0.0F ? sums[i][j] : Vector{};
      }
    }
    store_outputs<m>(sums, p, row, column, first);
    float total = 0;
    for (int lane = 0; lane < kLanes; ++lane) total += zeros[lane];
    return total == 0;
  }

  // The functions to which the struct Kernels points.

  static void transform_filters(int m, const Filters& f, std::int64_t block, std::int64_t first,
                                std::int64_t last, float* to, std::int64_t place) {
    m == 4 ? transform_filters_by<4>(f, block, first, last, to, place)
           : transform_filters_by<2>(f, block, first, last, to, place);
  }
  static void transform_input(int m, const Plane& p, std::int64_t row, std::int64_t column,
                              std::int64_t first, float* to, std::int64_t place) {
    m == 4 ? transform_input_by<4>(p, row, column, first, to, place)
           : transform_input_by<2>(p, row, column, first, to, place);
  }
  static bool transform_output(int m, const float* products, std::int64_t place, const Plane& p,
                               std::int64_t row, std::int64_t column, std::int64_t first,
                               const Finish& finish) {
    return m == 4 ? transform_output_by<4>(products, place, p, row, column, first, finish)
                  : transform_output_by<2>(products, place, p, row, column, first, finish);
  }

  static constexpr Kernels table() {
    return {kLanes, transform_filters, transform_input, multiply, transform_output};
  }
};

}  // namespace

}  // namespace atc::winograd
