// Tests the case that cuDNN compiles the chosen configuration at run time. The compiled plan must
// be stored beside the stored decision (the record), so that later plans load it and need not
// compile.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

namespace fs = std::filesystem;

constexpr int kRuntimeCompilation = 0;  // the value of CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION

Script script_that_compiles() {
  Script script = usual_script();
  engine(script, kFastest).behavior = {kRuntimeCompilation};
  return script;
}

// Returns how many plans cuDNN has compiled since machine().listen(). A plan is compiled if it is
// made from a configuration, and not from a stored text.
std::ptrdiff_t compilations() {
  const auto calls = machine().calls(Part::cudnn);
  return std::count(calls.begin(), calls.end(), "cudnnBackendFinalize config");
}

bool compiled() { return compilations() > 0; }

// Tunes the layer, stores the decision in a new store, and clears the cache of plans. So later
// plans are made by the stored decision (the record).
class InStore {
 public:
  explicit InStore(const atc_conv_problem& problem) {
    atc_tune_options options = cudnn_alone();
    // A plan only finds a stored decision (record) that was made with the same options as the plan.
    // The plans of this test have the default of engines_allowed, so tuning must have this default,
    // too.
    options.engines_allowed = nullptr;
    const Tuned tuned = tune(problem, options);
    EXPECT_EQ(tuned.choice, choice_of(kFastest)) << tuned.why;
    EXPECT_DONE(atc_cache_clear());
    machine().listen();
  }

  // Returns the files in which the store keeps compiled plans. Each is beside the file of its
  // decision.
  std::vector<fs::path> sidecars() const {
    std::vector<fs::path> files;
    for (const auto& item : fs::recursive_directory_iterator(store_.folder()))
      if (item.path().extension() == ".z") files.push_back(item.path());
    return files;
  }
  const OpenStore& store() const { return store_; }

 private:
  const OpenStore store_;
};

// Makes a plan whose decision must come from the record.
atc_conv_plan* recorded_plan(const Layer& layer) {
  atc_conv_plan* plan = nullptr;
  std::int32_t source = 0;
  EXPECT_DONE(atc_conv_plan_create(&plan, kCuda, &layer.call.problem, nullptr));
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

// The compiled plan of this test has 1 MiB. This is too much for an entry of the store (64 KiB),
// but not for the file beside the entry (16 MiB).
TEST(Compiled, IsKeptThoughItsRecordHasNoRoomForIt) {
  Script script = script_that_compiles();
  script.text_bytes = 1 << 20;
  on_machine(script, [] {
    Layer layer(tiny_problem());
    const InStore tuned(layer.call.problem);
    run_right(layer);
    EXPECT_FALSE(compiled());
  });
}

TEST(Compiled, IsNotKeptWhereItIsTooLarge) {
  Script script = script_that_compiles();
  script.text_bytes = (16 << 20) + 1;
  on_machine(script, [] {
    Layer layer(tiny_problem());
    const InStore tuned(layer.call.problem);
    EXPECT_TRUE(tuned.sidecars().empty());
    run_right(layer);
    EXPECT_TRUE(compiled());
  });
}

TEST(Compiled, IsMadeAnewOnceWhereItsFileIsDamagedOrGone) {
  on_machine(script_that_compiles(), [] {
    Layer layer(tiny_problem());
    const InStore tuned(layer.call.problem);
    ASSERT_EQ(tuned.sidecars().size(), 1u);
    const fs::path file = tuned.sidecars().front();
    const auto run_and_tell = [&] {
      EXPECT_DONE(atc_cache_clear());
      machine().listen();
      run_right(layer);
      return compiled();
    };
    fs::resize_file(file, fs::file_size(file) / 2);
    EXPECT_TRUE(run_and_tell());
    EXPECT_FALSE(run_and_tell());
    for (const fs::path& each : tuned.sidecars()) fs::remove(each);
    EXPECT_TRUE(run_and_tell());
    EXPECT_FALSE(run_and_tell());
  });
}

// Exports a decision with its compiled plan from a store as a bundle, and imports it into another
// store. Returns how many plans cuDNN compiles for the next call.
std::ptrdiff_t compilations_of_receiver(std::int32_t trust_compiled) {
  Layer layer(tiny_problem());
  atc_bytes* bundle = nullptr;
  {
    const InStore tuned(layer.call.problem);
    EXPECT_DONE(atc_store_export(&bundle, tuned.store().get()));
  }
  const std::unique_ptr<atc_bytes, void (*)(atc_bytes*)> owner(bundle, atc_bytes_destroy);
  const OpenStore other;
  atc_store_import_options options = ATC_STORE_IMPORT_OPTIONS_INIT;
  options.trust_compiled = trust_compiled;
  EXPECT_DONE(atc_store_import(nullptr, nullptr, other.get(), atc_bytes_data(bundle),
                               atc_bytes_size(bundle), &options));
  machine().listen();
  run_right(layer);
  return compilations();
}

TEST(Compiled, GoesWithABundleToAStoreThatTrustsIt) {
  on_machine(script_that_compiles(), [] { EXPECT_EQ(compilations_of_receiver(ATC_ON), 0); });
}

// cuDNN executes the code in a compiled plan. So a compiled plan from a bundle that is not trusted
// must not be loaded. Instead cuDNN compiles the plan once: both the check of the decision and the
// caller's plan use the result.
TEST(Compiled, StaysBehindWhereABundleIsNotTrusted) {
  on_machine(script_that_compiles(), [] { EXPECT_EQ(compilations_of_receiver(ATC_OFF), 1); });
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
