#include "fault/support.hpp"

#include <limits>

#include "support/child.hpp"

namespace atc::fault {

namespace {

// The time limit of a test in seconds. A test may tune hundreds of times with a sanitizer on a busy
// machine, and even this takes less time.
constexpr unsigned kMostSeconds = 500;

void run_with(const std::string& folders, const Script& script,
              const std::function<void()>& check) {
  machine().script = script;
  ASSERT_DONE(atc_set_library_path(folders.c_str()));
  check();
  EXPECT_THAT(machine().misuses(), testing::IsEmpty());
  for (const auto& [kind, count] : machine().alive())
    EXPECT_TRUE(kind == "cuDNN handle" || kind == "descriptor") << count << " x " << kind;
}

constexpr const char* kWhole = ATC_FAULT_DRIVER ":" ATC_FAULT_CUDNN;

}  // namespace

void with_libraries(const std::string& folders, const Script& script,
                    const std::function<void()>& check) {
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 1)
    run_with(folders, script, check);
  else
    test::in_child([&] { run_with(folders, script, check); }, kMostSeconds);
}

void on_machine(const Script& script, const std::function<void()>& check) {
  with_libraries(kWhole, script, check);
}

void on_each_machine(const Script& script, const std::function<void()>& check) {
  test::in_child([&] { run_with(kWhole, script, check); }, kMostSeconds);
}

// The scripted times of executions are far longer than the real time that the host needs for a
// call. So the host always issues calls fast enough.
Script usual_script() {
  Script script;
  script.engines.resize(3);
  script.engines[0].index = kFirst;
  script.engines[0].seconds = 20e-3;
  script.engines[1].index = kFastest;
  script.engines[1].seconds = 10e-3;
  script.engines[1].workspace = 4096;
  script.engines[1].knobs = {{2, 7}};
  script.engines[2].index = kFallback;
  script.engines[2].seconds = 40e-3;
  script.engines[2].fallback = true;
  return script;
}

Engine& engine(Script& script, std::int64_t index) {
  for (Engine& one : script.engines)
    if (one.index == index) return one;
  ADD_FAILURE() << "the script has no engine " << index;
  return script.engines.front();
}

std::string choice_of(std::int64_t index) {
  return "cudnn@9.19.0:eng" + std::to_string(index) + (index == kFastest ? "_k2=7" : "");
}

atc_conv_problem tiny_problem() {
  atc_conv_problem problem;
  atc_conv_problem_init(&problem, 2);
  problem.in_channels = 2;
  problem.out_channels = 3;
  problem.input[0] = 5;
  problem.input[1] = 4;
  for (int i = 0; i < 2; ++i) {
    problem.kernel[i] = 3;
    problem.padding_low[i] = problem.padding_high[i] = 1;
  }
  return problem;
}

namespace {

void move_to(atc_device device, atc_test::Call& call) {
  for (atc_test::Operand* const operand : {&call.x, &call.w, &call.bias, &call.y})
    operand->view.device = device;
}

}  // namespace

Layer::Layer(const atc_conv_problem& problem) : call(problem) {
  std::mt19937 random(7);
  for (atc_test::Operand* const operand : {&call.x, &call.w, &call.bias, &call.y})
    for (float& value : operand->data) value = static_cast<float>(random() % 3) - 1;
  // computes the expected output of the layer with the reference on the CPU
  EXPECT_DONE(run("reference@1:direct"));
  expected = call.output().data;
  move_to(kCuda, call);
}

atc_status Layer::run(const std::string& choice) {
  atc_conv_plan* plan = nullptr;
  atc_status status = atc_conv_plan_create_with_choice(&plan, call.x.view.device, &call.problem,
                                                       nullptr, choice.c_str());
  if (status == ATC_OK) status = call.run(plan);
  atc_conv_plan_destroy(plan);
  return status;
}

void Layer::unwrite() {
  call.output().data.assign(expected.size(), std::numeric_limits<float>::quiet_NaN());
}

void Layer::expect_right() { EXPECT_EQ(call.output().data, expected); }

const Candidate& Tuned::of(std::int64_t index) const {
  const std::string name = "eng" + std::to_string(index);
  for (const Candidate& candidate : candidates)
    if (candidate.configuration.substr(0, candidate.configuration.find('_')) == name)
      return candidate;
  ADD_FAILURE() << "no candidate " << name << ": " << why;
  static const auto* const none = new Candidate;
  return *none;
}

bool Tuned::has(std::int64_t index) const {
  const std::string name = "eng" + std::to_string(index);
  for (const Candidate& candidate : candidates)
    if (candidate.configuration.substr(0, candidate.configuration.find('_')) == name) return true;
  return false;
}

atc_tune_options cudnn_alone() {
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.retune = ATC_ON;
  options.engines_allowed = "cudnn";
  // The budget of a race (the timing of the candidates), in seconds. It is so long that no race
  // reaches it, even on a busy machine.
  options.problem_budget_seconds = 1000;
  return options;
}

Tuned tune(const atc_conv_problem& problem, const atc_tune_options& options) {
  Tuned result;
  atc_tune_report* report = nullptr;
  result.status = atc_tune(&report, kCuda, &problem, 1, &options, nullptr, nullptr);
  if (result.status != ATC_OK) {
    result.why = atc_last_error();
    return result;
  }
  atc_tuned_problem tuned{};
  tuned.struct_size = sizeof(tuned);
  EXPECT_DONE(atc_tune_report_problem(&tuned, report, 0));
  result.status = tuned.status;
  result.source = tuned.source;
  result.flags = tuned.flags;
  result.memory_bytes = tuned.memory_bytes;
  result.choice = tuned.choice;
  result.why = tuned.why;
  for (std::uint64_t i = 0; i < tuned.candidates; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    EXPECT_DONE(atc_tune_report_candidate(&candidate, report, 0, i));
    result.candidates.push_back(
        {candidate.outcome, candidate.configuration, candidate.notes, candidate.reason});
  }
  atc_tune_report_destroy(report);
  return result;
}

Used used(Layer& layer, const atc_conv_options& options) {
  atc_conv_plan* plan = nullptr;
  Used used;
  EXPECT_DONE(atc_conv_plan_acquire(&plan, kCuda, &layer.call.problem, &options, nullptr));
  if (plan == nullptr) return used;
  const char* choice = "";
  EXPECT_DONE(atc_conv_plan_source(&used.source, plan));
  EXPECT_DONE(atc_conv_plan_choice(&choice, plan));
  used.choice = choice;
  EXPECT_DONE(layer.call.run(plan));
  atc_conv_plan_release(plan);
  return used;
}

}  // namespace atc::fault
