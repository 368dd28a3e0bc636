// The table of the known faults of vendors' libraries (oneDNN, cuDNN, cuBLASLt). Engines look up
// this table, so that an implementation does not run where it has a fault.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engines/faults/fault.hpp"

namespace atc::faults {

// Returns all rows of the table, sorted by library. Each row describes one fault.
const std::vector<Fault>& table();

// Returns the first fault that this version of the library has and that concerns the use (a problem
// and the implementation that is to compute it). Returns null if there is no such fault.
const Fault* find(Library library, const Version& version, const Use& use);
// Returns the first fault that this version of the library has, that concerns the use (a problem
// and an implementation), and whose handling is `handling`. Returns null if there is no such fault.
const Fault* find(Library library, const Version& version, const Use& use, Handling handling);

// Returns a sentence about the fault for messages, for example "oneDNN 3.2.0 has a known fault with
// strided 1x1 layers … (memory corruption): … [source]".
std::string sentence(const Fault& fault, const Version& version);

// Each of the next functions returns all known faults of one library.
std::vector<Fault> onednn_faults();
std::vector<Fault> cudnn_faults();
std::vector<Fault> cublaslt_faults();

}  // namespace atc::faults
