// Tests the objects of captured calls that must exist as long as the CUDA graph: workspaces and
// plans of cuDNN. The tests cover when these objects are allocated, shared and freed.
#include <algorithm>
#include <memory>
#include <thread>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

constexpr std::int64_t kSmall = 4096, kLarge = 100000;
constexpr std::int64_t kBeyondWhatIsKept = std::int64_t{300} << 20;

// Returns the index of an engine whose workspace has `workspace` bytes. If the script has no such
// engine, adds one to the script.
std::int64_t engine_with(std::int64_t workspace) {
  constexpr std::int64_t kNext = 20;
  std::vector<Engine>& engines = machine().script.engines;
  for (const Engine& known : engines)
    if (known.workspace == workspace) return known.index;
  Engine added;
  added.index = kNext + static_cast<std::int64_t>(engines.size());
  added.workspace = workspace;
  engines.push_back(added);
  return added.index;
}

// A plan whose workspace has `workspace` bytes, and functions that run it on streams. The handles
// of the streams are only known to the library that replaces CUDA's driver.
class Captured {
 public:
  explicit Captured(std::int64_t workspace) : layer_(tiny_problem()) {
    const std::string choice = choice_of(engine_with(workspace));
    atc_conv_plan* plan = nullptr;
    EXPECT_DONE(atc_conv_plan_create_with_choice(&plan, kCuda, &layer_.call.problem, nullptr,
                                                 choice.c_str()));
    plan_.reset(plan);
  }

  atc_status try_on(const void* stream) {
    return layer_.call.run(plan_.get(), static_cast<atc_stream>(const_cast<void*>(stream)));
  }
  void run_on(const void* stream) {
    layer_.unwrite();
    EXPECT_DONE(try_on(stream));
    layer_.expect_right();
  }
  // Captures a call into the graph with the number `capture`. The caller of this function has to
  // destroy the graph.
  void record(const void* stream, std::uint64_t capture) {
    machine().script.captures[stream] = capture;
    run_on(stream);
    machine().script.captures.clear();
  }

 private:
  Layer layer_;
  std::unique_ptr<atc_conv_plan, atc_test::PlanDeleter> plan_;
};

std::int64_t memory_alive() { return machine().alive()["device memory"]; }
std::int64_t descriptors_alive() { return machine().alive()["descriptor"]; }

std::ptrdiff_t calls_of(const std::string& name) {
  const auto calls = machine().calls(Part::driver);
  return std::count(calls.begin(), calls.end(), name);
}

constexpr char streams[4] = {};
constexpr const void *kA = &streams[0], *kB = &streams[1], *kC = &streams[2];

void share_one_buffer_per_stream() {
  Captured layer(kSmall);
  // The streams kA and kB belong to the same capture, as after a fork of streams in CUDA. So both
  // are recorded into graph 1.
  machine().script.captures = {{kA, 1}, {kB, 1}, {kC, 2}};
  machine().listen();
  for (const void* const stream : {kA, kA, kB, kA, kB, kC}) layer.run_on(stream);
  EXPECT_EQ(calls_of("cuMemAllocAsync"), 3);
  EXPECT_EQ(calls_of("cuMemFreeAsync"), 0);
  EXPECT_EQ(machine().graphs.held(1), 2u + 1u) << "buffers, and the plan";
  EXPECT_EQ(machine().graphs.held(2), 1u + 1u);
  EXPECT_EQ(machine().graphs.allocations(1) + machine().graphs.allocations(2), 0u);
  EXPECT_EQ(memory_alive(), 3);
  machine().script.captures.clear();
  machine().graphs.destroy(1);
  machine().graphs.destroy(2);
  EXPECT_DONE(atc_cache_clear());
}

TEST(CapturedWorkspace, IsOnePerStreamOfACapture) {
  on_machine(usual_script(), share_one_buffer_per_stream);
}

TEST(CapturedWorkspace, IsSoWithTheFirstDriverThatServes) {
  with_libraries(ATC_FAULT_FIRST_DRIVER ":" ATC_FAULT_CUDNN, usual_script(),
                 share_one_buffer_per_stream);
}

TEST(CapturedWorkspace, IsTheGraphsWhereTheDriverDoesNotTellWhenThatIsGone) {
  with_libraries(ATC_FAULT_SILENT_DRIVER ":" ATC_FAULT_CUDNN, usual_script(), [] {
    Captured layer(kSmall);
    layer.record(kA, 1);
    EXPECT_EQ(machine().graphs.allocations(1), 1u);
    EXPECT_EQ(memory_alive(), 0);
  });
}

TEST(CapturedWorkspace, StaysWhileTheGraphDoesAndServesTheNextOne) {
  on_machine(usual_script(), [] {
    Captured layer(kSmall);
    layer.record(kA, 1);
    EXPECT_DONE(atc_cache_clear());
    layer.run_on(kA);
    EXPECT_EQ(memory_alive(), 1);

    machine().graphs.destroy(1);
    machine().listen();
    layer.record(kA, 2);
    layer.record(kB, 3);
    EXPECT_EQ(calls_of("cuMemAllocAsync"), 1) << "for the second graph that lives";
    EXPECT_EQ(memory_alive(), 2);

    machine().graphs.destroy(2);
    EXPECT_DONE(atc_cache_clear());
    EXPECT_EQ(memory_alive(), 1);
    machine().graphs.destroy(3);
    EXPECT_DONE(atc_cache_clear());
    EXPECT_EQ(memory_alive(), 0);
  });
}

// The per-thread stream has the same handle in each thread, but is a different stream in each
// thread. So the threads must not share a buffer.
TEST(CapturedWorkspace, IsNotSharedByThreadsOfThePerThreadStream) {
  void* const per_thread = reinterpret_cast<void*>(std::uintptr_t{2});
  on_machine(usual_script(), [&] {
    Captured layer(kSmall);
    layer.record(per_thread, 1);
    std::thread([&] { layer.record(per_thread, 1); }).join();
    EXPECT_EQ(machine().graphs.held(1), 2u + 2u) << "buffers, and each thread's plan";
    machine().graphs.destroy(1);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(CapturedWorkspace, GrowsByAnotherBuffer) {
  on_machine(usual_script(), [] {
    Captured small(kSmall), large(kLarge);
    for (Captured* const layer : {&small, &large, &small, &large}) layer->record(kA, 1);
    EXPECT_EQ(machine().graphs.held(1), 2u + 2u) << "buffers, and plans";
    machine().graphs.destroy(1);

    // Each call needs slightly more memory than the previous one. Nevertheless atc must not
    // allocate a new buffer for each call.
    constexpr std::size_t kSizes = 20;
    for (std::size_t i = 0; i < kSizes; ++i)
      Captured(kLarge + static_cast<std::int64_t>(i) * kLarge / 20).record(kA, 2);
    EXPECT_EQ(machine().graphs.held(2), 2u + kSizes);
    machine().graphs.destroy(2);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(CapturedWorkspace, OfGraphsThatAreGoneIsBounded) {
  on_machine(usual_script(), [] {
    Captured layer(kSmall), huge(kBeyondWhatIsKept);
    huge.record(kA, 1);
    layer.record(kA, 2);
    machine().graphs.destroy(1);
    machine().graphs.destroy(2);
    EXPECT_EQ(memory_alive(), 2);
    // The next call of atc frees the large buffer, whatever it computes: the graph of this buffer
    // is destroyed, and the buffer is larger than atc keeps.
    layer.run_on(kA);
    EXPECT_EQ(memory_alive(), 1);

    constexpr std::uint64_t kGraphs = 100;
    for (std::uint64_t capture = 1; capture <= kGraphs; ++capture) layer.record(kA, capture);
    EXPECT_EQ(memory_alive(), static_cast<std::int64_t>(kGraphs));
    for (std::uint64_t capture = 1; capture <= kGraphs; ++capture)
      machine().graphs.destroy(capture);
    layer.run_on(kA);
    EXPECT_EQ(memory_alive(), 64);
    EXPECT_DONE(atc_cache_clear());
  });
}

// A call that needs little memory must not get a large buffer of a destroyed graph. The buffer
// would be in use until the graph of this call is destroyed.
TEST(CapturedWorkspace, IsNotFarLargerThanWhatItServes) {
  on_machine(usual_script(), [] {
    Captured small(kSmall), large(std::int64_t{64} << 20);
    large.record(kA, 1);
    machine().graphs.destroy(1);
    machine().listen();
    small.record(kA, 2);
    EXPECT_EQ(calls_of("cuMemAllocAsync"), 1);
    machine().graphs.destroy(2);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(CapturedWorkspace, WithoutMemoryIsRefused) {
  on_machine(usual_script(), [] {
    Captured small(kSmall), large(kLarge);
    small.record(kA, 1);
    machine().graphs.destroy(1);
    machine().script.captures = {{kA, 2}};
    machine().break_call({Part::driver, 1, "cuMemAllocAsync", 2, true});
    EXPECT_REFUSED(large.try_on(kA), ATC_ERROR_OUT_OF_MEMORY, "no memory for 100032 bytes",
                   "captured");
    EXPECT_EQ(memory_alive(), 0) << "what is kept goes first";
    machine().mend();

    // If an allocation fails, atc must free the buffer of the destroyed graph and try the
    // allocation again.
    machine().graphs.destroy(2);
    small.record(kA, 3);
    machine().graphs.destroy(3);
    machine().break_call({Part::driver, 1, "cuMemAllocAsync", 2, false});
    large.record(kA, 4);
    machine().mend();
    machine().graphs.destroy(4);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(CapturedWorkspace, ThatTheGraphRefusesIsNobodys) {
  on_machine(usual_script(), [] {
    Captured layer(kSmall);
    for (const char* const call : {"cuUserObjectCreate", "cuGraphRetainUserObject"}) {
      machine().script.captures = {{kA, 1}};
      machine().break_call({Part::driver, 1, call, 1, false});
      EXPECT_REFUSED(layer.try_on(kA), ATC_ERROR_DEVICE, call);
      machine().mend();
      EXPECT_EQ(machine().graphs.held(1), 0u);
    }
    machine().listen();
    layer.run_on(kA);
    EXPECT_EQ(calls_of("cuMemAllocAsync"), 0);
    EXPECT_EQ(machine().graphs.held(1), 1u + 1u);
    machine().script.captures.clear();
    machine().graphs.destroy(1);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(CapturedWorkspace, OfThreadsThatCaptureAtOnceIsEachGraphsOwn) {
  on_machine(usual_script(), [] {
    constexpr int kThreads = 4, kCalls = 20;
    for (int i = 0; i < kThreads; ++i)
      machine().script.captures[&streams[i]] = static_cast<std::uint64_t>(i) + 1;
    std::vector<std::unique_ptr<Captured>> layers;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) layers.push_back(std::make_unique<Captured>(kSmall));
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&layer = *layers[static_cast<std::size_t>(i)], i] {
        for (int call = 0; call < kCalls; ++call) {
          layer.run_on(&streams[i]);
          if (call % 5 == 4) machine().graphs.destroy(static_cast<std::uint64_t>(i) + 1);
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(memory_alive(), kThreads);
    machine().script.captures.clear();
    EXPECT_DONE(atc_cache_clear());
    EXPECT_EQ(memory_alive(), 0);
  });
}

// A session is a thread's cuDNN handle with the plans of this handle. Makes the session of this
// thread destroy all plans that no graph uses.
void clear_plans() {
  EXPECT_DONE(atc_cache_clear());
  Layer(tiny_problem()).run(choice_of(kFirst));
}

TEST(CapturedPlan, ServesOneGraphAfterTheOther) {
  on_machine(usual_script(), [] {
    Captured layer(kSmall);
    layer.record(kA, 1);
    const std::int64_t descriptors = descriptors_alive();
    machine().graphs.destroy(1);
    for (std::uint64_t capture = 2; capture < 50; ++capture) {
      layer.record(kA, capture);
      layer.run_on(kA);
      machine().graphs.destroy(capture);
    }
    EXPECT_EQ(descriptors_alive(), descriptors);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(CapturedPlan, ServesAllCallsOfACapture) {
  on_machine(usual_script(), [] {
    Captured layer(kSmall);
    layer.record(kA, 1);
    const std::int64_t descriptors = descriptors_alive();
    for (int call = 0; call < 3; ++call) layer.record(kA, 1);
    EXPECT_EQ(descriptors_alive(), descriptors);
    machine().graphs.destroy(1);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(CapturedPlan, StaysAsLongAsTheLastGraph) {
  on_machine(usual_script(), [] {
    clear_plans();
    const std::int64_t without = descriptors_alive();
    {
      Captured layer(kSmall);
      for (std::uint64_t capture : {1, 2}) layer.record(kA, capture);
    }
    for (std::uint64_t capture : {1, 2}) {
      clear_plans();
      EXPECT_GT(descriptors_alive(), without) << "graph " << capture << " runs the plan";
      machine().graphs.destroy(capture);
    }
    clear_plans();
    EXPECT_EQ(descriptors_alive(), without);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(CapturedPlan, StaysForGoodWhereTheDriverDoesNotTellWhenTheGraphIsGone) {
  with_libraries(ATC_FAULT_SILENT_DRIVER ":" ATC_FAULT_CUDNN, usual_script(), [] {
    clear_plans();
    const std::int64_t without = descriptors_alive();
    Captured(kSmall).record(kA, 1);
    const std::int64_t with = descriptors_alive();
    machine().graphs.destroy(1);
    clear_plans();
    EXPECT_GT(with, without);
    EXPECT_EQ(descriptors_alive(), with);
  });
}

// When cuDNN destroys a plan, the driver unloads the plan's modules. During a capture the driver
// forbids this, unless the thread is in the relaxed capture mode. So atc must use this mode
// meanwhile.
TEST(ClearedPlans, AreDestroyedInACaptureWithoutBreakingIt) {
  on_machine(usual_script(), [] {
    Captured layer(kSmall);
    layer.run_on(kA);
    EXPECT_DONE(atc_cache_clear());
    layer.record(kA, 1);
    machine().graphs.destroy(1);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(ClearedPlans, OfThreadsThatHaveEndedGoAtOnce) {
  on_machine(usual_script(), [] {
    constexpr int kBatches = 19;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        atc_conv_problem problem = tiny_problem();
        for (problem.batch = 1; problem.batch <= kBatches; ++problem.batch) {
          Layer layer(problem);
          layer.unwrite();
          EXPECT_DONE(layer.run(choice_of(kFirst)));
          layer.expect_right();
        }
      });
    for (std::thread& thread : threads) thread.join();
    // A thread may get the session of a thread that has ended, and so use its plans. The scheduler
    // determines how often this happens. But there is at least one plan for each batch size.
    EXPECT_GE(descriptors_alive(), kBatches);
    EXPECT_DONE(atc_cache_clear());
    EXPECT_EQ(descriptors_alive(), 0);
  });
}

}  // namespace
}  // namespace atc::fault
