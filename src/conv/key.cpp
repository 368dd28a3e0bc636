#include "conv/key.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
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

// The stride of an extent of 1 is never used, so 0 is written in its place. So two layouts that
// differ only in such a stride have the same key.
Json tensor(const Tensor& tensor) {
  std::vector<std::int64_t> shape, strides;
  for (int i = 0; i < tensor.rank; ++i) {
    shape.push_back(tensor.shape[i]);
    strides.push_back(tensor.shape[i] > 1 ? tensor.strides[i] : 0);
  }
  return json_object({{"dtype", name_of(tensor.dtype)}, {"shape", shape}, {"strides", strides}});
}

std::int64_t extent(const Json& value) {
  const bool is_extent =
      value.is_number_unsigned()
          ? value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}
          : value.is_number_integer() && value.get<std::int64_t>() >= 0;
  if (!is_extent) fail(Status::bad_record, "the extent {} is no whole number", value.type_name());
  return value.get<std::int64_t>();
}

// Reads a list of `count` extents into `out`. Throws Error(bad_record) if the list has another
// length.
template <std::size_t Most>
void read_extents(const Json& values, int count, std::array<std::int64_t, Most>& out) {
  const auto& list = values.get_ref<const Json::array_t&>();
  if (list.size() != static_cast<std::size_t>(count))
    fail(Status::bad_record, "there are {} extents in place of {}", list.size(), count);
  std::transform(list.begin(), list.end(), out.begin(), extent);
}

// Returns the value of the enum whose name is stored in `object` under `member`. Throws
// Error(bad_record) if no value of `all` has this name.
template <typename Enum>
Enum named(const Json& object, const char* member, std::initializer_list<Enum> all) {
  const auto& name = object.at(member).get_ref<const std::string&>();
  for (const Enum one : all)
    if (name == name_of(one)) return one;
  fail(Status::bad_record, "field '{}' is '{}', which this version does not know", member, name);
}

// Returns the JSON of post-ops (the operations after the sum: scale, residual, activation) for the
// key. The limits and the slope belong to the activation.
Json post_ops_json(const PostOps& post_ops) {
  const Activation& activation = post_ops.activation;
  Json json = json_object({{"scale", post_ops.scale},
                           {"residual", post_ops.residual},
                           {"activation", name_of(activation.function)}});
  if (activation.function == Function::clamp) {
    json["low"] = activation.low;
    json["high"] = activation.high;
  }
  if (activation.function == Function::leaky_relu) json["slope"] = activation.slope;
  return json;
}

float number_in(const Json& object, const char* member) {
  const Json& value = object.at(member);
  const bool is_float = value.is_number() && std::isfinite(value.get<double>()) &&
                        std::fabs(value.get<double>()) <= std::numeric_limits<float>::max();
  if (!is_float) fail(Status::bad_record, "the post-op field '{}' is no number of fp32", member);
  return value.get<float>();
}

PostOps post_ops_from(const Json& json) {
  PostOps post_ops;
  post_ops.scale = json.at("scale").get<bool>();
  post_ops.residual = json.at("residual").get<bool>();
  Activation& activation = post_ops.activation;
  activation.function =
      named(json, "activation",
            {Function::none, Function::relu, Function::clamp, Function::silu, Function::gelu,
             Function::gelu_tanh, Function::hard_swish, Function::sigmoid, Function::leaky_relu});
  if (activation.function == Function::clamp) {
    activation.low = number_in(json, "low");
    activation.high = number_in(json, "high");
  }
  if (activation.function == Function::leaky_relu) activation.slope = number_in(json, "slope");
  return post_ops;
}

Tensor tensor_from(const Json& json, int spatial) {
  Tensor tensor;
  tensor.dtype = named(json, "dtype", {Dtype::f32, Dtype::bf16, Dtype::f16});
  tensor.rank = spatial + 2;
  read_extents(json.at("shape"), tensor.rank, tensor.shape);
  read_extents(json.at("strides"), tensor.rank, tensor.strides);
  return tensor;
}

// Returns the names of the engines whose versions are members of the environment.
std::vector<std::string> engines_in_environment(DeviceType device) {
  std::vector<std::string> names = default_engines(device);
  names.erase(std::remove(names.begin(), names.end(), kReferenceEngine), names.end());
  return names;
}

// Returns the environment part of the key. It contains the versions of the default engines: if a
// default engine changes, times that were measured before are not comparable.
Json environment(DeviceId device) {
  Json result = device_facts(device);
  result["schema"] = kSchema;
  for (const std::string& name : engines_in_environment(device.type)) {
    const auto engine = EngineRegistry::instance().find(name);
    result[name] = engine ? engine->version() : "none";
  }
  // The member "instruction_sets_left" exists only if the user limits the instruction sets. So the
  // keys of all other users stay the same as in earlier versions.
  std::string left = device.type == DeviceType::cpu ? instruction_sets_left() : "";
  if (!left.empty()) result["instruction_sets_left"] = std::move(left);
  return result;
}

}  // namespace

Json environment_of(DeviceId device) { return environment(device); }

Json without_versions(Json environment, DeviceType device) {
  for (const std::string& name : engines_in_environment(device)) environment.erase(name);
  return environment;
}

Problem problem_from_key(const Json& problem) {
  Problem read;
  const std::size_t spatial = problem.at("stride").size();
  if (spatial < 1 || spatial > kMaxSpatial)
    fail(Status::bad_record, "a problem has {} spatial dimensions", spatial);
  read.spatial = static_cast<int>(spatial);
  read.direction =
      named(problem, "direction",
            {Direction::forward, Direction::backward_data, Direction::backward_weight});
  read.epilogue = named(problem, "epilogue", {Epilogue::none, Epilogue::bias, Epilogue::bias_relu});
  if (problem.contains("post_ops")) read.post_ops = post_ops_from(problem.at("post_ops"));
  read.groups = extent(problem.at("groups"));
  read.accumulate = problem.at("accumulate").get<bool>();
  read_extents(problem.at("stride"), read.spatial, read.stride);
  read_extents(problem.at("dilation"), read.spatial, read.dilation);
  read_extents(problem.at("padding_low"), read.spatial, read.pad_low);
  read_extents(problem.at("padding_high"), read.spatial, read.pad_high);
  read.x = tensor_from(problem.at("x"), read.spatial);
  read.w = tensor_from(problem.at("w"), read.spatial);
  read.y = tensor_from(problem.at("y"), read.spatial);
  return read;
}

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
  // TF32 and the alignment decide which kernels a GPU may use. On the CPU neither is part of the
  // key: CPU engines have no choice of precision, and may only rely on the alignment of one
  // element.
  if (request.device.type == DeviceType::cuda) {
    allowed["tf32"] = request.limits.allow_tf32;
    allowed["alignment"] = request.limits.alignment;
  }
  // The member "reduced_precision_reduction" exists only if the option is on. So the keys of all
  // other requests stay the same as in earlier versions.
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
  // The member "post_ops" exists only if there are post-ops. So the keys of all other problems stay
  // the same as in earlier versions.
  if (problem.post_ops.any()) key.problem["post_ops"] = post_ops_json(problem.post_ops);
  key.family = family_of(key.problem);
  return key;
}

store::Key key_for(DeviceId device, const Problem& problem, const PlanOptions& options) {
  return key_for(problem, resolve(device, problem, options, current_settings()));
}

}  // namespace atc::conv
