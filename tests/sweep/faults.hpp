// Makes functions of the system fail: the N-th allocation or the N-th call about files, alone or
// together with all later ones. Only calls that are made while libatc runs count. A test marks this
// time by an object of the class InsideAtc. Calls of all threads count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atc_sweep {

enum class Kind {
  allocation,  // the fault: malloc and operator new fail as if no memory were left
  eio,
  enospc,
  eintr,
  half,  // the fault: read and write transfer only half of the requested bytes
};

enum class Manner { once, from_then_on };

struct Fault {
  Kind kind = Kind::allocation;
  Manner manner = Manner::once;
  // The number of the call that fails; the first call has the number 1. Only calls that can fail in
  // the way of `kind` are counted. 0: no call fails.
  std::uint64_t at = 0;
};

// Returns a description of `fault` for messages.
std::string text_of(const Fault& fault);

// Sets the count of calls to 0. From now on the call that `fault` describes fails (the fault is
// armed).
void arm(const Fault& fault);
// Ends the fault: from now on no call fails. Returns whether the fault has happened since arm().
bool disarm();

// Marks that libatc runs. While an object of this class exists, calls are counted.
class InsideAtc {
 public:
  InsideAtc();
  ~InsideAtc();
  InsideAtc(const InsideAtc&) = delete;
  InsideAtc& operator=(const InsideAtc&) = delete;
};

bool inside_atc();

// Counts the system call that is being made, if libatc makes the call and the present fault is of
// this kind. Returns whether the call must fail. Each function that replaces a function of the
// system calls fails() first.
bool fails(Kind kind);
// Returns whether libatc runs and the present fault is of this kind.
bool armed_with(Kind kind);

// Some functions of other libraries are known to crash if an allocation fails. If such a function
// is among the callers of the call that failed, returns its name; otherwise returns null.
const char* known_to_crash();

// Prints the call stack of the last fault on standard error.
void print_place();

// Returns the number of allocations that libatc has made and has not freed.
std::int64_t live_allocations();

// Stores the name of the system's function that has failed. last_hit() returns this name.
void note_hit(const char* function);
const char* last_hit();

}  // namespace atc_sweep
