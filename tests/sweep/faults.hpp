// Faults of the system on demand: the N-th allocation or the N-th call about files fails, or every
// one from the N-th on. Only what happens while a function of libatc is running counts (InsideAtc),
// whichever thread does it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atc_sweep {

enum class Kind {
  allocation,  // malloc and operator new: there is no memory
  eio,
  enospc,
  eintr,
  half,  // read and write transfer half of what they were asked for
};

enum class Manner { once, from_then_on };

struct Fault {
  Kind kind = Kind::allocation;
  Manner manner = Manner::once;
  std::uint64_t at = 0;  // counted from 1 among what `kind` can fail; 0: never
};

// `fault` in words, for messages.
std::string text_of(const Fault& fault);

// Counts anew, and lets `fault` happen.
void arm(const Fault& fault);
// Nothing fails any more. Returns whether the fault has happened since arm().
bool disarm();

// Counting is on while one of these exists.
class InsideAtc {
 public:
  InsideAtc();
  ~InsideAtc();
  InsideAtc(const InsideAtc&) = delete;
  InsideAtc& operator=(const InsideAtc&) = delete;
};

bool inside_atc();

// For the functions that stand in for the system's: whether the call that asks fails now.
bool fails(Kind kind);
// The kind of fault that is armed, where it is one of calls about files.
bool armed_with(Kind kind);

// The function on the way to that place that is known to end the process where there is no memory,
// in a library that is not atc's; NULL: none.
const char* known_to_crash();

// The place of the fault that happened last, on standard error: the calls that led there.
void print_place();

// The allocations made inside of libatc and not freed there yet.
std::int64_t live_allocations();

// What the fault hit: the name of the function of the system, and for files what it was called for.
void note_hit(const char* function);
const char* last_hit();

}  // namespace atc_sweep
