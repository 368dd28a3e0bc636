#include "fault/driver/host_kernels.hpp"

#include "engines/epilogue/device_pass.cu"

std::vector<atc::fault::Kernel> atc::fault::epilogue_kernels() {
  return {{"atc_apply_post_ops", run<atc::cuda::atc_apply_post_ops>}};
}
