// The one pin file that decisions of this process obey.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "conv/options.hpp"
#include "conv/pins/pin_file.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Null if there is none. The first call reads the file that ATC_PINS names. If that is not a pin
// file, this and each later call throws the error of read_pin_file, because a program must not run
// without its pins.
std::shared_ptr<const PinFile> pins_in_use();

// The pins in use that are for one problem.
struct PinsForProblem : MatchingPins {
  std::shared_ptr<const PinFile> file;  // which they are in; null: no pins
};
// Throws what pins_in_use throws.
PinsForProblem pins_for(const Problem& problem, const Request& request);

// Reads the file and puts it to use in place of the one before; "": none. An explicit call outranks
// the environment. Plans of the cache are decided anew. Throws the error of read_pin_file; then the
// file before remains in use.
void use_pin_file(const std::string& path);

// Reads the file that ATC_PINS names now, but does not put it to use; null where it is not set.
std::shared_ptr<const PinFile> pins_from_environment();
void use_pins(std::shared_ptr<const PinFile> file);  // null: none

// The digest of decisions made with this store digest and the pin file in use; without one, the
// store's own.
std::uint64_t with_pins(std::uint64_t store_digest);

}  // namespace atc::conv
