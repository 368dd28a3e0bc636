#include "fault/driver/host_kernels.hpp"

#include "engines/bias/pass.cu"

std::vector<atc::fault::Kernel> atc::fault::bias_kernels() {
  return {{"atc_add_bias", run<atc::cuda::atc_add_bias>}};
}
