// Tests traces that start and stop while other threads convolve. A trace counts the calls of each
// problem.
#include <atomic>
#include <thread>

#include "conv_call.hpp"
#include "status.hpp"

namespace {

using namespace atc_test;

constexpr int kThreads = 4;

std::uint64_t stop() {
  atc_trace* trace = nullptr;
  EXPECT_DONE(atc_trace_stop(&trace));
  std::size_t rows = 0;
  EXPECT_DONE(atc_trace_row_count(&rows, trace));
  atc_trace_row total = ATC_TRACE_ROW_INIT;
  EXPECT_DONE(atc_trace_row_get(&total, trace, rows - 1));
  atc_trace_destroy(trace);
  EXPECT_LE(total.timed, total.calls);
  return total.calls;
}

// One round of a thread: three calls, each of which a running trace counts.
void convolve(Call& call, atc_conv_plan* plan) {
  EXPECT_DONE(call.run(plan));
  EXPECT_DONE(call.eager());
  atc_trace_call* reported = nullptr;
  EXPECT_DONE(atc_trace_call_begin(&reported, kCpu, &call.problem, "front end", nullptr));
  atc_trace_call_end(reported);
}

template <typename Body>
void on_threads(const Body& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      Call call(small_problem());
      atc_conv_plan* plan = nullptr;
      EXPECT_DONE(atc_conv_plan_create(&plan, kCpu, &call.problem, nullptr));
      body(call, plan);
      atc_conv_plan_destroy(plan);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(TraceThreads, CountEachCall) {
  constexpr int kRounds = 50;
  EXPECT_DONE(atc_trace_start(nullptr));
  on_threads([](Call& call, atc_conv_plan* plan) {
    for (int i = 0; i < kRounds; ++i) convolve(call, plan);
  });
  EXPECT_EQ(stop(), std::uint64_t{3} * kThreads * kRounds);
}

TEST(TraceThreads, MayStartAndStopBesideThem) {
  std::atomic<bool> done{false};
  std::thread tracing([&] {
    for (int i = 0; i < 30; ++i) {
      EXPECT_DONE(atc_trace_start(nullptr));
      std::this_thread::yield();
      stop();
    }
    done = true;
  });
  on_threads([&](Call& call, atc_conv_plan* plan) {
    while (!done) convolve(call, plan);
  });
  tracing.join();
}

}  // namespace
