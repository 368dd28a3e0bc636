// Finds out whether an environment variable limits the instruction sets for which oneDNN generates
// code.
#pragma once

#include <string>

namespace atc {

// If ONEDNN_MAX_CPU_ISA (or its old name) is set, returns the instruction sets that oneDNN may use:
// a value of oneDNN's enum dnnl_cpu_isa_t as a hexadecimal number. Otherwise returns "". The
// variable is read once in a process.
std::string instruction_sets_left();

}  // namespace atc
