// Tests calls with a store or an allocator of their own. Such calls share no decisions, plans or
// memory with other calls of the process.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "conv_call.hpp"
#include "own_library.h"
#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_test;
using atc::test::TempFolder;

// An engine for dense pointwise problems with channels first. Every build has this engine, so a
// race always has a candidate besides the reference. The engine needs a workspace. It keeps no
// weights itself, so atc keeps the copy of a plan's weights.
struct Pointwise {
  const void* workspace = nullptr;  // the workspace of the last execution
};

struct Prepared {
  std::int64_t batch, in, out, pixels;
};

extern "C" {
static atc_status pointwise_offers(void*, const atc_conv_problem* p, const atc_engine_limits*,
                                   atc_offer_callback offer, void* payload) {
  if (p->direction != ATC_FORWARD || p->spatial_dims != 2 || p->epilogue != ATC_EPILOGUE_NONE ||
      p->x_dtype != ATC_DTYPE_F32 || p->accumulate != 0 || p->groups != 1 || p->kernel[0] != 1 ||
      p->kernel[1] != 1)
    return ATC_OK;
  atc_engine_offer made{};
  made.struct_size = sizeof(made);
  made.configuration = "loops";
  made.workspace = 4096;
  return offer(&made, payload);
}
static atc_status pointwise_prepare(void** prepared, void*, const atc_conv_problem* p,
                                    const atc_engine_limits*, const char*) {
  *prepared = new Prepared{p->batch, p->in_channels, p->out_channels, p->input[0] * p->input[1]};
  return ATC_OK;
}
static atc_status pointwise_execute(void* user, void* prepared, atc_engine_operands* o) {
  static_cast<Pointwise*>(user)->workspace = o->workspace;
  const Prepared& p = *static_cast<Prepared*>(prepared);
  const auto* x = static_cast<const float*>(o->x);
  const auto* w = static_cast<const float*>(o->w);
  auto* y = static_cast<float*>(o->y);
  for (std::int64_t n = 0; n < p.batch; ++n)
    for (std::int64_t k = 0; k < p.out; ++k)
      for (std::int64_t i = 0; i < p.pixels; ++i) {
        float sum = 0;
        for (std::int64_t c = 0; c < p.in; ++c)
          sum += x[(n * p.in + c) * p.pixels + i] * w[k * p.in + c];
        y[(n * p.out + k) * p.pixels + i] = sum;
      }
  return ATC_OK;
}
static void pointwise_release(void*, void* prepared) { delete static_cast<Prepared*>(prepared); }
}

constexpr const char* kChoice = "pointwise@1:loops";

struct StoreCloser {
  void operator()(atc_store* store) const { atc_store_close(store); }
};
using Store = std::unique_ptr<atc_store, StoreCloser>;
using Plan = std::unique_ptr<atc_conv_plan, PlanDeleter>;

// An allocator that counts its allocations, and that notices if it is asked to free memory of
// another allocator.
struct Counting {
  std::vector<void*> held;
  std::uint64_t allocations = 0, foreign = 0;

  atc_allocator callbacks() {
    atc_allocator made{};
    made.struct_size = sizeof(made);
    made.user = this;
    made.alloc = [](void* user, std::uint64_t size, atc_device, atc_stream) -> void* {
      auto& self = *static_cast<Counting*>(user);
      ++self.allocations;
      self.held.push_back(std::aligned_alloc(64, (size + 63) / 64 * 64));
      return self.held.back();
    };
    made.free = [](void* user, void* pointer, atc_device, atc_stream) {
      auto& self = *static_cast<Counting*>(user);
      const auto found = std::find(self.held.begin(), self.held.end(), pointer);
      if (found == self.held.end()) {
        ++self.foreign;
        return;
      }
      self.held.erase(found);
      std::free(pointer);
    };
    return made;
  }
};

class Own : public testing::Test {
 protected:
  void SetUp() override {
    atc_engine engine{};
    engine.struct_size = sizeof(engine);
    engine.device_type = ATC_DEVICE_CPU;
    engine.name = "pointwise";
    engine.version = "1";
    engine.user = &engine_;
    engine.offers = pointwise_offers;
    engine.prepare = pointwise_prepare;
    engine.execute = pointwise_execute;
    engine.release = pointwise_release;
    ASSERT_DONE(atc_engine_register(&engine));
  }
  void TearDown() override {
    EXPECT_DONE(atc_store_use(nullptr));
    EXPECT_DONE(atc_allocator_set(nullptr));
    EXPECT_DONE(atc_cache_clear());
    EXPECT_DONE(atc_engine_unregister("pointwise"));
  }

  // Returns a problem with a number of channels that no other problem has. So no decision of one
  // problem or test can be used for another one.
  static atc_conv_problem problem() {
    static std::int64_t channels = 3;
    atc_conv_problem made;
    EXPECT_DONE(atc_conv_problem_init(&made, 2));
    made.in_channels = made.out_channels = channels++;
    made.input[0] = made.input[1] = 5;
    return made;
  }

  Store open(const std::string& name, atc_store_mode mode = ATC_STORE_READ_WRITE) const {
    atc_store* store = nullptr;
    EXPECT_DONE(atc_store_open(&store, (folder_ / name).c_str(), mode));
    return Store(store);
  }

  static std::uint64_t entries(const Store& store) {
    atc_store_info info{};
    info.struct_size = sizeof(info);
    EXPECT_DONE(atc_store_describe(&info, store.get()));
    return info.entries;
  }

  static atc_conv_options with(const atc_store* store, std::int32_t tune = 0) {
    atc_conv_options options{};
    options.struct_size = sizeof(options);
    options.tune = tune;
    // The budget of a race in seconds. It is so long that it never ends the race, even on a busy
    // machine.
    options.budget_seconds = 60;
    options.store = store;
    return options;
  }

  static atc_conv_options without_store(std::int32_t tune = 0) {
    atc_conv_options options = with(nullptr, tune);
    options.use_store = ATC_OFF;
    return options;
  }

  static std::int32_t source_of(const Plan& plan) {
    std::int32_t source = 0;
    EXPECT_DONE(atc_conv_plan_source(&source, plan.get()));
    return source;
  }
  static std::int32_t source(const atc_conv_problem& problem, const atc_conv_options& options) {
    atc_conv_plan* plan = nullptr;
    EXPECT_DONE(atc_conv_plan_create(&plan, kCpu, &problem, &options));
    return source_of(Plan(plan));
  }

  // The source of the decision of a cached plan, and whether the cache contained the plan.
  struct Cached {
    std::int32_t source;
    bool hit;
  };
  static Cached cached(const atc_conv_problem& problem, const atc_conv_options& options) {
    const std::uint64_t before = hits();
    atc_conv_plan* plan = nullptr;
    EXPECT_DONE(atc_conv_plan_acquire(&plan, kCpu, &problem, &options, nullptr));
    Cached found{};
    EXPECT_DONE(atc_conv_plan_source(&found.source, plan));
    atc_conv_plan_release(plan);
    found.hit = hits() > before;
    return found;
  }
  static std::uint64_t hits() { return statistics().hits; }
  static atc_cache_statistics statistics() {
    atc_cache_statistics found{};
    found.struct_size = sizeof(found);
    EXPECT_DONE(atc_cache_stats(&found));
    return found;
  }

  static void tune(const std::vector<atc_conv_problem>& problems, const Store& store) {
    atc_tune_options options{};
    options.struct_size = sizeof(options);
    options.problem_budget_seconds = 60;
    options.store = store.get();
    const std::uint64_t before = entries(store);
    EXPECT_DONE(
        atc_tune(nullptr, kCpu, problems.data(), problems.size(), &options, nullptr, nullptr));
    EXPECT_EQ(entries(store), before + problems.size());
  }

  Pointwise engine_;
  const TempFolder folder_;
};

// ---- Stores

const own_library& library(const char* file) {
  void* const handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  return *reinterpret_cast<own_library_function>(dlsym(handle, "own_library_calls"))();
}

TEST_F(Own, TwoLibrariesTuneIntoTwoStoresAtOnce) {
  const own_library* const libraries[] = {&library(ATC_TEST_LIBRARY_ONE),
                                          &library(ATC_TEST_LIBRARY_TWO)};
  ASSERT_NE(libraries[0], libraries[1]);
  const char* const names[] = {"one", "two"};
  const atc_conv_problem shared = problem();
  const std::vector<atc_conv_problem> problems[] = {{problem(), problem(), shared},
                                                    {problem(), problem(), shared}};
  Counting of_process;
  const atc_allocator callbacks = of_process.callbacks();
  ASSERT_DONE(atc_allocator_set(&callbacks));
  std::array<atc_status, 2> statuses{};
  std::array<std::uint64_t, 2> measured{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      statuses[i] = libraries[i]->open((folder_ / names[i]).c_str(), ATC_STORE_READ_WRITE);
      if (statuses[i] == ATC_OK)
        statuses[i] = libraries[i]->tune(problems[i].data(), problems[i].size(), &measured[i]);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 2; ++i) {
    const own_library &mine = *libraries[i], &other = *libraries[1 - i];
    EXPECT_EQ(statuses[i], ATC_OK);
    EXPECT_EQ(measured[i], 3u) << "the problem that both have was measured for each";
    EXPECT_EQ(entries(open(names[i], ATC_STORE_READ)), 3u);
    EXPECT_GT(mine.allocations(), 0u);
    EXPECT_EQ(mine.held(), 0u);
    for (std::size_t j = 0; j < 3; ++j) {
      std::int32_t found = 0;
      EXPECT_DONE(mine.source(&found, &problems[i][j], ATC_OFF));
      EXPECT_EQ(found, ATC_SOURCE_RECORD);
      EXPECT_DONE(other.source(&found, &problems[i][j], ATC_OFF));
      EXPECT_EQ(found == ATC_SOURCE_RECORD, j == 2) << "only the last problem is of both";
    }
  }
  // A call without a store of its own must not find the decisions of the two libraries
  // (own_library.c, loaded twice). The two libraries must not have used the allocator of the
  // process.
  EXPECT_NE(source(shared, with(nullptr)), ATC_SOURCE_RECORD);
  EXPECT_EQ(of_process.allocations, 0u);
  EXPECT_EQ(source(shared, with(nullptr, ATC_ON)), ATC_SOURCE_TUNED);
  for (const own_library* used : libraries) used->close();
}

TEST_F(Own, WhatIsMeasuredIsRememberedForTheSameStoreAlone) {
  const Store one = open("one"), other = open("other");
  const Store reading = open("one", ATC_STORE_READ), again = open("one", ATC_STORE_READ);
  const atc_conv_problem measured = problem();
  EXPECT_EQ(source(measured, with(reading.get(), ATC_ON)), ATC_SOURCE_TUNED);
  EXPECT_EQ(source(measured, with(reading.get(), ATC_ON)), ATC_SOURCE_MEMORY);
  EXPECT_EQ(source(measured, with(again.get(), ATC_ON)), ATC_SOURCE_TUNED);
  EXPECT_EQ(source(measured, with(nullptr, ATC_ON)), ATC_SOURCE_TUNED);
  EXPECT_EQ(source(measured, with(nullptr, ATC_ON)), ATC_SOURCE_MEMORY);
  EXPECT_EQ(source(measured, without_store(ATC_ON)), ATC_SOURCE_TUNED);
  EXPECT_EQ(source(measured, without_store(ATC_ON)), ATC_SOURCE_MEMORY);
  EXPECT_EQ(source(measured, with(other.get(), ATC_ON)), ATC_SOURCE_TUNED);
  EXPECT_EQ(source(measured, with(other.get(), ATC_ON)), ATC_SOURCE_RECORD);
  EXPECT_EQ(entries(one), 0u);
}

TEST_F(Own, ReplayOnlyHoldsForTheCallWhateverTheProcessKnows) {
  const Store of_process = open("process"), empty = open("empty");
  const Store replayed = open("empty", ATC_STORE_REPLAY_ONLY);
  const atc_conv_problem known = problem();
  tune({known}, of_process);
  ASSERT_DONE(atc_store_use(of_process.get()));
  EXPECT_EQ(source(known, with(nullptr)), ATC_SOURCE_RECORD);
  const atc_conv_options options = with(replayed.get());
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &known, &options), ATC_ERROR_NOT_TUNED,
                 "replay-only");
  EXPECT_REFUSED(atc_conv_plan_acquire(&plan, kCpu, &known, &options, nullptr), ATC_ERROR_NOT_TUNED,
                 "replay-only");
}

TEST_F(Own, TheStoreOfACallGoesBeforeTheOneInUseAndThatBeforeTheEnvironment) {
  const auto check = [&] {
    const atc_conv_problem in_own = problem(), in_used = problem(), in_environment = problem();
    const Store own = open("own"), used = open("used");
    tune({in_own}, own);
    tune({in_used}, used);
    tune({in_environment}, open("environment"));
    const auto expect_found = [&](const atc_conv_options& options,
                                  const std::array<bool, 3>& expected) {
      const std::array<const atc_conv_problem*, 3> asked = {&in_own, &in_used, &in_environment};
      for (std::size_t i = 0; i < asked.size(); ++i) {
        EXPECT_EQ(source(*asked[i], options) == ATC_SOURCE_RECORD, expected[i]) << i;
        EXPECT_EQ(cached(*asked[i], options).source == ATC_SOURCE_RECORD, expected[i]) << i;
      }
    };
    setenv("ATC_STORE", (folder_ / "environment").c_str(), 1);
    expect_found(with(own.get()), {true, false, false});
    expect_found(without_store(), {false, false, false});
    expect_found(with(nullptr), {false, false, true});
    EXPECT_DONE(atc_store_use(used.get()));
    expect_found(with(nullptr), {false, true, false});
    expect_found(with(own.get()), {true, false, false});
    expect_found(without_store(), {false, false, false});
    EXPECT_DONE(atc_store_use(nullptr));
    expect_found(with(nullptr), {false, false, false});
    expect_found(with(own.get()), {true, false, false});
    std::filesystem::remove_all(folder_.path());
    return HasFailure() ? 1 : 0;
  };
  // Runs the case in a new process, because a process reads ATC_STORE once.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(check()), testing::ExitedWithCode(0), "");
}

TEST_F(Own, PlansOfTheCacheBelongToAStore) {
  const atc_conv_problem known = problem();
  const Store one = open("one"), two = open("two");
  tune({known}, one);
  EXPECT_EQ(cached(known, with(one.get())).source, ATC_SOURCE_RECORD);
  EXPECT_TRUE(cached(known, with(one.get())).hit);
  const std::int32_t fallback = source(known, with(two.get()));
  EXPECT_NE(fallback, ATC_SOURCE_RECORD);
  for (const atc_conv_options& options : {with(two.get()), with(nullptr), without_store()}) {
    const Cached first = cached(known, options), second = cached(known, options);
    EXPECT_EQ(first.source, fallback);
    EXPECT_FALSE(first.hit);
    EXPECT_EQ(second.source, fallback);
    EXPECT_TRUE(second.hit);
  }
  EXPECT_TRUE(cached(known, with(one.get())).hit) << "the others have taken its place";
}

// A new store object may get the address of a store that was closed. The decisions of the closed
// store must not be used for the new one.
TEST_F(Own, AClosedStoreLeavesNothingToTheNext) {
  const atc_conv_problem known = problem();
  tune({known}, open("full"));
  Store store = open("full");
  const atc_store* const before = store.get();
  EXPECT_EQ(cached(known, with(store.get())).source, ATC_SOURCE_RECORD);
  const std::uint64_t plans = statistics().plans;
  std::size_t same_address = 0;
  for (int turn = 0; turn < 100; ++turn) {
    store.reset();
    store = open("empty");
    same_address += store.get() == before;
    const Cached found = cached(known, with(store.get()));
    EXPECT_NE(found.source, ATC_SOURCE_RECORD);
    EXPECT_FALSE(found.hit);
  }
  RecordProperty("same_address", static_cast<int>(same_address));
  EXPECT_LE(statistics().plans, plans + 1) << "plans of closed stores are dropped";
}

TEST_F(Own, APlanOutlivesTheHandleItWasMadeWith) {
  const atc_conv_problem known = problem();
  Store store = open("full");
  tune({known}, store);
  const atc_conv_options options = with(store.get());
  atc_conv_plan* made = nullptr;
  ASSERT_DONE(atc_conv_plan_create(&made, kCpu, &known, &options));
  const Plan plan(made);
  store.reset();
  Call call(known);
  EXPECT_DONE(call.run(plan.get()));
  EXPECT_EQ(source_of(plan), ATC_SOURCE_RECORD);
}

// A new decision in one store must not remove cached plans that belong to other stores.
TEST_F(Own, AChangeOfOneStoreLeavesThePlansOfOthers) {
  const atc_conv_problem used = problem();
  const Store one = open("one"), two = open("two");
  tune({used}, one);
  cached(used, with(one.get()));
  cached(used, without_store());
  tune({problem()}, two);
  ASSERT_DONE(atc_store_prune(nullptr, two.get(), 0));
  ASSERT_DONE(atc_store_use(two.get()));
  EXPECT_TRUE(cached(used, with(one.get())).hit);
  EXPECT_TRUE(cached(used, without_store()).hit);
  ASSERT_DONE(atc_store_prune(nullptr, one.get(), 0));
  const Cached after = cached(used, with(one.get()));
  EXPECT_FALSE(after.hit);
  EXPECT_NE(after.source, ATC_SOURCE_RECORD);
}

TEST_F(Own, AChangeIsSeenThroughEveryHandleOfADirectory) {
  const atc_conv_problem tuned = problem();
  const Store one = open("same/");  // the folder of this store does not exist yet
  std::filesystem::create_directory_symlink("same", folder_ / "link");
  const Store other = open("link");
  EXPECT_NE(cached(tuned, with(one.get())).source, ATC_SOURCE_RECORD);
  ASSERT_DONE(atc_store_use(one.get()));
  EXPECT_NE(cached(tuned, with(nullptr)).source, ATC_SOURCE_RECORD);
  tune({tuned}, other);
  EXPECT_EQ(cached(tuned, with(one.get())).source, ATC_SOURCE_RECORD);
  EXPECT_EQ(cached(tuned, with(nullptr)).source, ATC_SOURCE_RECORD);
}

TEST_F(Own, AStoreBesideUseStoreOffIsRefused) {
  const Store store = open("store");
  const atc_conv_problem any = problem();
  atc_conv_options options = with(store.get());
  options.use_store = ATC_OFF;
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &any, &options), ATC_ERROR_INVALID_ARGUMENT,
                 "options.use_store", "options.store");
  EXPECT_REFUSED(atc_conv_plan_acquire(&plan, kCpu, &any, &options, nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "options.use_store");
  options.use_store = 7;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &any, &options), ATC_ERROR_INVALID_ARGUMENT,
                 "options.use_store", "7");
  atc_tune_options tuning{};
  tuning.struct_size = sizeof(tuning);
  tuning.store = store.get();
  tuning.use_store = ATC_OFF;
  EXPECT_REFUSED(atc_tune(nullptr, kCpu, &any, 1, &tuning, nullptr, nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "options.use_store", "options.store");
}

// ---- Allocators

TEST_F(Own, AnAllocatorOfAPlanGetsItsOwnMemoryBack) {
  Counting mine, first, second;
  const atc_allocator callbacks = mine.callbacks(), of_process = first.callbacks(),
                      replacement = second.callbacks();
  ASSERT_DONE(atc_allocator_set(&of_process));
  Call call(problem());
  atc_conv_options options = with(nullptr);
  options.allocator = &callbacks;
  atc_conv_plan* made = nullptr;
  ASSERT_DONE(atc_conv_plan_create_with_choice(&made, kCpu, &call.problem, &options, kChoice));
  Plan plan(made);
  // The gate (the check of a candidate against the reference) has allocated memory already. The
  // gate runs once for each kind of problem, so further allocations are made by the execution.
  const std::size_t checked = mine.allocations;
  EXPECT_DONE(call.run(plan.get()));
  EXPECT_EQ(mine.allocations, checked + 1) << "the workspace";
  EXPECT_TRUE(mine.held.empty());
  EXPECT_DONE(atc_conv_plan_set_weights(plan.get(), &call.w.view));
  ASSERT_EQ(mine.held.size(), 1u) << "the weights";
  ASSERT_DONE(atc_allocator_set(&replacement));
  EXPECT_DONE(call.run(plan.get()));
  EXPECT_EQ(mine.held.size(), 1u);
  double sample = 0;
  EXPECT_DONE(atc_conv_plan_sample(&sample, 1, plan.get(), 1));
  plan.reset();
  EXPECT_TRUE(mine.held.empty());
  EXPECT_EQ(mine.foreign + first.foreign + second.foreign, 0u);
  EXPECT_EQ(first.allocations + second.allocations, 0u);
}

TEST_F(Own, ARaceTakesItsMemoryFromTheAllocatorOfTheCall) {
  Counting mine, of_process;
  const atc_allocator callbacks = mine.callbacks(), set = of_process.callbacks();
  ASSERT_DONE(atc_allocator_set(&set));
  atc_conv_options options = without_store(ATC_ON);
  options.allocator = &callbacks;
  EXPECT_EQ(source(problem(), options), ATC_SOURCE_TUNED);
  EXPECT_GT(mine.allocations, 0u);
  EXPECT_TRUE(mine.held.empty());
  EXPECT_EQ(of_process.allocations, 0u);
}

// If a callback of a tuning call executes a plan, the plan uses the allocator of the process and
// not the allocator of the tuning call. Memory of the plan may be used after the tuning call has
// ended.
TEST_F(Own, ACallInsideACallbackUsesTheProcessesAllocator) {
  Counting mine;
  const atc_allocator callbacks = mine.callbacks();
  struct Inner {
    Call call;
    Plan plan;
  } inner{Call(problem()), nullptr};
  atc_conv_plan* made = nullptr;
  ASSERT_DONE(atc_conv_plan_create_with_choice(&made, kCpu, &inner.call.problem, nullptr, kChoice));
  inner.plan.reset(made);
  atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
  options.use_store = ATC_OFF;
  options.allocator = &callbacks;
  const auto convolve = [](const atc_tune_progress* progress, void* payload) -> std::int32_t {
    // The report with the fraction 1 is the last one. It is made after the race, so it is left out.
    if (progress->problem_fraction == 1) return 0;
    auto& [call, plan] = *static_cast<Inner*>(payload);
    return call.run(plan.get());
  };
  const atc_conv_problem tuned = problem();
  EXPECT_DONE(atc_tune(nullptr, kCpu, &tuned, 1, &options, convolve, &inner));
  EXPECT_GT(mine.allocations, 0u);
  EXPECT_TRUE(mine.held.empty());
}

// A plan in the cache has no allocator of its own. So each acquisition of the plan passes the
// allocator that the plan uses until it is released.
TEST_F(Own, APlanOfTheCacheUsesTheAllocatorOfItsCaller) {
  Counting mine, other;
  Call call(problem());
  atc_conv_options options = without_store();
  // For a front end of this name, the test's engine "pointwise" is the default engine, so it runs
  // without tuning. It needs a workspace.
  std::strcpy(options.front_end, "pointwise");
  const auto run = [&](Counting* user) {
    const atc_allocator callbacks = user == nullptr ? atc_allocator{} : user->callbacks();
    options.allocator = user == nullptr ? nullptr : &callbacks;
    atc_conv_plan* plan = nullptr;
    ASSERT_DONE(atc_conv_plan_acquire(&plan, kCpu, &call.problem, &options, nullptr));
    EXPECT_DONE(call.run(plan));
    atc_conv_plan_release(plan);
  };
  run(&mine);
  // The first run has allocated memory for the workspace, and for the gate (the check of a
  // candidate against the reference).
  const std::size_t made = mine.allocations;
  EXPECT_GE(made, 1u);
  const std::uint64_t before = hits();
  run(&other);
  run(nullptr);
  EXPECT_EQ(hits(), before + 2);
  EXPECT_EQ(mine.allocations, made);
  EXPECT_EQ(other.allocations, 1u);
  EXPECT_TRUE(mine.held.empty() && other.held.empty());
}

TEST_F(Own, ABadAllocatorIsRefusedByItsName) {
  const atc_conv_problem any = problem();
  Counting mine;
  atc_allocator callbacks = mine.callbacks();
  atc_conv_options options = with(nullptr);
  options.allocator = &callbacks;
  callbacks.free = nullptr;
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &any, &options), ATC_ERROR_INVALID_ARGUMENT,
                 "options.allocator.free", "missing");
  callbacks = mine.callbacks();
  callbacks.device_type = 9;
  EXPECT_REFUSED(atc_conv_plan_acquire(&plan, kCpu, &any, &options, nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "options.allocator.device_type", "9");
  callbacks = mine.callbacks();
  callbacks.destroy = [](void*) {};
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &any, &options), ATC_ERROR_INVALID_ARGUMENT,
                 "options.allocator.destroy", "leave it out");
}

}  // namespace
