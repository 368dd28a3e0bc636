#include "fault/driver/host_kernels.hpp"

#include "device/cuda/kernels/tensor.cu"

std::vector<atc::fault::Kernel> atc::fault::tensor_kernels() {
  using namespace atc::cuda;
  return {{"atc_fill", run<atc_fill>},
          {"atc_copy", run<atc_copy>},
          {"atc_gather", run<atc_gather>},
          {"atc_take", run<atc_take>},
          {"atc_compare", run<atc_compare>},
          {"atc_scan", run<atc_scan>},
          {"atc_fingerprint", run<atc_fingerprint>}};
}
