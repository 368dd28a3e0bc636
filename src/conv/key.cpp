#include "conv/key.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/json_object.hpp"
#include "device/cpu/cpu_description.hpp"
#include "device/cuda/driver_probe.hpp"
#include "engines/instruction_sets.hpp"
#include "engines/registry.hpp"
#include "store/entry.hpp"

namespace atc::conv {

using store::Json;

void require_device(DeviceId device) {
  if (device.type != DeviceType::cuda) return;
  const std::string name = name_of(device);
  cuda::require_own_driver(name);
  const cuda::DriverProbe& driver = cuda::driver();
  if (driver.devices.empty()) fail(Status::library, "{}: {}", name, driver.trouble);
  if (static_cast<std::size_t>(device.index) >= driver.devices.size())
    fail(Status::invalid_argument, "{}: this machine has {} usable CUDA devices", name,
         driver.devices.size());
}

namespace {

constexpr int kSchema = 2;

Json extents(const Extents& values, int spatial) {
  return std::vector<std::int64_t>(values.begin(), values.begin() + spatial);
}

// The stride of an extent of 1 is never used: layouts that differ in nothing else are one problem.
Json tensor(const Tensor& tensor) {
  std::vector<std::int64_t> shape, strides;
  for (int i = 0; i < tensor.rank; ++i) {
    shape.push_back(tensor.shape[i]);
    strides.push_back(tensor.shape[i] > 1 ? tensor.strides[i] : 0);
  }
  return json_object({{"dtype", name_of(tensor.dtype)}, {"shape", shape}, {"strides", strides}});
}

Json cuda_environment(int index) {
  const cuda::DeviceSummary& device = cuda::driver().devices[static_cast<std::size_t>(index)];
  const auto cudnn = EngineRegistry::instance().find("cudnn");
  return json_object({{"schema", kSchema},
                      {"device", "cuda"},
                      {"name", device.name},
                      {"compute_capability", {device.compute_major, device.compute_minor}},
                      {"multiprocessors", device.multiprocessors},
                      {"cache_bytes", device.cache_bytes},
                      {"cudnn", cudnn ? cudnn->version() : "none"}});
}

Json environment(DeviceId device) {
  require_device(device);
  if (device.type == DeviceType::cuda) return cuda_environment(device.index);
  const CpuDescription cpu = cpu_description();
  const auto onednn = EngineRegistry::instance().find("onednn");
  Json result = json_object({{"schema", kSchema},
                             {"device", "cpu"},
                             {"vendor", cpu.vendor},
                             {"name", cpu.name},
                             {"isa", cpu.isa},
                             {"threads", cpu.threads},
                             {"onednn", onednn ? onednn->version() : "none"}});
  // The member exists only if there is a limit, so that all other keys do not change.
  if (std::string left = instruction_sets_left(); !left.empty())
    result["instruction_sets_left"] = std::move(left);
  return result;
}

}  // namespace

std::string family_of(Json problem) {
  for (const char* operand : {"x", "y"}) {
    problem.at(operand).at("shape").at(0) = 0;
    problem.at(operand).at("strides").at(0) = 0;
  }
  return problem.dump();
}

store::Key key_for(const Problem& problem, const Request& request) {
  Json allowed = json_object({{"deterministic", request.limits.deterministic},
                              {"workspace", request.limits.workspace},
                              {"constant_weights", request.limits.constant_weights},
                              {"policy", "cold"}});
  // TF32 and alignment determine which kernels a GPU may use. CPU engines get neither a choice of
  // precision nor more alignment than the element size.
  if (request.device.type == DeviceType::cuda) {
    allowed["tf32"] = request.limits.allow_tf32;
    allowed["alignment"] = request.limits.alignment;
  }
  // The member exists only if the option is on, so that all other keys do not change.
  if (request.reduced_reduction) allowed["reduced_precision_reduction"] = true;
  store::Key key;
  key.environment = environment(request.device);
  key.problem = json_object({{"direction", name_of(problem.direction)},
                             {"groups", problem.groups},
                             {"stride", extents(problem.stride, problem.spatial)},
                             {"dilation", extents(problem.dilation, problem.spatial)},
                             {"padding_low", extents(problem.pad_low, problem.spatial)},
                             {"padding_high", extents(problem.pad_high, problem.spatial)},
                             {"x", tensor(problem.x)},
                             {"w", tensor(problem.w)},
                             {"y", tensor(problem.y)},
                             {"epilogue", name_of(problem.epilogue)},
                             {"accumulate", problem.accumulate},
                             {"allowed", std::move(allowed)}});
  key.family = family_of(key.problem);
  return key;
}

store::Key key_for(DeviceId device, const Problem& problem, const PlanOptions& options) {
  return key_for(problem, resolve(device, problem, options, current_settings()));
}

}  // namespace atc::conv
