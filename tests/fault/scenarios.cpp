#include "fault/scenarios.hpp"

#include <algorithm>
#include <memory>

namespace atc::fault {

namespace {

using OwnPlan = std::unique_ptr<atc_conv_plan, atc_test::PlanDeleter>;

Ending failed(atc_status status) { return {status, atc_last_error(), {}}; }

void add_reasons(const atc_conv_plan* plan, Ending& ending) {
  std::size_t count = 0;
  EXPECT_DONE(atc_conv_plan_candidate_count(&count, plan));
  for (std::size_t i = 0; i < count; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    EXPECT_DONE(atc_conv_plan_candidate(&candidate, plan, i));
    ending.reasons.emplace_back(candidate.reason);
  }
}

// Times each candidate only once, so that tuning makes few calls of the driver and of cuDNN. It
// still makes calls of each kind.
Ending tune_once(Layer& layer) {
  atc_tune_options options = cudnn_alone();
  options.technique = ATC_TECHNIQUE_ONCE;
  const Tuned tuned = tune(layer.call.problem, options);
  Ending ending{tuned.status, tuned.why, {}};
  for (const Candidate& candidate : tuned.candidates) ending.reasons.push_back(candidate.reason);
  return ending;
}

Ending run_plan(Layer& layer, bool constant_weights) {
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.allow_reference = ATC_OFF;
  options.constant_weights = constant_weights ? ATC_ON : ATC_OFF;
  atc_conv_plan* made = nullptr;
  if (const atc_status status = atc_conv_plan_create(&made, kCuda, &layer.call.problem, &options))
    return failed(status);
  const OwnPlan plan(made);
  Ending ending;
  add_reasons(made, ending);
  const atc_tensor_view* w = &layer.call.w.view;
  if (constant_weights) {
    if (const atc_status status = atc_conv_plan_set_weights(made, w)) return failed(status);
    w = nullptr;
  }
  layer.unwrite();
  if (const atc_status status =
          atc_conv_plan_execute(made, &layer.call.x.view, w, layer.call.bias_view(),
                                &layer.call.y.view, nullptr, 0, nullptr))
    return failed(status);
  layer.expect_right();
  return ending;
}

// Captures a call on one stream. Then, while the graph of this call still exists, captures a call
// on another stream.
Ending run_captured(Layer& layer) {
  const std::string choice = choice_of(kFastest);
  atc_conv_plan* made = nullptr;
  if (const atc_status status = atc_conv_plan_create_with_choice(&made, kCuda, &layer.call.problem,
                                                                 nullptr, choice.c_str()))
    return failed(status);
  const OwnPlan plan(made);
  Ending ending;
  char streams[2];
  for (std::uint64_t capture = 1; capture <= 2 && ending.status == ATC_OK; ++capture) {
    const auto stream = reinterpret_cast<atc_stream>(&streams[capture - 1]);
    machine().script.captures = {{stream, capture}};
    layer.unwrite();
    if (const atc_status status = layer.call.run(made, stream))
      ending = failed(status);
    else
      layer.expect_right();
  }
  machine().script.captures.clear();
  for (const std::uint64_t capture : {1, 2}) {
    EXPECT_EQ(machine().graphs.allocations(capture), 0u);
    machine().graphs.destroy(capture);
  }
  return ending;
}

// Makes two eager calls. The second call finds its plan in the cache.
Ending eager_twice(Layer& layer) {
  for (int i = 0; i < 2; ++i) {
    layer.unwrite();
    if (const atc_status status = layer.eager()) return failed(status);
    layer.expect_right();
  }
  if (const atc_status status = atc_synchronize(0)) return failed(status);
  return {};
}

}  // namespace

const Scenario kTune{"Tune", tune_once};
const Scenario kPlan{"Plan", [](Layer& layer) { return run_plan(layer, false); }};
const Scenario kConstantWeights{"ConstantWeights",
                                [](Layer& layer) { return run_plan(layer, true); }};
const Scenario kEager{"Eager", eager_twice, false};
const Scenario kCaptured{"Captured", run_captured, true, true};

bool Ending::tells_of(const std::string& call) const {
  const std::string function = function_of(call);
  const auto tells = [&](const std::string& sentence) {
    if (sentence.find(function) != std::string::npos) return true;
    return function == "cuMemAllocAsync" && sentence.find("no memory for") != std::string::npos;
  };
  return tells(text) || std::any_of(reasons.begin(), reasons.end(), tells);
}

std::string function_of(const std::string& call) {
  std::string function = call.substr(0, call.find(' '));
  if (const auto version = function.rfind("_v"); version != std::string::npos)
    function.resize(version);
  return function;
}

bool may_fail_unseen(const std::string& call, const std::string& next) {
  static const std::vector<std::string> names = {
      "cuMemFreeAsync", "cuCtxPopCurrent", "cuStreamDestroy", "cuEventDestroy",
      "cudnnBackendDestroyDescriptor",
      // If cuCtxGetDevice fails, atc does not know to which device the caller's context belongs. It
      // then uses the primary context of the device.
      "cuCtxGetDevice",
      // atc calls cuEventQuery to find out whether all launches of a batch were queued in time. If
      // cuEventQuery fails, the batch is timed once more.
      "cuEventQuery",
      // The functions for captures and graphs. If one of them fails, atc does not record the
      // candidate into a graph, and does not count the candidate's launches.
      "cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphGetNodes",
      "cuGraphInstantiateWithFlags", "cuGraphUpload", "cuGraphDestroy", "cuGraphExecDestroy",
      // atc calls cuThreadExchangeStreamCaptureMode to set and restore the thread's capture mode.
      "cuThreadExchangeStreamCaptureMode"};
  // The functions of the driver that atc calls before it frees a plan's copy of the weights. If one
  // of them fails, a later call of atc frees the copy.
  static const std::vector<std::string> before_memory_is_freed = {
      "cuCtxGetCurrent", "cuDeviceGet", "cuCtxPushCurrent", "cuStreamIsCapturing",
      "cuStreamWaitEvent"};
  const bool frees = next.empty() || function_of(next) == "cuMemFreeAsync" ||
                     function_of(next) == "cuCtxPopCurrent";
  const auto is_one_of = [&](const std::vector<std::string>& some) {
    return std::find(some.begin(), some.end(), function_of(call)) != some.end();
  };
  return is_one_of(names) || (frees && is_one_of(before_memory_is_freed)) ||
         call.find(" heuristics") != std::string::npos ||
         call == "cudnnBackendCreateDescriptor config";
}

std::vector<atc_status> statuses_of(Part part, int status) {
  if (part == Part::driver) return {status == 2 ? ATC_ERROR_OUT_OF_MEMORY : ATC_ERROR_DEVICE};
  switch (status) {
    case 1002:
      return {ATC_ERROR_LIBRARY};
    case 4003:
    case 4004:
      return {ATC_ERROR_OUT_OF_MEMORY};
    case 5000:
      return {ATC_ERROR_DEVICE};
    default:
      return {ATC_ERROR_UNSUPPORTED};
  }
}

}  // namespace atc::fault
