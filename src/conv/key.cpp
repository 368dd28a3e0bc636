#include "conv/key.hpp"

#include <utility>

#include "core/json_object.hpp"
#include "device/description.hpp"
#include "engines/instruction_sets.hpp"
#include "engines/registry.hpp"
#include "store/entry.hpp"

namespace atc::conv {

using store::Json;

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

// The libraries whose change makes old times meaningless are those of the default engines.
Json environment(DeviceId device) {
  Json result = device_facts(device);
  result["schema"] = kSchema;
  for (const std::string& name : default_engines(device.type)) {
    if (name == kReferenceEngine) continue;
    const auto engine = EngineRegistry::instance().find(name);
    result[name] = engine ? engine->version() : "none";
  }
  // The member exists only if there is a limit, so that all other keys do not change.
  std::string left = device.type == DeviceType::cpu ? instruction_sets_left() : "";
  if (!left.empty()) result["instruction_sets_left"] = std::move(left);
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
