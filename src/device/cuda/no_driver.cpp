// A build without the CUDA parts opens nothing of CUDA.
#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"

namespace atc::cuda {

const DriverProbe& driver() {
  static const DriverProbe* const probe = [] {
    auto* const none = new DriverProbe;
    none->trouble = "this build leaves CUDA out (ATC_CUDA=OFF): CUDA devices cannot be used";
    return none;
  }();
  return *probe;
}

void require_own_driver(const std::string&) {}
void synchronize_device(int) {}
bool is_captured(int, Stream) { return false; }

}  // namespace atc::cuda
