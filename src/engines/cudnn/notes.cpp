#include "engines/cudnn/notes.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/cudnn/known_faults.hpp"

namespace atc::cudnn {

namespace {

// At most this many knobs (parameters of an engine) are read; cuDNN 9.19 has 44 types of knobs.
constexpr std::int64_t kMostKnobs = 64;

bool has(const std::vector<int>& notes, int note) {
  return std::find(notes.begin(), notes.end(), note) != notes.end();
}

}  // namespace

Notes read_notes(const Descriptor& config) {
  Notes notes;
  const auto engines = config.get_descriptors(Attribute::config_engine, Kind::engine, 1);
  if (engines.empty()) fail(atc::Status::internal, "cuDNN shows a configuration without an engine");
  const Descriptor& engine = engines.front();
  notes.configuration.engine = engine.get_int64(Attribute::engine_index);
  for (const Descriptor& choice :
       config.get_descriptors(Attribute::config_knob_choices, Kind::knob_choice, kMostKnobs)) {
    notes.configuration.knobs.emplace_back(
        choice.get_enum(Attribute::knob_choice_type, Type::knob_type),
        choice.get_int64(Attribute::knob_choice_value));
  }
  std::sort(notes.configuration.knobs.begin(), notes.configuration.knobs.end());
  notes.workspace = static_cast<std::uint64_t>(
      std::max<std::int64_t>(config.get_int64(Attribute::config_workspace_size), 0));
  const auto numerical = engine.get_enums(Attribute::engine_numerical_notes, Type::numerical_note);
  const auto behavior = engine.get_enums(Attribute::engine_behavior_notes, Type::behavior_note);
  notes.tensor_core = has(numerical, kTensorCore);
  notes.down_convert = has(numerical, kDownConvertInputs);
  notes.reduced_reduction = has(numerical, kReducedPrecisionReduction);
  notes.nondeterministic = has(numerical, kNondeterministic);
  notes.transform = has(numerical, kFft) || has(numerical, kWinograd);
  notes.compiles_at_run_time = has(behavior, kRuntimeCompilation);
  notes.reorders = has(behavior, kFilterReorder) || has(behavior, kBiasReorder);
  notes.cublaslt = has(behavior, kCublasLt);
  return notes;
}

std::string Notes::text() const {
  std::string text;
  const auto add = [&](bool is, const char* word) {
    if (is) text += format("{}{}", text.empty() ? "" : ", ", word);
  };
  add(tensor_core, "tensor cores");
  add(transform, "Winograd or FFT");
  add(reduced_reduction, "reduced-precision reduction");
  add(down_convert, "inputs converted down");
  add(nondeterministic, "nondeterministic");
  add(compiles_at_run_time, "compiled at run time");
  add(cublaslt, "by cuBLASLt");
  add(configuration.bias_apart, "bias by a kernel of its own");
  return text;
}

std::string refusal(const Notes& notes, const Problem& problem, const Limits& limits) {
  if (notes.reorders) return "wants operands in an order of its own";
  if (notes.down_convert) return "computes with inputs converted to a narrower type";
  if (notes.workspace > limits.workspace)
    return format("needs {} bytes of workspace, {} are allowed", notes.workspace, limits.workspace);
  if (limits.deterministic && notes.nondeterministic) return "is not deterministic";
  // An engine that uses tensor cores for f32 tensors multiplies in TF32.
  if (!limits.allow_tf32 && notes.tensor_core && problem.x.dtype == Dtype::f32)
    return "uses TF32, which is not allowed";
  return known_fault(notes, problem, limits.device);
}

}  // namespace atc::cudnn
