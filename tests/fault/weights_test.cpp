// A plan copies the weights that are set on it. These tests check how long the copy exists.
#include <algorithm>
#include <memory>
#include <string>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

constexpr char streams[2] = {};
constexpr const void *kA = &streams[0], *kB = &streams[1];

atc_stream own(const void* stream) { return static_cast<atc_stream>(const_cast<void*>(stream)); }

std::int64_t memory_alive() { return machine().alive()["device memory"]; }

// A plan on which weights were set. Its calls run on streams of the program.
class WithWeights {
 public:
  explicit WithWeights(const std::string& choice = choice_of(kFirst)) : layer_(tiny_problem()) {
    atc_conv_plan* plan = nullptr;
    EXPECT_DONE(atc_conv_plan_create_with_choice(&plan, kCuda, &layer_.call.problem, nullptr,
                                                 choice.c_str()));
    plan_.reset(plan);
    set();
  }

  void set() { EXPECT_DONE(atc_conv_plan_set_weights(plan_.get(), &layer_.call.w.view)); }
  void run_on(atc_stream stream) {
    layer_.unwrite();
    EXPECT_DONE(atc_conv_plan_execute(plan_.get(), &layer_.call.x.view, nullptr, nullptr,
                                      &layer_.call.y.view, nullptr, 0, stream));
    layer_.expect_right();
  }
  void record(const void* stream, std::uint64_t capture) {
    machine().script.captures[stream] = capture;
    run_on(own(stream));
    machine().script.captures.clear();
  }

 private:
  Layer layer_;
  std::unique_ptr<atc_conv_plan, atc_test::PlanDeleter> plan_;
};

Script script_with_streams() {
  Script script = usual_script();
  script.streams = {kA, kB};
  return script;
}

// Returns the index of the first call of the driver's function `name` among the calls since
// listen(). If the function was not called, returns the number of calls.
std::ptrdiff_t first_call(const std::string& name) {
  const auto calls = machine().calls(Part::driver);
  return std::find(calls.begin(), calls.end(), name) - calls.begin();
}

std::ptrdiff_t count_calls(const std::string& name) {
  const auto calls = machine().calls(Part::driver);
  return std::count(calls.begin(), calls.end(), name);
}

// The copy of the weights is freed on the legacy stream. The legacy stream does not wait for the
// program's streams kA and kB. So atc must make the legacy stream wait, by events, for all work
// that reads the weights.
TEST(SetWeights, AreFreedBehindTheWorkOfAllStreamsThatReadThem) {
  on_machine(script_with_streams(), [] {
    for (const std::string& choice : {choice_of(kFirst), std::string("reference@1:direct")}) {
      auto plan = std::make_unique<WithWeights>(choice);
      for (const void* stream : {kA, kB, kA}) plan->run_on(own(stream));
      machine().listen();
      plan.reset();
      EXPECT_EQ(count_calls("cuStreamWaitEvent"), 2) << choice;
      EXPECT_LT(first_call("cuStreamWaitEvent"), first_call("cuMemFreeAsync")) << choice;
      EXPECT_EQ(memory_alive(), 0) << choice;
    }
  });
}

TEST(SetWeights, AreFreedSoWhenOthersAreSet) {
  on_machine(script_with_streams(), [] {
    WithWeights plan;
    plan.run_on(own(kA));
    machine().listen();
    plan.set();
    EXPECT_LT(first_call("cuStreamWaitEvent"), first_call("cuMemFreeAsync"));
    EXPECT_EQ(count_calls("cuMemFreeAsync"), 1);
    EXPECT_EQ(memory_alive(), 1);
  });
}

TEST(SetWeights, NeedNoEventOnTheLegacyStream) {
  on_machine(usual_script(), [] {
    WithWeights plan;
    machine().listen();
    plan.run_on(nullptr);
    EXPECT_EQ(count_calls("cuEventRecord"), 0);
  });
}

TEST(SetWeights, StayWhileAGraphReadsThem) {
  on_machine(script_with_streams(), [] {
    {
      WithWeights plan;
      plan.record(kA, 1);
      plan.record(kB, 2);
    }
    WithWeights other;
    EXPECT_EQ(memory_alive(), 2);
    machine().graphs.destroy(1);
    other.run_on(nullptr);
    EXPECT_EQ(memory_alive(), 2) << "graph 2 reads them";
    machine().graphs.destroy(2);
    // No graph reads the copied weights any more. The next call of atc frees their memory, even if
    // the call does not use the weights.
    other.run_on(nullptr);
    EXPECT_EQ(memory_alive(), 1);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(SetWeights, OfAPlanThatIsDestroyedInACaptureAreFreedLater) {
  on_machine(script_with_streams(), [] {
    auto plan = std::make_unique<WithWeights>();
    WithWeights other;
    // The legacy stream is captured, so atc cannot free the copy of the weights on this stream now.
    machine().script.captures[nullptr] = 1;
    plan.reset();
    EXPECT_EQ(memory_alive(), 2);
    machine().script.captures.clear();
    EXPECT_DONE(atc_cache_clear());
    EXPECT_EQ(memory_alive(), 1);
  });
}

}  // namespace
}  // namespace atc::fault
