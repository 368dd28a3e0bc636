// Tests callbacks that call functions of atc. A function that would have to wait until the callback
// returns must return ATC_ERROR_BUSY.
#include <string>
#include <vector>

#include "own_extensions.hpp"

namespace {

using namespace atc_test;

struct Named {
  const char* name;
  atc_status (*call)();
};

atc_conv_options tuned() {
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.tune = ATC_ON;
  return options;
}

atc_status created(const atc_conv_options& options) {
  const atc_conv_problem problem = new_problem();
  atc_conv_plan* plan = nullptr;
  const atc_status status = atc_conv_plan_create(&plan, kCpu, &problem, &options);
  atc_conv_plan_destroy(plan);
  return status;
}

atc_status chosen() {
  const atc_conv_problem problem = new_problem();
  atc_conv_plan* plan = nullptr;
  const atc_status status =
      atc_conv_plan_create_with_choice(&plan, kCpu, &problem, nullptr, OwnEngine::kChoice);
  atc_conv_plan_destroy(plan);
  return status;
}

atc_status acquired() {
  const atc_conv_problem problem = new_problem();
  const atc_conv_options options = tuned();
  atc_conv_plan* plan = nullptr;
  const atc_status status = atc_conv_plan_acquire(&plan, kCpu, &problem, &options, nullptr);
  atc_conv_plan_release(plan);
  return status;
}

atc_status explained() {
  const atc_conv_problem problem = new_problem();
  atc_explanation* explanation = nullptr;
  const atc_status status = atc_conv_explain(&explanation, kCpu, &problem, nullptr);
  atc_explanation_destroy(explanation);
  return status;
}

atc_status ceilings_measured() {
  const atc_conv_problem problem = new_problem();
  return atc_conv_measure_ceilings(kCpu, &problem, nullptr);
}

const std::vector<Named> kRaces = {
    {"atc_tune", [] { return race(); }},
    {"atc_conv_explain", explained},
    {"atc_conv_measure_ceilings", ceilings_measured},
    {"atc_conv_plan_create", [] { return created(tuned()); }},
    {"atc_conv_plan_acquire", acquired},
};

std::int32_t number = 0;

const std::vector<Named> kSwitches = {
    {"atc_settings_source_set", [] { return atc_settings_source_set(nullptr); }},
    {"atc_get_benchmark_cudnn", [] { return atc_get_benchmark_cudnn(&number); }},
    {"atc_set_benchmark_cudnn", [] { return atc_set_benchmark_cudnn(1); }},
    {"atc_settings_get",
     [] {
       atc_settings settings{};
       settings.struct_size = sizeof(settings);
       return atc_settings_get(&settings);
     }},
    {"atc_settings_from_env", [] { return atc_settings_from_env(); }},
    {"atc_set_reproducible", [] { return atc_set_reproducible(nullptr, 1); }},
    {"atc_manual_seed", [] { return atc_manual_seed(1); }},
    {"atc_manual_seed_all", [] { return atc_manual_seed_all(1); }},
    {"atc_synchronize", [] { return atc_synchronize(-1); }},
    {"atc_conv_plan_create",
     [] {
       atc_conv_options options{};
       options.struct_size = sizeof(options);
       return created(options);
     }},
    {"atc_conv_plan_create_with_choice", chosen},
    {"atc_convolution", [] { return Call(new_problem()).eager(); }},
};

const std::vector<Named> kOthers = {
    {"atc_log_sink_set", [] { return atc_log_sink_set(nullptr); }},
    {"atc_allocator_set", [] { return atc_allocator_set(nullptr); }},
    {"atc_engine_count",
     [] {
       std::size_t count = 0;
       return atc_engine_count(&count);
     }},
    {"atc_store_use", [] { return atc_store_use(nullptr); }},
    {"atc_cache_clear", [] { return atc_cache_clear(); }},
};

void expect_busy(const std::vector<Named>& calls, const char* inside) {
  for (const Named& named : calls) {
    SCOPED_TRACE(named.name);
    EXPECT_REFUSED(named.call(), ATC_ERROR_BUSY, inside, "return from the callback first");
  }
}

void expect_done(const std::vector<Named>& calls) {
  for (const Named& named : calls) {
    SCOPED_TRACE(named.name);
    EXPECT_DONE(named.call());
  }
}

void with_own_engine(OwnEngine& own) {
  const auto engine = own.callbacks();
  ASSERT_DONE(atc_engine_register(&engine));
}

// Returns a function that runs `body` when it is called first, and does nothing in later calls.
std::function<void()> once(void (*body)()) {
  return [body, done = false]() mutable {
    if (!done) {
      done = true;
      body();
    }
  };
}

TEST(Reentrance, AProgressCallbackMayNotRace) {
  in_child([] {
    static OwnEngine own;
    with_own_engine(own);
    static int calls = 0;
    const auto progress = [](const atc_tune_progress*, void*) -> std::int32_t {
      // Only the first three progress reports call functions of atc. They come before the race and
      // during it.
      if (++calls <= 3) {
        expect_busy(kRaces, "inside the progress callback");
        EXPECT_DONE(atc_set_benchmark_cudnn(0));
        EXPECT_DONE(atc_get_benchmark_cudnn(&number));
      }
      return 0;
    };
    EXPECT_DONE(race(progress));
    EXPECT_GT(calls, 3);
    expect_done(kRaces);  // the refused calls must not have kept a lock
  });
}

TEST(Reentrance, AProgressCallbackOfAPlanMayNotRace) {
  in_child([] {
    static OwnEngine own;
    with_own_engine(own);
    static atc_conv_options options = tuned();
    static int calls = 0;
    options.progress = [](const atc_tune_progress*, void*) -> std::int32_t {
      // Only the first three progress reports call functions of atc. They come before the race and
      // during it.
      if (++calls <= 3) {
        const int before = calls;
        expect_busy(kRaces, "inside the progress callback");
        EXPECT_REFUSED(created(options), ATC_ERROR_BUSY, "inside the progress callback");
        EXPECT_EQ(calls, before) << "told of a race that did not come";
      }
      return 0;
    };
    EXPECT_DONE(created(options));
    EXPECT_GT(calls, 3);
    expect_done(kRaces);  // the refused calls must not have kept a lock
  });
}

TEST(Reentrance, AnEngineMayNotRaceNorLeave) {
  in_child([] {
    static OwnEngine own;
    with_own_engine(own);
    own.called = once([] {
      expect_busy(kRaces, "inside a callback of an engine");
      EXPECT_REFUSED(atc_engine_unregister("own"), ATC_ERROR_BUSY, "own");
    });
    EXPECT_DONE(race());
    EXPECT_GT(own.calls, 0);
  });
}

TEST(Reentrance, AnAllocatorMayNotRaceButBeReplaced) {
  in_child([] {
    static OwnEngine engine;
    with_own_engine(engine);
    static OwnAllocator own;
    const auto allocator = own.callbacks();
    ASSERT_DONE(atc_allocator_set(&allocator));
    own.called = once([] {
      expect_busy(kRaces, "inside a callback of the allocator");
      EXPECT_DONE(atc_allocator_set(nullptr));
    });
    EXPECT_DONE(race());
    EXPECT_EQ(own.calls, 1);
    EXPECT_EQ(own.destroyed, 1);
  });
}

TEST(Reentrance, ASettingsSourceMayNotAskForSwitches) {
  in_child([] {
    static OwnEngine engine;
    with_own_engine(engine);
    static OwnSource own;
    own.called = once([] {
      expect_busy(kRaces, "inside a callback of the settings source");
      expect_busy(kSwitches, "inside a callback of the settings source");
      expect_done(kOthers);
    });
    const auto source = own.callbacks();
    ASSERT_DONE(atc_settings_source_set(&source));
    EXPECT_EQ(own.calls, 1);
    own.called = once([] {
      expect_busy(kRaces, "inside a callback of the settings source");
      expect_busy(kSwitches, "inside a callback of the settings source");
    });
    std::int32_t out = -1;
    EXPECT_DONE(atc_get_benchmark_cudnn(&out));
    EXPECT_EQ(out, 0);
    EXPECT_EQ(own.calls, 2);
  });
}

TEST(Reentrance, ALogSinkMayOnlyAskForTheLevelAndShapes) {
  in_child([] {
    static OwnEngine engine;
    with_own_engine(engine);
    static OwnSink own;
    const auto sink = own.callbacks();
    ASSERT_DONE(atc_log_sink_set(&sink));
    ASSERT_DONE(atc_log_level_set(ATC_LOG_DEBUG));
    own.called = once([] {
      expect_busy(kRaces, "inside the log sink");
      expect_busy(kSwitches, "inside the log sink");
      expect_busy(kOthers, "inside the log sink");
      std::int32_t level = 0;
      EXPECT_DONE(atc_log_level_get(&level));
      EXPECT_EQ(level, ATC_LOG_DEBUG);
      EXPECT_DONE(atc_log_level_set(level));
      const atc_conv_problem problem = new_problem();
      std::int64_t shape[4];
      EXPECT_DONE(atc_conv_operand_shape(shape, nullptr, &problem, ATC_OPERAND_X));
    });
    EXPECT_DONE(race());
    EXPECT_GT(own.calls, 0);
  });
}

// ATC_LOG is malformed, so reading the log level logs a warning. The log sink reads the level while
// it gets this warning.
TEST(Reentrance, ALogSinkMayAskForTheLevelInItsFirstLine) {
  in_child([] {
    setenv("ATC_LOG", "loud", 1);
    static OwnSink own;
    own.called = [] {
      std::int32_t level = 0;
      EXPECT_DONE(atc_log_level_get(&level));
      EXPECT_EQ(level, ATC_LOG_WARNING);
    };
    const auto sink = own.callbacks();
    ASSERT_DONE(atc_log_sink_set(&sink));
    std::int32_t level = 0;
    EXPECT_DONE(atc_log_level_get(&level));
    EXPECT_EQ(own.calls, 1);
  });
}

}  // namespace
