#include "engines/cudnn/known_faults.hpp"

#include "device/cuda/driver_probe.hpp"
#include "engines/cudnn/library.hpp"
#include "engines/cudnn/notes.hpp"
#include "engines/faults/errata.hpp"
#include "engines/faults/table.hpp"

namespace atc::cudnn {

namespace {

faults::Use use_of(const Configuration& configuration, bool tensor_core, const Problem& problem,
                   DeviceId device) {
  faults::Use use(problem);
  use.engine = configuration.engine;
  use.knobs = configuration.knobs;
  use.factors = problem.x.dtype;
  use.tensor_core = tensor_core;
  const auto& devices = cuda::driver().devices;
  if (const auto index = static_cast<std::size_t>(device.index); index < devices.size())
    use.device = {devices[index].compute_major, devices[index].compute_minor};
  return use;
}

faults::Use use_of(const Notes& notes, const Problem& problem, DeviceId device) {
  return use_of(notes.configuration, notes.tensor_core, problem, device);
}

const faults::Fault* find(const faults::Use& use, faults::Handling handling) {
  return faults::find(faults::Library::cudnn, running_version(), use, handling);
}

}  // namespace

faults::Version running_version() { return faults::cudnn_version(library().version); }

std::string known_fault(const Notes& notes, const Problem& problem, DeviceId device) {
  const faults::Use use = use_of(notes, problem, device);
  if (const faults::Fault* const fault = find(use, faults::Handling::barred))
    return faults::sentence(*fault, running_version());
  return faults::blocked(faults::errata(), library().version, use);
}

void amend(Notes& notes, const Problem& problem, DeviceId device) {
  if (find(use_of(notes, problem, device), faults::Handling::not_deterministic) != nullptr)
    notes.nondeterministic = true;
}

bool is_suspect(const Configuration& configuration, const Problem& problem, DeviceId device) {
  const faults::Use use = use_of(configuration, true, problem, device);
  return find(use, faults::Handling::barred) != nullptr ||
         find(use, faults::Handling::not_deterministic) != nullptr ||
         !faults::blocked(faults::errata(), library().version, use).empty();
}

bool remembers_sizes(const Problem& problem) {
  return find(faults::Use(problem), faults::Handling::checked_after_other) != nullptr;
}

}  // namespace atc::cudnn
