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
  // Describes the first element that is not finite: 2 x its number, plus 1 if the element was never
  // written.
  unsigned long long bad_element = ~0ull;
  // Describes the first 16-bit word outside of the tensor that was written: its number, counted
  // from the start of the buffer.
  unsigned long long touched_word = ~0ull;
};

// The number of the first element that a kernel found, counted in the order of memory; ~0 if the
// kernel found none.
struct Found {
  unsigned long long element = ~0ull;
};

// The number of threads of a block of atc_stamp, the kernel that reads the clocks.
constexpr unsigned kStampThreads = 1024;
// A block of the kernel atc_stamp waits at most this many nanoseconds for the other blocks. If the
// device's timer stands still, the wait ends after kMeetingCycles cycles.
constexpr unsigned long long kMeetingNanoseconds = 200'000;
constexpr long long kMeetingCycles = 1'000'000;

// The cycle counter and the timer (in nanoseconds) of one multiprocessor, read at the same moment.
struct ClockStamp {
  unsigned long long cycles = 0;
  // The time at which the clock was read, in nanoseconds. 0 if no block of the kernel ran on the
  // multiprocessor.
  unsigned long long nanoseconds = 0;
};

}  // namespace atc::cuda
