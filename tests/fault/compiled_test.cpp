// A winner that cuDNN compiles: what was compiled is kept with the record, and loaded from then on.
#include <algorithm>
#include <thread>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

constexpr std::uint32_t kAlignment = 16;  // of a vector's memory
constexpr int kRuntimeCompilation = 0;    // CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION

Script script_that_compiles() {
  Script script = usual_script();
  engine(script, kFastest).behavior = {kRuntimeCompilation};
  return script;
}

// Whether a plan was made of a configuration since the machine listens.
bool compiled() {
  const auto calls = machine().calls(Part::cudnn);
  return std::count(calls.begin(), calls.end(), "cudnnBackendFinalize config") > 0;
}

// Tunes the layer into a store; then nothing but the store knows of it.
class InStore {
 public:
  explicit InStore(const atc_conv_problem& problem) {
    atc_tune_options options = cudnn_alone();
    options.engines_allowed = nullptr;  // as the plan that has to find the record
    options.alignment = kAlignment;
    const Tuned tuned = tune(problem, options);
    EXPECT_EQ(tuned.choice, choice_of(kFastest)) << tuned.why;
    EXPECT_DONE(atc_cache_clear());
    machine().listen();
  }

 private:
  const OpenStore store_;
};

// By the record.
atc_conv_plan* recorded_plan(const Layer& layer) {
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.alignment = kAlignment;
  atc_conv_plan* plan = nullptr;
  std::int32_t source = 0;
  EXPECT_DONE(atc_conv_plan_create(&plan, kCuda, &layer.call.problem, &options));
  EXPECT_DONE(atc_conv_plan_source(&source, plan));
  EXPECT_EQ(source, ATC_SOURCE_RECORD);
  return plan;
}

void run_right(Layer& layer) {
  atc_conv_plan* const plan = recorded_plan(layer);
  layer.unwrite();
  EXPECT_DONE(layer.call.run(plan));
  layer.expect_right();
  atc_conv_plan_destroy(plan);
}

TEST(Compiled, IsLoadedWithTheRecord) {
  on_machine(script_that_compiles(), [] {
    Layer layer(tiny_problem());
    const InStore tuned(layer.call.problem);
    run_right(layer);
    EXPECT_FALSE(compiled());
  });
}

TEST(Compiled, IsLoadedByOtherThreads) {
  on_machine(script_that_compiles(), [] {
    Layer layer(tiny_problem());
    const InStore tuned(layer.call.problem);
    atc_conv_plan* const plan = recorded_plan(layer);
    machine().listen();
    layer.unwrite();
    std::thread([&] { EXPECT_DONE(layer.call.run(plan)); }).join();
    layer.expect_right();
    EXPECT_FALSE(compiled());
    atc_conv_plan_destroy(plan);
  });
}

TEST(Compiled, IsMadeAnewWhereItNoLongerServes) {
  on_machine(script_that_compiles(), [] {
    Layer layer(tiny_problem());
    const InStore tuned(layer.call.problem);
    machine().script.loads_plans = false;
    run_right(layer);
    EXPECT_TRUE(compiled());
  });
}

// An entry of the store holds 64 KiB.
TEST(Compiled, IsLeftOutOfARecordThatHasNoRoomForIt) {
  Script script = script_that_compiles();
  script.text_bytes = 70'000;
  on_machine(script, [] {
    Layer layer(tiny_problem());
    const InStore tuned(layer.call.problem);
    run_right(layer);
    EXPECT_TRUE(compiled());
  });
}

TEST(Compiled, IsNotKeptOfWhatIsNotCompiled) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const InStore tuned(layer.call.problem);
    run_right(layer);
    EXPECT_TRUE(compiled());
  });
}

}  // namespace
}  // namespace atc::fault
