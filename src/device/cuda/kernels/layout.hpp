// What kernels know of a tensor. Shared by host and device, hence without the standard library.
#pragma once

namespace atc::cuda {

constexpr int kLayoutRank = 5;

struct Layout {
  long long elements = 0;
  long long shape[kLayoutRank] = {};
  long long strides[kLayoutRank] = {};  // in elements
  int rank = 0;
  int dtype = 0;  // atc::Dtype
};

enum FillKind : int { kFillNormal = 0, kFillTernary = 1 };

// What the kernels that look through an output found; ~0 where nothing is wrong.
struct Findings {
  unsigned long long bad_element = ~0ull;   // 2 x its number, + 1 where it was never written
  unsigned long long touched_word = ~0ull;  // 16-bit word from the start of the buffer
};

// The first element, as they lie in memory, that a kernel found; ~0 for none.
struct Found {
  unsigned long long element = ~0ull;
};

// Of one multiprocessor at one moment.
struct ClockStamp {
  unsigned long long cycles = 0;
  unsigned long long nanoseconds = 0;  // 0: no block ran there
};

}  // namespace atc::cuda
