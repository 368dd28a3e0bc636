#include "fault/driver/host_kernels.hpp"

#include "engines/reference/cuda/convolve.cu"
#include "engines/reference/cuda/values.cu"

std::vector<atc::fault::Kernel> atc::fault::reference_kernels() {
  using namespace atc::reference;
  return {{"atc_reference_parts", run<atc_reference_parts>},
          {"atc_reference_values", run<atc_reference_values>},
          {"atc_reference_convolve", run<atc_reference_convolve>},
          {"atc_reference_convolve_by_blocks", run<atc_reference_convolve_by_blocks>},
          // These two kernels share tiles between the threads of a block. A block has only one
          // thread here, so a simpler kernel takes their place.
          {"atc_reference_convolve_finite", run<atc_reference_convolve>},
          {"atc_reference_convolve_finite_few", run<atc_reference_convolve>}};
}
