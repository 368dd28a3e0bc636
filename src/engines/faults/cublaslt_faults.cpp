#include "engines/faults/table.hpp"

namespace atc::faults {

// The list is empty: none of the known faults of cuBLASLt concerns the matrix products that atc
// computes by cuBLASLt.
std::vector<Fault> cublaslt_faults() { return {}; }

}  // namespace atc::faults
