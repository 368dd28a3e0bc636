// Tests traces on a device. A trace counts the calls of a program and times some of them. The tests
// check which calls are timed, by which events, and when these events are destroyed.
#include <algorithm>

#include "capi/trace_calls.hpp"
#include "fault/support.hpp"

namespace atc::fault {
namespace {

using namespace atc_test;

// The largest relative error that a time may have. Times are rounded, because the driver returns
// milliseconds in single precision.
constexpr double kRounding = 1e-6;
// The times of an execution of the simulated cuDNN engines (usual_script()), in seconds.
constexpr double kSlow = 20e-3, kFast = 10e-3;

using Plan = std::unique_ptr<atc_conv_plan, PlanDeleter>;

Plan plan_of(const Layer& layer, std::int64_t engine) {
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(atc_conv_plan_create_with_choice(&plan, kCuda, &layer.call.problem, nullptr,
                                               choice_of(engine).c_str()));
  return Plan(plan);
}

void run(Layer& layer, const Plan& plan, int calls, const void* stream = nullptr) {
  for (int i = 0; i < calls; ++i)
    EXPECT_DONE(layer.call.run(plan.get(), static_cast<atc_stream>(const_cast<void*>(stream))));
}

std::ptrdiff_t calls_of(const std::string& name) {
  const auto calls = machine().calls(Part::driver);
  return std::count(calls.begin(), calls.end(), name);
}

std::int64_t events_alive() { return machine().alive()["event"]; }

TEST(DeviceTrace, HasTheTimesOfTheDevice) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const Plan slow = plan_of(layer, kFirst), fast = plan_of(layer, kFastest);
    start(nullptr, 1);
    run(layer, fast, 7);
    run(layer, slow, 5);
    const Trace trace = stop();
    const auto rows = rows_of(trace);
    ASSERT_EQ(rows.size(), 5u);
    EXPECT_EQ(rows[0].device.type, ATC_DEVICE_CUDA);
    EXPECT_EQ(rows[0].choice, choice_of(kFirst));
    EXPECT_EQ(rows[0].calls, 5u);
    EXPECT_EQ(rows[0].timed, 5u);
    EXPECT_EQ(rows[1].choice, choice_of(kFastest));
    EXPECT_EQ(rows[1].timed, 7u);
    for (const double time : {rows[0].min, rows[0].mean, rows[0].max})
      EXPECT_NEAR(time, kSlow, kSlow * kRounding);
    EXPECT_NEAR(rows[1].mean, kFast, kFast * kRounding);
    EXPECT_NEAR(rows[4].total, 5 * kSlow + 7 * kFast, kRounding);
    EXPECT_EQ(events_alive(), 0);
  });
}

TEST(DeviceTrace, TimesEachEighthCallByDefault) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const Plan plan = plan_of(layer, kFirst);
    start();
    machine().listen();
    run(layer, plan, 1);
    EXPECT_EQ(calls_of("cuEventRecord"), 3) << "with the one of the clock";
    run(layer, plan, 7);
    EXPECT_EQ(calls_of("cuEventRecord"), 3) << "a call that is only counted makes no event";
    run(layer, plan, 9);
    EXPECT_EQ(calls_of("cuEventRecord"), 7);
    const auto total = rows_of(stop()).back();
    EXPECT_EQ(total.calls, 17u);
    EXPECT_EQ(total.timed, 3u);
  });
}

TEST(DeviceTrace, DoesNotTimeCapturedCalls) {
  on_machine(usual_script(), [] {
    static constexpr char kStream = 0;
    Layer layer(tiny_problem());
    const Plan plan = plan_of(layer, kFirst);
    start(nullptr, 1);
    machine().script.captures[&kStream] = 1;
    machine().listen();
    run(layer, plan, 3, &kStream);
    EXPECT_EQ(calls_of("cuEventRecord"), 0);
    machine().script.captures.clear();
    run(layer, plan, 2);
    const auto total = rows_of(stop()).back();
    EXPECT_EQ(total.calls, 5u);
    EXPECT_EQ(total.timed, 2u);
    machine().graphs.destroy(1);
  });
}

// In this test the host issues all calls before the device has finished one of them. So each timed
// call needs its own events. The trace must limit the number of events.
TEST(DeviceTrace, KeepsABoundedNumberOfEvents) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const Plan plan = plan_of(layer, kFirst);
    start(nullptr, 1);
    machine().listen();
    run(layer, plan, 400);
    EXPECT_EQ(calls_of("cuEventSynchronize"), 1) << "the one of the clock";
    EXPECT_EQ(events_alive(), 2 * 256 + 1);
    const auto total = rows_of(stop()).back();
    EXPECT_EQ(total.calls, 400u);
    EXPECT_EQ(total.timed, 256u);
    EXPECT_NEAR(total.mean, kSlow, kSlow * kRounding);
    EXPECT_EQ(events_alive(), 0);
  });
}

TEST(DeviceTrace, UsesItsEventsAgain) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const Plan plan = plan_of(layer, kFirst);
    start(nullptr, 1);
    for (int i = 0; i < 300; ++i) {
      run(layer, plan, 1);
      EXPECT_DONE(atc_synchronize(0));
    }
    EXPECT_LE(events_alive(), 5);
    EXPECT_EQ(rows_of(stop()).back().timed, 300u);
  });
}

TEST(DeviceTrace, TimesTheCallsThatFrontEndsReport) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    start();
    for (int i = 0; i < 9; ++i) {
      atc_trace_call* call = nullptr;
      EXPECT_DONE(atc_trace_call_begin(&call, kCuda, &layer.call.problem, "libtorch", nullptr));
      EXPECT_EQ(call != nullptr, i % 8 == 0);
      machine().work(3e-3);
      atc_trace_call_end(call);
    }
    const Trace trace = stop();
    const auto rows = rows_of(trace);
    EXPECT_STREQ(rows[0].choice, "libtorch");
    EXPECT_EQ(rows[0].calls, 9u);
    EXPECT_EQ(rows[0].timed, 2u);
    EXPECT_NEAR(rows[0].mean, 3e-3, 3e-3 * kRounding);
  });
}

// If a trace is stopped while a call runs, the events of this call must be freed when the call
// ends.
TEST(DeviceTrace, LeavesNoEventOfACallThatOutlivesIt) {
  on_machine(usual_script(), [] {
    start();
    atc_trace_call* call = nullptr;
    EXPECT_DONE(atc_trace_call_begin(&call, kCuda, nullptr, "libtorch", nullptr));
    EXPECT_EQ(calls_of(stop()), 1u);
    EXPECT_GT(events_alive(), 0);
    atc_trace_call_end(call);
    EXPECT_EQ(events_alive(), 0);
  });
}

// A trace calls functions of the driver. The test lets each of these functions fail once. The
// convolutions must succeed, and nothing may leak. All calls must be timed, except those that the
// failure concerns.
TEST(DeviceTrace, MeetsFaultsOfTheDriverAlone) {
  for (const char* const name : {"cuEventCreate", "cuEventRecord", "cuEventQuery",
                                 "cuEventElapsedTime", "cuEventSynchronize", "cuStreamCreate",
                                 "cuStreamIsCapturing", "cuThreadExchangeStreamCaptureMode"}) {
    SCOPED_TRACE(name);
    on_each_machine(usual_script(), [&] {
      Layer layer(tiny_problem());
      const Plan plan = plan_of(layer, kFirst);
      start(nullptr, 1);
      machine().break_call({Part::driver, 1, name, 999, false});
      run(layer, plan, 20);
      machine().mend();
      layer.expect_right();
      const auto total = rows_of(stop()).back();
      EXPECT_EQ(total.calls, 20u);
      EXPECT_GE(total.timed, 18u);
      EXPECT_LE(total.timed, 20u);
      EXPECT_EQ(events_alive(), 0);
    });
  }
}

// The device runs the 20 calls without gaps between them. The timeline of the trace must show them
// without gaps.
TEST(DeviceTrace, PlacesCallsByTheDevicesClock) {
  Script script = usual_script();
  // A trace measures times on the device from an event, its base, and replaces the base after some
  // seconds. The calls of this test take so long that this happens several times.
  engine(script, kFirst).seconds = 0.4;
  on_machine(script, [] {
    Layer layer(tiny_problem());
    const Plan plan = plan_of(layer, kFirst);
    start(nullptr, 1);
    run(layer, plan, 20);
    const std::string file = text_of(stop(), ATC_TRACE_JSON);
    std::vector<double> starts;
    for (std::size_t at = file.find("\"ts\":"); at != std::string::npos;
         at = file.find("\"ts\":", at + 1))
      starts.push_back(std::stod(file.substr(at + 5)));
    ASSERT_EQ(starts.size(), 20u);
    for (std::size_t i = 1; i < starts.size(); ++i)
      EXPECT_NEAR(starts[i] - starts[i - 1], 0.4e6, 1);
  });
}

}  // namespace
}  // namespace atc::fault
