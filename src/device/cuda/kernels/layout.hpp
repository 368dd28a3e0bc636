// Arguments and results of kernels that work on tensors. Host and device code share this header, so
// it does not use the standard library.
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

// Results of the kernels that check an output; ~0 if nothing is wrong.
struct Findings {
  unsigned long long bad_element = ~0ull;  // 2 x the element's number, + 1 if it was never written
  unsigned long long touched_word =
      ~0ull;  // the number of a 16-bit word, counted from the start of the buffer
};

// The number, counted in the order of memory, of the first element that a kernel found; ~0 if it
// found none.
struct Found {
  unsigned long long element = ~0ull;
};

constexpr unsigned kStampThreads = 1024;  // of a block of atc_stamp
// How long a block of the kernel atc_stamp waits for the other blocks. The limit in cycles ends the
// wait if the timer stands still.
constexpr unsigned long long kMeetingNanoseconds = 200'000;
constexpr long long kMeetingCycles = 1'000'000;

// The clock of one multiprocessor and the time, at one moment.
struct ClockStamp {
  unsigned long long cycles = 0;
  unsigned long long nanoseconds = 0;  // the time of the stamp; 0: no block ran on the
                                       // multiprocessor
};

}  // namespace atc::cuda
