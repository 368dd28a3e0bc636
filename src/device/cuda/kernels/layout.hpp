// Arguments and results of kernels that work on tensors. Both host and device code include this
// header, so this header does not use the standard library.
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

// Results of the kernels that check an output. A result is ~0 if nothing wrong was found.
struct Findings {
  // 2 x the number of the first bad element, plus 1 if the element was never written.
  unsigned long long bad_element = ~0ull;
  // The number of a 16-bit word that was written outside of the tensor, counted from the start of
  // the buffer.
  unsigned long long touched_word = ~0ull;
};

// The number of the first element that a kernel found, counted in the order of memory; ~0 if the
// kernel found none.
struct Found {
  unsigned long long element = ~0ull;
};

constexpr unsigned kStampThreads = 1024;  // the number of threads of a block of atc_stamp
// The longest time for which a block of the kernel atc_stamp waits for the other blocks.
// kMeetingCycles, the limit in cycles, ends the wait if the device's timer stands still.
constexpr unsigned long long kMeetingNanoseconds = 200'000;
constexpr long long kMeetingCycles = 1'000'000;

// The clock and the time of one multiprocessor, read at the same moment.
struct ClockStamp {
  unsigned long long cycles = 0;
  // The time of the stamp. 0 if no block ran on the multiprocessor.
  unsigned long long nanoseconds = 0;
};

}  // namespace atc::cuda
