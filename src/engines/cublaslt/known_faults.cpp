#include "engines/cublaslt/known_faults.hpp"

#include "core/error.hpp"
#include "device/cuda/cublaslt.hpp"
#include "device/cuda/driver_probe.hpp"
#include "engines/faults/table.hpp"

namespace atc::cublaslt {

void require_no_fault(const Problem& problem, const Configuration& configuration, DeviceId device) {
  faults::Use use(problem);
  use.engine = configuration.algorithm;
  use.factors = problem.x.dtype;
  const auto& devices = cuda::driver().devices;
  if (const auto index = static_cast<std::size_t>(device.index); index < devices.size())
    use.device = {devices[index].compute_major, devices[index].compute_minor};
  const faults::Version version = faults::cublaslt_version(cuda::cublaslt().version);
  if (const faults::Fault* const fault = faults::find(faults::Library::cublaslt, version, use))
    fail(Status::unsupported, "{}", faults::sentence(*fault, version));
}

}  // namespace atc::cublaslt
