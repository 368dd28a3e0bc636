#include "engines/faults/table.hpp"

namespace atc::faults {

// No known fault of cuBLASLt concerns the matrix products that atc computes by cuBLASLt.
std::vector<Fault> cublaslt_faults() { return {}; }

}  // namespace atc::faults
