#include "fault/driver/host_kernels.hpp"

#include <iterator>

#include "engines/reference/cuda/convolve.cu"
#include "engines/reference/cuda/values.cu"

namespace atc::reference {

namespace {

// Replaces the kernels that compute the whole output in the directions forward and backward-data.
void convolve_in_tiles(DeviceGeometry g, DeviceOperands p, void* result) {
  const bool forward = g.direction == 1;
  DevicePosition extents{{g.batch, g.groups * (forward ? g.group_out : g.group_in)}};
  const auto& spatial = forward ? g.out : g.in;
  std::copy(std::begin(spatial), std::end(spatial), extents.index + 2);
  atc_reference_convolve(g, p, extents, result);
}

// Computes the whole gradient of the weights.
void convolve_weights(const DeviceGeometry& g, const DeviceOperands& p, void* result) {
  DevicePosition extents{{g.groups * g.group_out, g.group_in}};
  std::copy(std::begin(g.kernel), std::end(g.kernel), extents.index + 2);
  atc_reference_convolve(g, p, extents, result);
}

// Replaces the kernels that compute partial sums of the gradient of the weights, or the whole sums
// if there is one split.
void add_parts(DeviceGeometry g, DeviceOperands p, long long splits, double*, void* result) {
  if (splits == 1) convolve_weights(g, p, result);
}

// Replaces the kernel that adds the partial sums.
void add_sums(DeviceGeometry g, DeviceOperands p, long long, const double*, void* result) {
  convolve_weights(g, p, result);
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
          {"atc_reference_convolve_finite", run<convolve_in_tiles>},
          {"atc_reference_convolve_finite_few", run<convolve_in_tiles>},
          {"atc_reference_weight_parts", run<add_parts>},
          {"atc_reference_weight_parts_few", run<add_parts>},
          {"atc_reference_weight_sums", run<add_sums>}};
}
