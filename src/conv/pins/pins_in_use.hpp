// Keeps the pin file that is in use: decisions of this process obey it. There is at most one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "conv/options.hpp"
#include "conv/pins/pin_file.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// The pin file in use, or null. The first call reads the file that ATC_PINS names. If that is not a
// pin file, this call and each later call throw the error of read_pin_file, because a program must
// not run without its pins.
std::shared_ptr<const PinFile> pins_in_use();

// The pins in use that apply to one problem.
struct PinsForProblem : MatchingPins {
  std::shared_ptr<const PinFile> file;  // the pin file; null if no pins are in use
};
// Throws what pins_in_use throws.
PinsForProblem pins_for(const Problem& problem, const Request& request);

// Reads the file and uses it in place of the file in use; "" means no file. An explicit call has
// priority over the environment variable. Cached plans are decided anew. Throws the error of
// read_pin_file; then the previous file remains in use.
void use_pin_file(const std::string& path);

// Reads the file that ATC_PINS names now, but does not use it for decisions. Null if ATC_PINS is
// not set.
std::shared_ptr<const PinFile> pins_from_environment();
void use_pins(std::shared_ptr<const PinFile> file);  // null: none

// The digest of all that decisions depend on: the store with this digest, and the pin file in use.
// If no pin file is in use, returns the store's digest.
std::uint64_t with_pins(std::uint64_t store_digest);

}  // namespace atc::conv
