// The limit that the environment sets on the instructions of code that oneDNN generates.
#pragma once

#include <string>

namespace atc {

// If ONEDNN_MAX_CPU_ISA is set, returns the instruction sets that oneDNN may still use, as oneDNN
// numbers them (dnnl_cpu_isa_t, hexadecimal). Otherwise returns "". oneDNN reads the variable once.
std::string instruction_sets_left();

}  // namespace atc
