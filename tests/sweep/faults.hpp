// Makes functions of the system fail: the N-th allocation, the N-th call about files, or each such
// call from the N-th on. A call counts only while an object of the class InsideAtc exists, which
// marks that libatc runs. Calls of all threads count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atc_sweep {

enum class Kind {
  allocation,  // malloc and operator new fail as if no memory were left
  eio,
  enospc,
  eintr,
  half,  // read and write transfer only half of the requested bytes
};

enum class Manner { once, from_then_on };

struct Fault {
  Kind kind = Kind::allocation;
  Manner manner = Manner::once;
  // The number of the call that fails, from 1. Only calls that `kind` can make fail are counted. 0:
  // no call fails.
  std::uint64_t at = 0;
};

// Returns a description of `fault` for messages.
std::string text_of(const Fault& fault);

// Starts counting calls from 0, and makes `fault` happen.
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

// Counts the present call, and returns whether it must fail. The replacements of the system's
// functions call this function.
bool fails(Kind kind);
// Returns whether libatc runs and the armed fault is of this kind.
bool armed_with(Kind kind);

// Returns the name of a known crashing function if it is among the callers of the failed call, and
// otherwise null. Such a function belongs to another library and crashes if it gets no memory.
const char* known_to_crash();

// Prints the call stack of the last fault on standard error.
void print_place();

// Returns the number of allocations that libatc has made and has not freed.
std::int64_t live_allocations();

// Stores the name of the system's function that has failed. last_hit() returns this name.
void note_hit(const char* function);
const char* last_hit();

}  // namespace atc_sweep
