#include "engines/cudnn/prepared.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kept_memory.hpp"
#include "engines/cudnn/configuration.hpp"
#include "engines/cudnn/graph.hpp"
#include "engines/cudnn/known_faults.hpp"
#include "engines/cudnn/notes.hpp"
#include "engines/cudnn/session.hpp"
#include "engines/epilogue/device_pass.hpp"
#include "engines/weights.hpp"

namespace atc::cudnn {

namespace {

// Returns the key under which a session (a cuDNN handle) keeps a plan: the bytes of everything on
// which the plan depends. The key includes the caller's limits. So a caller never gets a plan that
// was built for another caller with other limits.
std::string key_of(const Problem& problem, const Limits& limits, const std::string& configuration) {
  std::string key = configuration;
  const auto add = [&](std::int64_t value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  add(static_cast<std::int64_t>(problem.direction));
  add(static_cast<std::int64_t>(problem.epilogue));
  add(problem.post_ops.scale);
  add(problem.post_ops.residual);
  const Activation& activation = problem.post_ops.activation;
  add(static_cast<std::int64_t>(activation.function));
  for (const float parameter : {activation.low, activation.high, activation.slope})
    key.append(reinterpret_cast<const char*>(&parameter), sizeof(parameter));
  add(problem.accumulate);
  add(static_cast<std::int64_t>(limits.alignment));
  add(limits.deterministic);
  add(limits.allow_tf32);
  add(static_cast<std::int64_t>(limits.workspace));
  for (const Extents* extents :
       {&problem.stride, &problem.dilation, &problem.pad_low, &problem.pad_high})
    for (const std::int64_t value : *extents) add(value);
  for (const Tensor* tensor : {&problem.x, &problem.w, &problem.y}) {
    add(static_cast<std::int64_t>(tensor->dtype));
    add(tensor->rank);
    for (const std::int64_t value : tensor->shape) add(value);
    for (const std::int64_t value : tensor->strides) add(value);
  }
  return key;
}

ExecutionPlan finished(Descriptor descriptor) {
  ExecutionPlan plan;
  plan.plan = std::move(descriptor);
  plan.workspace = static_cast<std::uint64_t>(plan.plan.get_int64(Attribute::plan_workspace_size));
  return plan;
}

// Makes a plan from a text that cuDNN wrote for an earlier plan. The text contains the compiled
// kernels.
ExecutionPlan load_plan(Handle handle, const std::string& text) {
  Descriptor plan(Kind::plan);
  plan.set(Attribute::plan_handle, Type::handle, &handle, 1)
      .set(Attribute::plan_json, Type::character, text.data(),
           static_cast<std::int64_t>(text.size()))
      .finalize();
  return finished(std::move(plan));
}

// Returns the part of the problem that cuDNN's graph computes: the problem without the bias if a
// separate kernel adds it. Throws Error(unsupported) if the configuration does not fit the problem.
// Although offers are checked when they are made, this check is necessary: a configuration may also
// come from the caller, or from a stored decision for another batch size or other strides.
Problem form_of(const Problem& problem, const Configuration& configuration) {
  if (configuration.bias_apart && !bias_can_be_apart(problem))
    fail(atc::Status::unsupported, "'{}' adds a bias by itself, which this problem {}",
         to_string(configuration),
         problem.epilogue == Epilogue::none ? "does not have" : "cannot have done apart");
  Problem form = configuration.bias_apart ? without_bias(problem) : problem;
  if (const std::string why = objection(form); !why.empty())
    fail(atc::Status::unsupported, "{}", why);
  return form;
}

}  // namespace

ExecutionPlan build_plan(Handle handle, const Problem& form, const Limits& limits,
                         const Configuration& configuration) {
  const Graph graph(handle, form, limits.alignment);
  if (const std::int64_t engines = graph.engines(); configuration.engine >= engines)
    fail(atc::Status::unsupported, "cuDNN {} has engines 0 to {} for this problem, not {}",
         version_text(library().version), engines - 1, configuration.engine);
  Descriptor engine(Kind::engine);
  engine.set(Attribute::engine_graph, graph.operations())
      .set(Attribute::engine_index, configuration.engine)
      .finalize();
  std::vector<Descriptor> choices;
  std::vector<RawDescriptor> raw_choices;
  for (const auto& [type, value] : configuration.knobs) {
    Descriptor choice(Kind::knob_choice);
    choice.set(Attribute::knob_choice_type, Type::knob_type, type)
        .set(Attribute::knob_choice_value, value)
        .finalize();
    raw_choices.push_back(choice.raw());
    choices.push_back(std::move(choice));
  }
  Descriptor config(Kind::engine_config);
  config.set(Attribute::config_engine, engine);
  if (!raw_choices.empty())
    config.set(Attribute::config_knob_choices, Type::descriptor, raw_choices.data(),
               static_cast<std::int64_t>(raw_choices.size()));
  config.finalize();
  Notes notes = read_notes(config);
  amend(notes, form, limits.device);
  if (const std::string why = refusal(notes, form, limits); !why.empty())
    fail(atc::Status::unsupported, "{}", why);
  Descriptor plan(Kind::plan);
  plan.set(Attribute::plan_config, config).finalize();
  return finished(std::move(plan));
}

namespace {

class CudnnPrepared final : public Prepared {
 public:
  CudnnPrepared(Problem problem, const Limits& limits, const std::string& configuration,
                std::string compiled)
      : problem_(std::move(problem)),
        limits_(limits),
        configuration_(parse_configuration(configuration)),
        compiled_(std::move(compiled)),
        key_(key_of(problem_, limits, configuration)) {
    const cuda::ContextScope scope(limits_.device.index);
    workspace_ = plan(session(scope.context())).workspace;
  }

  std::uint64_t workspace_size() const override { return (workspace_ + 63) / 64 * 64; }

  // The memory of cuDNN's plan is not included, because the sessions count the memory of all their
  // plans.
  std::uint64_t host_bytes() const override {
    return sizeof(*this) + compiled_.capacity() + key_.capacity();
  }

  std::string compiled() const override {
    try {
      const cuda::ContextScope scope(limits_.device.index);
      std::string text = plan(session(scope.context())).plan.get_text(Attribute::plan_json);
      text.resize(text.find_last_not_of('\0') + 1);
      // A stored decision can contain only ASCII text. So a compiled text with other characters is
      // not returned.
      const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
      return plain ? text : "";
    } catch (const Error&) {
      // This cuDNN or this engine cannot return its compiled plan as a text.
      return "";
    }
  }

  // The weights are copied as they are, not packed into another layout. The copy is needed because
  // the caller may free its buffer after the call.
  void set_weights(const void* w) override {
    const cuda::ContextScope scope(limits_.device.index);
    weights_ =
        cuda::kept_copy(w, problem_.w.span_bytes(), {DeviceType::cuda, limits_.device.index});
  }

  void execute(const Operands& given, void* workspace, Stream stream) override {
    Operands operands = given;
    if (operands.w == nullptr) operands.w = weights_.data();
    require_weights(operands.w);
    const cuda::ContextScope scope(limits_.device.index);
    Session& own = session(scope.context());
    own.execute(plan(own), of_graph(operands), workspace, stream);
    if (given.w == nullptr) weights_.read_on(stream);
    if (configuration_.bias_apart)
      apply_post_ops_on_device(problem_, operands, true, scope.context(), stream);
  }

 private:
  // Returns the operands without those that are not part of cuDNN's graph.
  Operands of_graph(Operands operands) const {
    if (problem_.epilogue == Epilogue::none || configuration_.bias_apart) operands.bias = nullptr;
    if (!problem_.post_ops.scale) operands.scale = nullptr;
    if (!problem_.post_ops.residual) operands.residual = nullptr;
    return operands;
  }
  ExecutionPlan& plan(Session& own) const {
    return own.plan(key_, [&] { return make_plan(own.handle()); });
  }
  ExecutionPlan make_plan(Handle handle) const {
    const Problem form = form_of(problem_, configuration_);
    // The check for known faults needs properties of the engine that a compiled text does not
    // contain. So if a fault may concern the configuration, the text is not used. The plan is then
    // built from the configuration, and the check is made there.
    if (!compiled_.empty() && !is_suspect(configuration_, form, limits_.device)) {
      try {
        return load_plan(handle, compiled_);
      } catch (const Error& error) {
        // The compiled text may come from another machine and not fit this one. In this case the
        // plan is built from the configuration.
        if (error.status() == atc::Status::out_of_memory) throw;
        log_once(LogLevel::info, format("a compiled plan is built anew: {}", error.what()));
      }
    }
    return build_plan(handle, form, limits_, configuration_);
  }

  Problem problem_;
  Limits limits_;
  Configuration configuration_;
  std::string compiled_;
  std::string key_;
  std::uint64_t workspace_ = 0;
  cuda::KeptMemory weights_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const std::string& configuration, const std::string& compiled) {
  return std::make_unique<CudnnPrepared>(problem, limits, configuration, compiled);
}

}  // namespace atc::cudnn
