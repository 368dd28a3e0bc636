#include "fault/driver/host_kernels.hpp"

#include "engines/reference/cuda/convolve.cu"
#include "engines/reference/cuda/values.cu"

namespace atc::reference {

namespace {

// Replaces the kernels that compute partial sums of the gradient of the weights.
void add_no_parts(DeviceGeometry, DeviceOperands, long long, double*) {}

// Replaces the kernel that adds the partial sums. It computes the whole gradient itself.
void convolve_weights(DeviceGeometry g, DeviceOperands p, long long, const double*, void* result) {
  DevicePosition extents{{g.groups * g.group_out, g.group_in}};
  std::copy(std::begin(g.kernel), std::end(g.kernel), extents.index + 2);
  atc_reference_convolve(g, p, extents, result);
}

}  // namespace

}  // namespace atc::reference

std::vector<atc::fault::Kernel> atc::fault::reference_kernels() {
  using namespace atc::reference;
  return {{"atc_reference_parts", run<atc_reference_parts>},
          {"atc_reference_values", run<atc_reference_values>},
          {"atc_reference_convolve", run<atc_reference_convolve>},
          {"atc_reference_convolve_by_blocks", run<atc_reference_convolve_by_blocks>},
          // The kernels of convolve_finite.cu share tiles between the threads of a block. A block
          // has only one thread here, so simpler functions replace these kernels.
          {"atc_reference_convolve_finite", run<atc_reference_convolve>},
          {"atc_reference_convolve_finite_few", run<atc_reference_convolve>},
          {"atc_reference_weight_parts", run<add_no_parts>},
          {"atc_reference_weight_parts_few", run<add_no_parts>},
          {"atc_reference_weight_sums", run<convolve_weights>}};
}
