#include "on_cuda.hpp"

namespace soak {

void soak_on_cuda(const Options&, Report& report) {
  report.stop("--device is cuda:0, and this build has no CUDA (ATC_CUDA)");
}

}  // namespace soak
