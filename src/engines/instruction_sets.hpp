// Returns the limit that an environment variable sets for the instruction sets of oneDNN's
// generated code.
#pragma once

#include <string>

namespace atc {

// If ONEDNN_MAX_CPU_ISA is set, returns a hexadecimal number: the value of oneDNN's enum
// dnnl_cpu_isa_t for the instruction sets that oneDNN may use. Otherwise returns "". The variable
// is read once in a process.
std::string instruction_sets_left();

}  // namespace atc
