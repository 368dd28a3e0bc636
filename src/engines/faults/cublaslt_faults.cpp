#include "engines/faults/table.hpp"

namespace atc::faults {

// None is known that affects the products that atc asks for.
std::vector<Fault> cublaslt_faults() { return {}; }

}  // namespace atc::faults
