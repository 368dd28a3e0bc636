// Faults of the system on demand: the N-th allocation or the N-th call about files fails, or every
// one from the N-th on. Only calls that are made while a function of libatc runs are counted
// (InsideAtc), on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atc_sweep {

enum class Kind {
  allocation,  // malloc and operator new fail, as if there were no memory
  eio,
  enospc,
  eintr,
  half,  // read and write transfer half of the bytes that they were asked for
};

enum class Manner { once, from_then_on };

struct Fault {
  Kind kind = Kind::allocation;
  Manner manner = Manner::once;
  std::uint64_t at = 0;  // the number of the call that fails, counted from 1 among the calls that
                         // `kind` can fail; 0: none
};

// `fault` in words, for messages.
std::string text_of(const Fault& fault);

// Begins to count from 0, and lets `fault` happen.
void arm(const Fault& fault);
// From now on nothing fails. Returns whether the fault has happened since arm().
bool disarm();

// Calls are counted while an object of this class exists.
class InsideAtc {
 public:
  InsideAtc();
  ~InsideAtc();
  InsideAtc(const InsideAtc&) = delete;
  InsideAtc& operator=(const InsideAtc&) = delete;
};

bool inside_atc();

// Returns whether the present call must fail. The functions that replace those of the system call
// this.
bool fails(Kind kind);
// Returns the kind of the armed fault, if it is a fault of calls about files.
bool armed_with(Kind kind);

// Returns a function, in a library that is not atc's, that is known to end the process if it gets
// no memory, and that called the place of the fault. NULL if there is none.
const char* known_to_crash();

// Prints the place of the last fault on standard error: the calls that led there.
void print_place();

// Returns the number of allocations that libatc has made and not yet freed.
std::int64_t live_allocations();

// Notes the call that failed: the name of the function of the system, and for files also the file.
void note_hit(const char* function);
const char* last_hit();

}  // namespace atc_sweep
