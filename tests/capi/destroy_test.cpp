// Tests the callback `destroy` of engines, allocators, settings sources and log sinks. It must be
// called once, after the last use of the object. It must not be called if the registration has
// failed.
#include <memory>
#include <thread>

#include "own_extensions.hpp"

namespace {

using namespace atc_test;

std::unique_ptr<atc_conv_plan, PlanDeleter> own_plan(bool weights = false) {
  const atc_conv_problem problem = new_problem();
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.constant_weights = weights ? ATC_ON : ATC_OFF;
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(
      atc_conv_plan_create_with_choice(&plan, kCpu, &problem, &options, OwnEngine::kChoice));
  if (weights) {
    Call call(problem);
    EXPECT_DONE(atc_conv_plan_set_weights(plan, &call.w.view));
  }
  return std::unique_ptr<atc_conv_plan, PlanDeleter>(plan);
}

template <typename Body>
void on_another_thread(Body&& body) {
  std::thread(body).join();
}

std::int32_t benchmark() {
  std::int32_t out = -1;
  EXPECT_DONE(atc_get_benchmark_cudnn(&out));
  return out;
}

TEST(Destroy, EngineOnceAfterItsPlans) {
  in_child([] {
    OwnEngine own;
    const auto engine = own.callbacks();
    ASSERT_DONE(atc_engine_register(&engine));
    auto plan = own_plan();
    EXPECT_REFUSED(atc_engine_unregister("own"), ATC_ERROR_BUSY, "own");
    EXPECT_EQ(own.destroyed, 0);
    plan.reset();
    EXPECT_DONE(race());
    EXPECT_EQ(own.destroyed, 0);
    on_another_thread([] { EXPECT_DONE(atc_engine_unregister("own")); });
    EXPECT_EQ(own.destroyed, 1);
    EXPECT_GT(own.calls, 0);
  });
}

TEST(Destroy, EngineNotWhereTheRegistrationFailed) {
  in_child([] {
    OwnEngine first, second;
    const auto engine = first.callbacks();
    ASSERT_DONE(atc_engine_register(&engine));
    auto refused = second.callbacks();
    EXPECT_REFUSED(atc_engine_register(&refused), ATC_ERROR_INVALID_ARGUMENT, "already");
    refused.name = "other";
    refused.release = nullptr;
    EXPECT_REFUSED(atc_engine_register(&refused), ATC_ERROR_INVALID_ARGUMENT, "release");
    EXPECT_DONE(atc_engine_unregister("own"));
    EXPECT_EQ(first.destroyed, 1);
    EXPECT_EQ(second.destroyed, 0);
  });
}

TEST(Destroy, AllocatorOnceAfterTheMemoryOfAPlanThatOutlivesIt) {
  in_child([] {
    OwnEngine engine;
    const auto registered = engine.callbacks();
    ASSERT_DONE(atc_engine_register(&registered));
    OwnAllocator own;
    const auto allocator = own.callbacks();
    ASSERT_DONE(atc_allocator_set(&allocator));
    // Makes a plan that keeps a copy of its weights in memory of the allocator.
    auto plan = own_plan(true);
    EXPECT_GT(own.live, 0);
    EXPECT_DONE(atc_allocator_set(nullptr));
    EXPECT_DONE(atc_cache_clear());
    EXPECT_EQ(own.destroyed, 0);
    EXPECT_GT(own.live, 0);
    on_another_thread([&] { plan.reset(); });
    EXPECT_EQ(own.destroyed, 1);
    EXPECT_EQ(own.live, 0);
  });
}

TEST(Destroy, AllocatorOncePerRegistration) {
  in_child([] {
    OwnAllocator own;
    const auto allocator = own.callbacks();
    ASSERT_DONE(atc_allocator_set(&allocator));
    ASSERT_DONE(atc_allocator_set(&allocator));
    EXPECT_EQ(own.destroyed, 1);
    auto refused = allocator;
    refused.free = nullptr;
    EXPECT_REFUSED(atc_allocator_set(&refused), ATC_ERROR_INVALID_ARGUMENT, "free");
    EXPECT_EQ(own.destroyed, 1);
    EXPECT_DONE(atc_allocator_set(nullptr));
    EXPECT_EQ(own.destroyed, 2);
    EXPECT_DONE(atc_allocator_set(nullptr));
    EXPECT_EQ(own.destroyed, 2);
  });
}

TEST(Destroy, SettingsSourceOnceAndNotWhereItWasRefused) {
  in_child([] {
    OwnSource own, refusing;
    EXPECT_DONE(atc_set_benchmark_cudnn(1));
    const auto source = own.callbacks();
    ASSERT_DONE(atc_settings_source_set(&source));
    refusing.refuses = true;
    const auto refused = refusing.callbacks();
    EXPECT_REFUSED(atc_settings_source_set(&refused), ATC_ERROR_DEVICE, "set");
    EXPECT_EQ(refusing.destroyed, 0);
    EXPECT_EQ(own.destroyed, 0);
    own.destroying = [] { EXPECT_EQ(benchmark(), 1); };
    on_another_thread([] { EXPECT_DONE(atc_settings_source_set(nullptr)); });
    EXPECT_EQ(own.destroyed, 1);
  });
}

TEST(Destroy, LogSinkOnceAndNotWhereItWasRefused) {
  in_child([] {
    OwnEngine engine;
    const auto registered = engine.callbacks();
    ASSERT_DONE(atc_engine_register(&registered));
    OwnSink own;
    auto sink = own.callbacks();
    sink.write = nullptr;
    EXPECT_REFUSED(atc_log_sink_set(&sink), ATC_ERROR_INVALID_ARGUMENT, "write", "missing");
    sink = own.callbacks();
    sink.format = 9;
    EXPECT_REFUSED(atc_log_sink_set(&sink), ATC_ERROR_INVALID_ARGUMENT, "format", "9");
    sink = own.callbacks();
    sink.struct_size = 8;
    EXPECT_REFUSED(atc_log_sink_set(&sink), ATC_ERROR_INVALID_ARGUMENT, "struct_size", "8");
    EXPECT_EQ(own.destroyed, 0);
    sink = own.callbacks();
    ASSERT_DONE(atc_log_sink_set(&sink));
    EXPECT_DONE(atc_log_level_set(ATC_LOG_DEBUG));
    EXPECT_DONE(race());
    EXPECT_GT(own.calls, 0);
    own.destroying = [] { EXPECT_DONE(atc_log_sink_set(nullptr)); };
    on_another_thread([] { EXPECT_DONE(atc_log_sink_set(nullptr)); });
    EXPECT_EQ(own.destroyed, 1);
  });
}

// In this test, the callback `destroy` of an allocator starts a race. The test replaces the
// allocator while another race runs. At its end, the running race frees the last memory of the
// replaced allocator, so `destroy` is called then. A lock lets only one race run at a time. So the
// running race must release the lock before `destroy` is called.
TEST(Destroy, MayCallEveryFunction) {
  in_child([] {
    OwnEngine engine;
    const auto registered = engine.callbacks();
    ASSERT_DONE(atc_engine_register(&registered));
    static OwnAllocator own;
    const auto allocator = own.callbacks();
    ASSERT_DONE(atc_allocator_set(&allocator));
    own.destroying = [] { EXPECT_DONE(race()); };
    const auto progress = [](const atc_tune_progress* now, void*) -> std::int32_t {
      if (now->problem_fraction > 0 && own.live > 0) {
        EXPECT_DONE(atc_allocator_set(nullptr));
      }
      EXPECT_EQ(own.destroyed, 0);
      return 0;
    };
    EXPECT_DONE(race(progress));
    EXPECT_EQ(own.destroyed, 1);
  });
}

TEST(Destroy, LeavesTheLastErrorAsItIs) {
  in_child([] {
    OwnSink own;
    const auto sink = own.callbacks();
    ASSERT_DONE(atc_log_sink_set(&sink));
    EXPECT_REFUSED(atc_log_level_set(77), ATC_ERROR_INVALID_ARGUMENT, "77");
    own.destroying = [] {
      EXPECT_REFUSED(atc_log_level_set(88), ATC_ERROR_INVALID_ARGUMENT, "88");
      atc_error_set("said by destroy");
    };
    EXPECT_DONE(atc_log_sink_set(nullptr));
    EXPECT_EQ(own.destroyed, 1);
    EXPECT_THAT(atc_last_error(), testing::HasSubstr("77"));
  });
}

TEST(Destroy, NotAtExit) {
  const auto leave = [] {
    static OwnEngine engine;
    static OwnAllocator allocator;
    static OwnSource source;
    static OwnSink sink;
    for (Own* own : std::initializer_list<Own*>{&engine, &allocator, &source, &sink})
      own->destroying = [] { _exit(7); };
    const auto engines = engine.callbacks();
    const auto allocators = allocator.callbacks();
    const auto sources = source.callbacks();
    const auto sinks = sink.callbacks();
    EXPECT_DONE(atc_engine_register(&engines));
    EXPECT_DONE(atc_allocator_set(&allocators));
    EXPECT_DONE(atc_settings_source_set(&sources));
    EXPECT_DONE(atc_log_sink_set(&sinks));
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(0), "");
}

}  // namespace
