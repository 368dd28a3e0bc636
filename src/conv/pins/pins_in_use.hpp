// The pin file in use, which all decisions of this process obey. At most one pin file is in use.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "conv/options.hpp"
#include "conv/pins/pin_file.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Returns the pin file in use, or null. The first call reads the file that the environment variable
// ATC_PINS names. If the file cannot be read or is no pin file, this call and each later call throw
// the error of read_pin_file, because a program must not run without its pins.
std::shared_ptr<const PinFile> pins_in_use();

// The pins in use that apply to one problem.
struct PinsForProblem : MatchingPins {
  std::shared_ptr<const PinFile> file;  // the pin file; null if no pins are in use
};
// Returns the pins that apply to the problem. Throws what pins_in_use throws.
PinsForProblem pins_for(const Problem& problem, const Request& request);

// Reads the pin file `path` and uses it in place of the file in use. If `path` is "", no pins are
// used from now on. This call has priority over the environment variable ATC_PINS. Cached plans
// look up their decisions again. If the file cannot be read or is not valid, throws the error of
// read_pin_file, and the previous file remains in use.
void use_pin_file(const std::string& path);

// Reads the file that ATC_PINS names at this moment, and returns it without using it for decisions.
// Null if ATC_PINS is not set.
std::shared_ptr<const PinFile> pins_from_environment();
void use_pins(std::shared_ptr<const PinFile> file);  // null: no pins are used

// Returns one hash of the store and the pin file: `store_digest` (the digest of the store) combined
// with the contents of the pin file in use. If no pin file is in use, returns `store_digest`.
std::uint64_t with_pins(std::uint64_t store_digest);

}  // namespace atc::conv
