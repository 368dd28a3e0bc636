// A limit that the process's environment sets to the code that oneDNN generates.
#pragma once

#include <string>

namespace atc {

// If ONEDNN_MAX_CPU_ISA is set, the instruction sets that oneDNN may still use, by its number for
// them (dnnl_cpu_isa_t, hexadecimal); else "". oneDNN reads the variable once.
std::string instruction_sets_left();

}  // namespace atc
