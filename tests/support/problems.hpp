// Short descriptions of problems for tests.
#pragma once

#include <cstdint>
#include <string>

#include "core/problem.hpp"

namespace atc::test {

enum class Memory {
  first,    // dense, channels first
  last,     // dense, channels last
  strided,  // channels first, with gaps between rows, planes and samples
};

// A short description of a problem, from which build() makes a Problem. Only the first `spatial`
// elements of each array are used.
struct Spec {
  Direction direction = Direction::forward;
  int spatial = 2;
  std::int64_t batch = 2, channels_in = 4, channels_out = 6, groups = 1;
  Extents in{7, 7, 7}, kernel{3, 3, 3}, stride{1, 1, 1}, dilation{1, 1, 1};
  Extents pad_low{}, pad_high{};
  Memory x_memory = Memory::first, w_memory = Memory::first, y_memory = Memory::first;
  Dtype x = Dtype::f32, w = Dtype::f32, y = Dtype::f32;
  Epilogue epilogue = Epilogue::none;
  bool accumulate = false;
  PostOps post_ops{};
};

// Makes the problem. An output extent is floor((in + pads - reach) / stride) + 1, where reach is
// the extent of a window with its dilation. If the problem is used as a transposed convolution
// (backward-data), the elements at the end of x that no window reaches are the output padding.
Problem build(const Spec& spec);

// Returns whether every output extent is at least 1.
bool is_possible(const Spec& spec);

Tensor make_tensor(Dtype dtype, int rank, const std::array<std::int64_t, kMaxRank>& shape,
                   Memory memory);

// Returns a text about the problem for messages of failing tests: describe(problem), and the
// properties that describe() leaves out.
std::string label(const Problem& problem);

}  // namespace atc::test
