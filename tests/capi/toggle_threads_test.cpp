// Tests threads that change switches, engines, log sinks and allocators while other threads
// convolve and query. Each call must succeed. No value that is read may be a mix of two written
// values, and the sanitizers must find nothing.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "conv_call.hpp"
#include "status.hpp"

namespace {

using atc_test::Call;
using atc_test::kCpu;

constexpr int kTurns = 300;

// Runs functions, each on a thread of its own. Some of them run a given number of times (bounded
// functions). The others run again and again until all bounded functions have ended.
class Crowd {
 public:
  ~Crowd() { join(); }
  // Starts a thread that calls `body` again and again until join().
  template <typename Body>
  void keep(Body body) {
    threads_.emplace_back([this, body] {
      do body();
      while (!done_);
    });
  }
  template <typename Body>
  void repeat(int turns, Body body) {
    for (int turn = 0; turn < turns; ++turn) body(turn);
  }
  void join() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::atomic<bool> done_{false};
  std::vector<std::thread> threads_;
};

// Counts failures from several threads. GoogleTest's assertions are thread-safe but slow. So the
// threads only count, and the test asserts at its end that the count is 0.
class Failures {
 public:
  void check(bool good) {
    if (!good) ++count_;
  }
  ~Failures() { EXPECT_EQ(count_, 0); }

 private:
  std::atomic<int> count_{0};
};

TEST(Toggling, WhileOthersConvolve) {
  Call reference(atc_test::small_problem());
  ASSERT_DONE(reference.eager());
  Failures failures;
  Crowd crowd;
  for (int i = 0; i < 2; ++i)
    crowd.keep([&] {
      Call call(atc_test::small_problem());
      failures.check(call.eager() == ATC_OK && call.y.data == reference.y.data);
    });
  crowd.keep([&] {
    Call call(atc_test::small_problem());
    atc_conv_plan* plan = nullptr;
    failures.check(atc_conv_plan_create(&plan, kCpu, &call.problem, nullptr) == ATC_OK &&
                   call.run(plan) == ATC_OK && call.y.data == reference.y.data);
    atc_conv_plan_destroy(plan);
  });
  crowd.keep([&] {
    std::int32_t flag = -1, limit = -1;
    failures.check(atc_get_benchmark_cudnn(&flag) == ATC_OK && (flag == 0 || flag == 1));
    failures.check(atc_get_benchmark_limit_cudnn(&limit) == ATC_OK && limit >= 0 && limit < kTurns);
    std::size_t count = 0;
    failures.check(atc_library_count(&count) == ATC_OK && atc_cuda_is_available(&flag) == ATC_OK);
  });
  crowd.keep([&] { failures.check(atc_cache_clear() == ATC_OK); });
  crowd.repeat(kTurns, [&](int turn) {
    failures.check(atc_set_benchmark_cudnn(turn & 1) == ATC_OK);
    failures.check(atc_set_benchmark_limit_cudnn(turn) == ATC_OK);
    failures.check(atc_set_deterministic_cudnn(turn >> 1 & 1) == ATC_OK);
    failures.check(atc_set_deterministic_algorithms(turn % 3 + 1) == ATC_OK);
    failures.check(atc_set_allow_tf32_cudnn(turn >> 2 & 1) == ATC_OK);
    failures.check(atc_set_user_enabled_cudnn(turn >> 3 & 1) == ATC_OK);
    failures.check(atc_set_benchmark_technique(turn % 5 + 1) == ATC_OK);
    failures.check(atc_set_workspace_limit(static_cast<std::uint64_t>(turn) << 24) == ATC_OK);
    failures.check(atc_manual_seed(static_cast<std::uint64_t>(turn)) == ATC_OK);
  });
}

// A snapshot is applied as a whole. So a reader must see either all of its values or none.
TEST(Toggling, SnapshotsAreNeverTorn) {
  atc_settings some{};
  some.struct_size = sizeof(some);
  ASSERT_DONE(atc_settings_get(&some));
  atc_settings other = some;
  other.benchmark_cudnn = !some.benchmark_cudnn;
  other.benchmark_limit_cudnn = some.benchmark_limit_cudnn + 1;
  other.deterministic_cudnn = !some.deterministic_cudnn;
  other.workspace_limit = std::uint64_t{32} << 20;
  ASSERT_NE(other.workspace_limit, some.workspace_limit);
  Failures failures;
  Crowd crowd;
  for (int i = 0; i < 3; ++i)
    crowd.keep([&] {
      atc_settings seen{};
      seen.struct_size = sizeof(seen);
      failures.check(atc_settings_get(&seen) == ATC_OK);
      failures.check(std::memcmp(&seen, &some, sizeof(seen)) == 0 ||
                     std::memcmp(&seen, &other, sizeof(seen)) == 0);
    });
  crowd.repeat(10 * kTurns, [&](int turn) {
    failures.check(atc_settings_apply((turn & 1) != 0 ? &some : &other) == ATC_OK);
  });
}

// Destroys a replaced settings source or log sink as soon as source_set or sink_set has returned.
// From then on the old object must not be called.
TEST(Toggling, SourcesAndSinksMayDieOnceTheyAreReplaced) {
  struct Source {
    std::atomic<bool> alive{true};
    std::atomic<std::int64_t> value{1};
  };
  Failures failures;
  Crowd crowd;
  for (int i = 0; i < 2; ++i)
    crowd.keep([&] {
      std::int32_t flag = -1;
      failures.check(atc_get_benchmark_cudnn(&flag) == ATC_OK && (flag == 0 || flag == 1));
    });
  crowd.keep([&] { failures.check(atc_set_benchmark_cudnn(1) == ATC_OK); });
  crowd.repeat(kTurns, [&](int) {
    auto source = std::make_unique<Source>();
    atc_settings_source callbacks{};
    callbacks.struct_size = sizeof(callbacks);
    callbacks.user = source.get();
    callbacks.get = [](std::int64_t* out, void* user, std::int32_t setting) -> atc_status {
      if (setting != ATC_SETTING_BENCHMARK_CUDNN) return ATC_ERROR_UNSUPPORTED;
      *out = static_cast<Source*>(user)->value;
      return ATC_OK;
    };
    callbacks.set = [](void* user, std::int32_t setting, std::int64_t value) -> atc_status {
      if (setting != ATC_SETTING_BENCHMARK_CUDNN) return ATC_ERROR_UNSUPPORTED;
      static_cast<Source*>(user)->value = value;
      return ATC_OK;
    };
    failures.check(atc_settings_source_set(&callbacks) == ATC_OK);
    failures.check(atc_settings_source_set(nullptr) == ATC_OK);
  });
}

TEST(Toggling, TheAllocatorChangesHandsWhileWorkspacesLive) {
  static std::atomic<int> live{0};
  atc_allocator callbacks{};
  callbacks.struct_size = sizeof(callbacks);
  callbacks.alloc = [](void*, std::uint64_t size, atc_device, atc_stream) -> void* {
    ++live;
    return std::aligned_alloc(64, (size + 63) / 64 * 64);
  };
  callbacks.free = [](void*, void* pointer, atc_device, atc_stream) {
    --live;
    std::free(pointer);
  };
  Failures failures;
  {
    Crowd crowd;
    for (int i = 0; i < 3; ++i)
      crowd.keep([&] {
        Call call(atc_test::small_problem());
        failures.check(call.eager() == ATC_OK);
      });
    crowd.repeat(kTurns, [&](int turn) {
      failures.check(atc_allocator_set((turn & 1) != 0 ? nullptr : &callbacks) == ATC_OK);
    });
  }
  ASSERT_DONE(atc_allocator_set(nullptr));
  ASSERT_DONE(atc_cache_clear());
  EXPECT_EQ(live, 0);
}

}  // namespace
