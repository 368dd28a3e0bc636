#include "fault/driver/host_kernels.hpp"

#include "engines/reference/cuda/convolve.cu"
#include "engines/reference/cuda/values.cu"

std::vector<atc::fault::Kernel> atc::fault::reference_kernels() {
  using namespace atc::reference;
  return {{"atc_reference_parts", run<atc_reference_parts>},
          {"atc_reference_values", run<atc_reference_values>},
          {"atc_reference_convolve", run<atc_reference_convolve>},
          {"atc_reference_convolve_by_blocks", run<atc_reference_convolve_by_blocks>},
          // The kernels atc_reference_convolve_finite and atc_reference_convolve_finite_few share
          // tiles between the threads of a block. A block has only one thread here, so the simpler
          // kernel atc_reference_convolve replaces both.
          {"atc_reference_convolve_finite", run<atc_reference_convolve>},
          {"atc_reference_convolve_finite_few", run<atc_reference_convolve>}};
}
