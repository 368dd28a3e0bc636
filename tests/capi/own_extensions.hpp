// Defines an engine, an allocator, a settings source and a log sink for tests. Their callbacks call
// functions that a test can set.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <vector>

#include "conv_call.hpp"
#include "status.hpp"

namespace atc_test {

// The base class of the extensions. The field `user` of each struct of callbacks points to an
// object of this class.
struct Own {
  std::function<void()> called;      // set by the test; each callback calls this function
  std::function<void()> destroying;  // set by the test; the callback `destroy` calls this function
  std::atomic<int> calls{0}, inside{0}, live{0}, destroyed{0};

  // Called by each callback except `release`, `free` and `destroy`.
  void call() {
    ++calls;
    ++inside;
    if (called) called();
    --inside;
  }
  static Own& of(void* user) { return *static_cast<Own*>(user); }
  static void destroy(void* user) {
    Own& own = of(user);
    EXPECT_EQ(own.inside, 0) << "destroyed inside a callback";
    EXPECT_EQ(own.live, 0) << "destroyed before the last release or free";
    ++own.destroyed;
    if (own.destroying) own.destroying();
  }
};

// An engine for problems with one channel and one filter element: y = w * x.
struct OwnEngine : Own {
  static constexpr const char* kChoice = "own@1:loop";

  struct Prepared {
    std::int64_t elements;
  };

  atc_engine callbacks() {
    atc_engine engine{};
    engine.struct_size = sizeof(engine);
    engine.device_type = ATC_DEVICE_CPU;
    engine.name = "own";
    engine.version = "1";
    engine.user = static_cast<Own*>(this);
    engine.offers = [](void*, const atc_conv_problem* problem, const atc_engine_limits*,
                       atc_offer_callback offer, void* payload) -> atc_status {
      if (problem->in_channels != 1 || problem->out_channels != 1 || problem->kernel[0] != 1)
        return ATC_OK;
      atc_engine_offer made{};
      made.struct_size = sizeof(made);
      made.configuration = "loop";
      return offer(&made, payload);
    };
    engine.prepare = [](void** prepared, void* user, const atc_conv_problem* problem,
                        const atc_engine_limits*, const char*) -> atc_status {
      ++of(user).live;
      *prepared = new Prepared{problem->batch * problem->input[0] * problem->input[1]};
      return ATC_OK;
    };
    engine.execute = [](void* user, void* prepared, atc_engine_operands* operands) -> atc_status {
      of(user).call();
      const auto* const x = static_cast<const float*>(operands->x);
      auto* const y = static_cast<float*>(operands->y);
      const float w = *static_cast<const float*>(operands->w);
      const std::int64_t elements = static_cast<Prepared*>(prepared)->elements;
      for (std::int64_t i = 0; i < elements; ++i) y[i] = w * x[i];
      return ATC_OK;
    };
    engine.release = [](void* user, void* prepared) {
      delete static_cast<Prepared*>(prepared);
      --of(user).live;
    };
    engine.destroy = destroy;
    return engine;
  }
};

struct OwnAllocator : Own {
  atc_allocator callbacks() {
    atc_allocator allocator{};
    allocator.struct_size = sizeof(allocator);
    allocator.user = static_cast<Own*>(this);
    allocator.alloc = [](void* user, std::uint64_t size, atc_device, atc_stream) -> void* {
      of(user).call();
      ++of(user).live;
      return std::aligned_alloc(64, (size + 63) / 64 * 64);
    };
    allocator.free = [](void* user, void* pointer, atc_device, atc_stream) {
      std::free(pointer);
      --of(user).live;
    };
    allocator.destroy = destroy;
    return allocator;
  }
};

// A settings source with one switch.
struct OwnSource : Own {
  std::int64_t benchmark = 0;
  bool refuses = false;

  atc_settings_source callbacks() {
    atc_settings_source source{};
    source.struct_size = sizeof(source);
    source.user = static_cast<Own*>(this);
    source.get = [](std::int64_t* out, void* user, std::int32_t setting) -> atc_status {
      if (setting != ATC_SETTING_BENCHMARK_CUDNN) return ATC_ERROR_UNSUPPORTED;
      of(user).call();
      *out = static_cast<OwnSource&>(of(user)).benchmark;
      return ATC_OK;
    };
    source.set = [](void* user, std::int32_t setting, std::int64_t value) -> atc_status {
      auto& own = static_cast<OwnSource&>(of(user));
      if (own.refuses) return ATC_ERROR_DEVICE;
      if (setting != ATC_SETTING_BENCHMARK_CUDNN) return ATC_ERROR_UNSUPPORTED;
      own.benchmark = value;
      return ATC_OK;
    };
    source.destroy = destroy;
    return source;
  }
};

struct OwnSink : Own {
  atc_log_sink callbacks() {
    atc_log_sink sink{};
    sink.struct_size = sizeof(sink);
    sink.user = static_cast<Own*>(this);
    sink.write = [](void* user, std::int32_t, const char*) { of(user).call(); };
    sink.destroy = destroy;
    return sink;
  }
};

// Returns a problem for OwnEngine. Each call returns another problem, so the process has no
// decision for it yet.
inline atc_conv_problem new_problem() {
  static std::atomic<std::int64_t> height{3};
  atc_conv_problem problem;
  atc_conv_problem_init(&problem, 2);
  problem.input[0] = ++height;
  problem.input[1] = 16;
  return problem;
}

// Runs a race (the timing of the candidates of a problem) between OwnEngine and the reference.
// OwnEngine must be registered.
inline atc_status race(atc_tune_callback progress = nullptr, void* payload = nullptr) {
  const atc_conv_problem problem = new_problem();
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.problem_budget_seconds = 0.2;
  options.engines_allowed = "reference,own";
  return atc_tune(nullptr, kCpu, &problem, 1, &options, progress, payload);
}

// Runs `check` in a child process. If the child has not ended after half a minute, it is killed and
// the test fails.
inline void in_child(void (*check)()) {
  const auto run = [check] {
    alarm(30);
    check();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

}  // namespace atc_test
