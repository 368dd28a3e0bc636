// A limit that the process's environment sets to the code that oneDNN generates.
#pragma once

#include <string>

namespace atc {

// Where ONEDNN_MAX_CPU_ISA is set, the instruction sets that it leaves, as oneDNN numbers them
// (dnnl_cpu_isa_t, hexadecimal); else "". oneDNN reads the variable once.
std::string instruction_sets_left();

}  // namespace atc
