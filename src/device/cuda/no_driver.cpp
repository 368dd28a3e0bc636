// Replaces the CUDA parts in a build without CUDA (ATC_CUDA=OFF). No library of CUDA is opened.
#include "core/error.hpp"
#include "device/cuda/captured_memory.hpp"
#include "device/cuda/cublaslt.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"
#include "device/cuda/event_timer.hpp"
#include "device/cuda/kept_memory.hpp"
#include "device/cuda/nvml.hpp"

namespace atc::cuda {

const DriverProbe& driver() {
  static const DriverProbe* const probe = [] {
    auto* const none = new DriverProbe;
    none->trouble = "this build leaves CUDA out (ATC_CUDA=OFF): CUDA devices cannot be used";
    return none;
  }();
  return *probe;
}

const CublasLtLibrary& cublaslt() {
  static const auto* const none = new CublasLtLibrary{false, "", 0, driver().trouble, "", {}};
  return *none;
}

const NvmlLibrary& nvml() {
  static const auto* const none = new NvmlLibrary{false, "", "", driver().trouble, {}};
  return *none;
}

void require_own_driver(const std::string&) {}
void synchronize_device(int) {}
bool is_captured(int, Stream) { return false; }
void* captured_workspace(std::uint64_t, DeviceId, Stream) { return nullptr; }
void trim_captured_memory() {}
void free_captured_memory() {}
void trim_kept_memory() {}

std::unique_ptr<CallTimer> make_event_timer(int) { fail(Status::library, "{}", driver().trouble); }

}  // namespace atc::cuda
