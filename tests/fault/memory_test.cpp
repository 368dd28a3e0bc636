// Tests too little memory, and memory that must not grow with the number of calls.
#include <thread>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

using testing::HasSubstr;

class ShortOfMemory : public testing::TestWithParam<int> {};

// A decision that depends on how much memory happened to be free is not stored.
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

    // This process uses the decision.
    options.retune = ATC_OFF;
    EXPECT_EQ(tune(tiny_problem(), options).source, ATC_SOURCE_MEMORY);
    EXPECT_EQ(store.entries(), 0u);

    // Once there is memory, the whole race is run and its decision is stored.
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

// In this case atc's own allocator provides the memory of CUDA, and its exceptions pass through the
// caller's allocator.
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

// A thread that ends returns its handle to the pool without a call to cuDNN or CUDA.
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

// Plans of problems that were not used for long are destroyed. Plans that were cleared are
// destroyed at the next use of their session.
TEST(Memory, OfPlansIsBounded) {
  on_machine(usual_script(), [] {
    const auto run = [](std::int64_t extent) {
      atc_conv_problem problem = tiny_problem();
      problem.input[0] = extent;
      Layer layer(problem);
      EXPECT_DONE(layer.eager());
    };
    for (std::int64_t extent = 1; extent <= 260; ++extent) run(extent);
    const auto full = machine().alive();
    for (std::int64_t extent = 261; extent <= 270; ++extent) run(extent);
    EXPECT_EQ(machine().alive(), full);
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
