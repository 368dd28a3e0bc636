// The table of the known faults of vendors' libraries. All engines look up faults in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engines/faults/fault.hpp"

namespace atc::faults {

// All rows, grouped by library.
const std::vector<Fault>& table();

// Returns the first row for the library's version that concerns the use, or null.
const Fault* find(Library library, const Version& version, const Use& use);
// Returns the first row for the library's version that concerns the use and has this handling, or
// null.
const Fault* find(Library library, const Version& version, const Use& use, Handling handling);

// Returns "oneDNN 3.2.0 has a known fault with strided 1x1 layers … (memory corruption): …
// [source]".
std::string sentence(const Fault& fault, const Version& version);

// The rows of each library.
std::vector<Fault> onednn_faults();
std::vector<Fault> cudnn_faults();
std::vector<Fault> cublaslt_faults();

}  // namespace atc::faults
