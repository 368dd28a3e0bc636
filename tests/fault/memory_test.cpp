// Tests calls for which there is too little memory, and tests that memory does not grow with the
// number of calls.
#include <thread>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

using testing::HasSubstr;

class ShortOfMemory : public testing::TestWithParam<int> {};

// A decision must not be stored if it depends on the amount of free memory.
TEST_P(ShortOfMemory, ARaceThatLostACandidateIsOfThisProcessAlone) {
  Script script = usual_script();
  engine(script, kFastest).plan_status = GetParam();
  on_machine(script, [] {
    const OpenStore store;
    atc_tune_options options = cudnn_alone();
    const Tuned tuned = tune(tiny_problem(), options);
    EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
    EXPECT_EQ(tuned.choice, choice_of(kFirst));
    EXPECT_EQ(tuned.flags, static_cast<std::uint32_t>(ATC_TUNED_INCOMPLETE)) << tuned.why;
    EXPECT_THAT(tuned.why, HasSubstr("out of memory"));
    EXPECT_EQ(tuned.of(kFastest).outcome, ATC_OUTCOME_OUT_OF_MEMORY);
    EXPECT_THAT(tuned.of(kFastest).reason, HasSubstr("ALLOCATION_FAILED"));
    EXPECT_EQ(store.entries(), 0u);

    // Free memory was too small to time all candidates, so the decision was not stored. This
    // process nevertheless uses the decision.
    options.retune = ATC_OFF;
    EXPECT_EQ(tune(tiny_problem(), options).source, ATC_SOURCE_MEMORY);
    EXPECT_EQ(store.entries(), 0u);

    // When there is enough memory again, the next race (the timing of the candidates) times all
    // candidates and stores its decision.
    engine(machine().script, kFastest).plan_status = 0;
    options.retune = ATC_ON;
    const Tuned whole = tune(tiny_problem(), options);
    EXPECT_EQ(whole.choice, choice_of(kFastest)) << whole.why;
    EXPECT_EQ(whole.flags, static_cast<std::uint32_t>(ATC_TUNED_STORED)) << whole.why;
    EXPECT_EQ(store.entries(), 1u);
  });
}

TEST_P(ShortOfMemory, SoDoesAnExecution) {
  Script script = usual_script();
  engine(script, kFastest).execution_status = GetParam();
  on_machine(script, [] {
    const OpenStore store;
    const Tuned tuned = tune(tiny_problem(), cudnn_alone());
    EXPECT_EQ(tuned.choice, choice_of(kFirst)) << tuned.why;
    EXPECT_EQ(tuned.of(kFastest).outcome, ATC_OUTCOME_OUT_OF_MEMORY);
    EXPECT_EQ(tuned.flags, static_cast<std::uint32_t>(ATC_TUNED_INCOMPLETE)) << tuned.why;
    EXPECT_EQ(store.entries(), 0u);
  });
}

INSTANTIATE_TEST_SUITE_P(Statuses, ShortOfMemory, testing::Values(4003, 4004),
                         [](const auto& info) { return std::to_string(info.param); });

TEST(Memory, AllOfItGoneIsSaidWithWhatToDo) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    ASSERT_DONE(atc_set_benchmark_cudnn(1));
    EXPECT_DONE(layer.eager());
    machine().break_call({Part::driver, 1, "cuMemAllocAsync", 2, true});
    const Tuned tuned = tune(layer.call.problem, cudnn_alone());
    EXPECT_EQ(tuned.status, ATC_ERROR_OUT_OF_MEMORY) << atc_status_name(tuned.status);
    EXPECT_THAT(tuned.why, HasSubstr("no memory for"));
    EXPECT_REFUSED(layer.eager(), ATC_ERROR_OUT_OF_MEMORY, "no memory for 4096 bytes");
    machine().mend();
    layer.unwrite();
    EXPECT_DONE(layer.eager());
    layer.expect_right();
  });
}

// The caller has set an allocator that is only for the CPU. So atc's own allocator provides CUDA
// memory. If this one fails, its error must be reported.
TEST(Memory, AnErrorOfTheDeviceIsToldWhereTheCallersAllocatorServesTheCpu) {
  on_machine(usual_script(), [] {
    atc_allocator allocator = ATC_ALLOCATOR_INIT;
    allocator.device_type = ATC_DEVICE_CPU;
    allocator.alloc = [](void*, std::uint64_t, atc_device, atc_stream) -> void* { return nullptr; };
    allocator.free = [](void*, void*, atc_device, atc_stream) {};
    ASSERT_DONE(atc_allocator_set(&allocator));
    Layer layer(tiny_problem());
    ASSERT_DONE(atc_set_benchmark_cudnn(1));
    EXPECT_DONE(layer.eager());
    machine().break_call({Part::driver, 1, "cuMemAllocAsync", 1, true});
    EXPECT_REFUSED(layer.eager(), ATC_ERROR_DEVICE, "cuMemAllocAsync");
    machine().mend();
    layer.unwrite();
    EXPECT_DONE(layer.eager());
    layer.expect_right();
    ASSERT_DONE(atc_allocator_set(nullptr));
  });
}

// The number of free bytes of the device. The program holds 95 % of the device's memory. The
// operands of the test's layer are far smaller than the free memory.
constexpr std::uint64_t kFree = std::uint64_t{12} << 20;

Script full_script() {
  Script script = usual_script();
  script.device_bytes = 20 * kFree;
  script.program_bytes = 19 * kFree;
  // The workspace of the fastest engine is larger than a quarter of the free memory. A race (the
  // timing of the candidates) may use only a quarter.
  engine(script, kFastest).workspace = kFree / 3;
  return script;
}

atc_conv_problem wide_problem() {
  atc_conv_problem problem = tiny_problem();
  problem.input[0] = problem.input[1] = 20;
  return problem;
}

TEST(RaceMemory, StaysWithinAQuarterOfWhatAFullDeviceHasLeft) {
  on_machine(full_script(), [] {
    const OpenStore store;
    const Tuned tuned = tune(wide_problem(), cudnn_alone());
    EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
    EXPECT_EQ(tuned.choice, choice_of(kFirst)) << tuned.why;
    EXPECT_EQ(tuned.of(kFastest).outcome, ATC_OUTCOME_OUT_OF_MEMORY);
    EXPECT_THAT(tuned.of(kFastest).reason, HasSubstr("a quarter of the free memory of cuda:0"));
    EXPECT_GT(tuned.memory_bytes, 0u);
    EXPECT_LE(tuned.memory_bytes, kFree / 4);
    EXPECT_LE(machine().most_held(), kFree / 4 + (std::uint64_t{64} << 10)) << "what atc holds";
    // A decision must not be stored if candidates were left out for lack of memory.
    EXPECT_EQ(store.entries(), 0u);

    // An eager call times the candidates with the same limit of memory. It must compute a right
    // result.
    Layer layer(wide_problem());
    ASSERT_DONE(atc_set_benchmark_cudnn(1));
    layer.unwrite();
    EXPECT_DONE(layer.eager());
    layer.expect_right();
  });
}

TEST(RaceMemory, ALimitOfTheCallOrTheProcessReplacesTheQuarter) {
  on_machine(full_script(), [] {
    atc_tune_options options = cudnn_alone();
    options.race_memory_limit = kFree / 2;
    const Tuned wide = tune(wide_problem(), options);
    EXPECT_EQ(wide.choice, choice_of(kFastest)) << wide.why;
    EXPECT_GT(wide.memory_bytes, kFree / 4);
    EXPECT_LE(wide.memory_bytes, kFree / 2);

    ASSERT_DONE(atc_set_race_memory_limit(ATC_UNLIMITED));
    options.race_memory_limit = 0;
    EXPECT_EQ(tune(wide_problem(), options).choice, choice_of(kFastest));
    ASSERT_DONE(atc_set_race_memory_limit(kFree / 4));
    const Tuned narrow = tune(wide_problem(), options);
    EXPECT_EQ(narrow.choice, choice_of(kFirst)) << narrow.why;
    EXPECT_THAT(narrow.of(kFastest).reason, HasSubstr("race_memory_limit (3 MiB)"));
    ASSERT_DONE(atc_set_race_memory_limit(ATC_AUTOMATIC));
  });
}

// A race (the timing of the candidates) uses several equal sets of operands in turn, so that no
// call finds its operands in a cache. If memory is too short for these sets and a candidate's
// workspace, the race must first reduce the number of sets. It may leave out the candidate only if
// the workspace does not even fit beside a single set.
TEST(RaceMemory, SetsOfOperandsShrinkBeforeACandidateGoes) {
  Script script = full_script();
  // the operand sets fill this cache three times; such sets would need the whole memory limit
  script.cache_bytes = 1 << 20;
  engine(script, kFastest).workspace = kFree / 4 - (std::uint64_t{1280} << 10);
  on_machine(script, [] {
    const Tuned tuned = tune(wide_problem(), cudnn_alone());
    EXPECT_EQ(tuned.choice, choice_of(kFastest)) << tuned.why;
    EXPECT_LE(tuned.memory_bytes, kFree / 4);
  });
}

TEST(RaceMemory, ACallWhoseRaceDoesNotFitRunsByTheDefault) {
  Script script = full_script();
  script.program_bytes = script.device_bytes - (std::uint64_t{64} << 10);
  on_machine(script, [] {
    const Tuned tuned = tune(wide_problem(), cudnn_alone());
    EXPECT_EQ(tuned.status, ATC_ERROR_OUT_OF_MEMORY) << tuned.why;
    EXPECT_THAT(tuned.why, HasSubstr("race_memory_limit"));
    Layer layer(wide_problem());
    ASSERT_DONE(atc_set_benchmark_cudnn(1));
    for (int call = 0; call < 2; ++call) {
      layer.unwrite();
      EXPECT_DONE(layer.eager());
      layer.expect_right();
    }
  });
}

// When a thread ends, its cuDNN handle must return to the pool. This must happen without a call of
// cuDNN or CUDA.
TEST(Memory, IsFlatOverManyShortThreads) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    EXPECT_DONE(layer.eager());
    std::map<std::string, std::int64_t> before;
    const auto call = [&] {
      layer.unwrite();
      EXPECT_DONE(layer.eager());
      layer.expect_right();
      machine().listen();
    };
    std::thread(call).join();
    before = machine().alive();
    for (int i = 0; i < 10000; ++i) std::thread(call).join();
    EXPECT_EQ(machine().alive(), before);
    EXPECT_THAT(machine().calls(Part::driver), testing::IsEmpty()) << "after a thread's end";
    EXPECT_THAT(machine().calls(Part::cudnn), testing::IsEmpty()) << "after a thread's end";
    EXPECT_LE(before["cuDNN handle"], 2);
  });
}

TEST(Memory, OfManyThreadsAtOnceIsAHandleEach) {
  on_machine(usual_script(), [] {
    constexpr int kThreads = 4;
    for (int round = 0; round < 3; ++round) {
      std::vector<std::thread> threads;
      threads.reserve(kThreads);
      for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([] {
          Layer layer(tiny_problem());
          for (int call = 0; call < 20; ++call) {
            layer.unwrite();
            EXPECT_DONE(layer.eager());
            layer.expect_right();
          }
        });
      for (std::thread& thread : threads) thread.join();
      EXPECT_LE(machine().alive()["cuDNN handle"], kThreads);
    }
  });
}

// The memory of kept plans is limited: the plans that were not used for the longest time are
// destroyed. When the cache is cleared, a plan is destroyed at the next use of its session (a
// thread's cuDNN handle).
TEST(Memory, OfPlansIsBounded) {
  on_machine(usual_script(), [] {
    const auto run = [](std::int64_t extent) {
      atc_conv_problem problem = tiny_problem();
      problem.input[0] = extent;
      Layer layer(problem);
      EXPECT_DONE(layer.eager());
    };
    // kPlans plans of 200 KiB each fill half of the limit. This half is for plans of cuDNN.
    constexpr std::int64_t kPlans = 40;
    ASSERT_DONE(atc_set_plan_memory_limit(2 * kPlans * (std::uint64_t{200} << 10)));
    for (std::int64_t extent = 1; extent < kPlans; ++extent) run(extent);
    const auto before = machine().alive();
    run(kPlans);
    auto full = machine().alive();
    EXPECT_GT(full["descriptor"], before.at("descriptor"));
    for (std::int64_t extent = kPlans + 1; extent <= kPlans + 10; ++extent) run(extent);
    EXPECT_EQ(machine().alive(), full);
    // If the memory limit of kept plans is raised, more plans are kept.
    ASSERT_DONE(atc_set_plan_memory_limit(4 * kPlans * (std::uint64_t{200} << 10)));
    run(kPlans + 11);
    EXPECT_GT(machine().alive()["descriptor"], full["descriptor"]);
    EXPECT_DONE(atc_cache_clear());
    run(1);
    auto cleared = machine().alive();
    EXPECT_LE(cleared["descriptor"], 2) << "a plan and its variant pack";
  });
}

TEST(Memory, InACaptureNothingIsMeasured) {
  Script script = usual_script();
  script.captures[nullptr] = 1;
  on_machine(script, [] {
    Layer layer(tiny_problem());
    ASSERT_DONE(atc_set_benchmark_cudnn(1));
    layer.unwrite();
    EXPECT_DONE(layer.eager());
    layer.expect_right();
    atc_cache_statistics statistics{};
    statistics.struct_size = sizeof(statistics);
    EXPECT_DONE(atc_cache_stats(&statistics));
    EXPECT_EQ(statistics.put_off, 1u);
    const atc_tune_options options = cudnn_alone();
    EXPECT_REFUSED(atc_tune(nullptr, kCuda, &layer.call.problem, 1, &options, nullptr, nullptr),
                   ATC_ERROR_CAPTURING, "being captured");
    machine().script.captures.clear();
    machine().graphs.destroy(1);
    EXPECT_EQ(tune(layer.call.problem, options).choice, choice_of(kFastest));
  });
}

}  // namespace
}  // namespace atc::fault
