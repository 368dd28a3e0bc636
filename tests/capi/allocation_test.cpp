// Tests that executing a plan allocates no memory, apart from the memory that the engine itself
// allocates. The test's engine does nothing, so malloc must not be called at all.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "conv_call.hpp"

namespace {
std::atomic<bool> counting{false};
std::atomic<int> allocations{0};
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" void* malloc(std::size_t size) {
  using Malloc = void* (*)(std::size_t);
  static const auto next = reinterpret_cast<Malloc>(dlsym(RTLD_NEXT, "malloc"));
  if (counting.load(std::memory_order_relaxed)) ++allocations;
  return next(size);
}
#endif

namespace {

using namespace atc_test;

extern "C" {
static atc_status idle_offers(void*, const atc_conv_problem*, const atc_engine_limits*,
                              atc_offer_callback offer, void* payload) {
  atc_engine_offer made{};
  made.struct_size = sizeof(made);
  made.configuration = "idle";
  return offer(&made, payload);
}
static atc_status idle_prepare(void** prepared, void* user, const atc_conv_problem*,
                               const atc_engine_limits*, const char*) {
  *prepared = user;
  return ATC_OK;
}
static atc_status idle_execute(void*, void*, atc_engine_operands*) { return ATC_OK; }
static void idle_release(void*, void*) {}
}

TEST(Allocation, ExecutingAPlanAllocatesNothing) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has malloc for itself";
#endif
  // Turns off the gate (the check of a candidate's results against the reference). The gate would
  // refuse the test's engine, because this engine writes no results.
  setenv("ATC_CHECK_RECORDS", "never", 1);
  atc_engine engine{};
  engine.struct_size = sizeof(engine);
  engine.device_type = ATC_DEVICE_CPU;
  engine.name = "idle";
  engine.version = "1";
  engine.user = &engine;
  engine.offers = idle_offers;
  engine.prepare = idle_prepare;
  engine.execute = idle_execute;
  engine.release = idle_release;
  ASSERT_EQ(atc_engine_register(&engine), ATC_OK) << atc_last_error();
  Call call(small_problem());
  atc_conv_plan* plan = nullptr;
  ASSERT_EQ(atc_conv_plan_create_with_choice(&plan, kCpu, &call.problem, nullptr, "idle@1:idle"),
            ATC_OK)
      << atc_last_error();
  ASSERT_EQ(call.run(plan), ATC_OK);

  counting = true;
  const std::string proof(100, 'x');  // this string allocates memory, which the counter must see
  counting = false;
  ASSERT_GE(allocations.exchange(0), 1) << "the counter counts nothing";
  ASSERT_EQ(proof.size(), 100u);

  counting = true;
  for (int i = 0; i < 100; ++i) call.run(plan);
  counting = false;
  EXPECT_EQ(allocations.load(), 0);
  atc_conv_plan_destroy(plan);
  EXPECT_EQ(atc_engine_unregister("idle"), ATC_OK) << atc_last_error();
}

}  // namespace
