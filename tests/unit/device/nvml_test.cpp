// Tests NVML's readings of a device, and CUDA contexts of several devices. A stub of the driver
// with two devices and a stub of NVML replace the libraries. Each case runs in a child process,
// because a process loads the libraries only once.
#include "device/cuda/nvml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "core/error.hpp"
#include "core/settings.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"
#include "support/child.hpp"

namespace atc::cuda {
namespace {

using test::in_child;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kIdle = 0x1, kApplicationClocks = 0x2, kPowerCap = 0x4,
                        kHardwareSlowdown = 0x8, kSyncBoost = 0x10, kSoftwareThermal = 0x20,
                        kHardwareThermal = 0x40, kPowerBrake = 0x80, kDisplayClocks = 0x100;

void with_stubs(const std::string& nvml, const std::function<void()>& check) {
  in_child([&] {
    set_library_path(std::string(ATC_TEST_DRIVER ":" ATC_TEST_STUBS "/") + nvml);
    check();
  });
}

void set_reasons(std::uint64_t reasons) {
  setenv("ATC_STUB_NVML_REASONS", std::to_string(reasons).c_str(), 1);
}

TEST(Nvml, ASteadyPowerCapIsNoBrake) {
  for (const std::uint64_t normal : {std::uint64_t{0}, kIdle, kApplicationClocks, kPowerCap,
                                     kSyncBoost, kDisplayClocks, kPowerCap | kApplicationClocks})
    EXPECT_FALSE(is_braked(normal)) << normal;
  for (const std::uint64_t brake :
       {kHardwareSlowdown, kSoftwareThermal, kHardwareThermal, kPowerBrake})
    for (const std::uint64_t beside : {std::uint64_t{0}, kPowerCap})
      EXPECT_TRUE(is_braked(brake | beside)) << (brake | beside);
}

TEST(Nvml, LimitsOfTheClocksHaveWords) {
  EXPECT_THAT(limits_of(kIdle | kApplicationClocks | kSyncBoost | kDisplayClocks), IsEmpty());
  EXPECT_THAT(limits_of(kPowerCap | kHardwareSlowdown | kSoftwareThermal | kIdle),
              ElementsAre("power cap", "hardware slowdown", "software thermal slowdown"));
  EXPECT_THAT(limits_of(kHardwareThermal | kPowerBrake),
              ElementsAre("hardware thermal slowdown", "power brake"));
}

TEST(Monitor, SeesTheBrakesOfItsOwnDevice) {
  // NVML has a function that returns the reasons why the device has lowered its clocks. The
  // function has an older and a newer name. There is a stub of NVML for each name.
  for (const char* kind : {"nvml", "nvml_old"})
    with_stubs(kind, [] {
      set_reasons(kSoftwareThermal);
      Monitor first(0), second(1);
      EXPECT_FALSE(first.braked(0));
      EXPECT_TRUE(second.braked(0));
    });
}

TEST(Monitor, AsksAgainAfterAMoment) {
  with_stubs("nvml", [] {
    set_reasons(kHardwareThermal);
    Monitor monitor(1);
    EXPECT_TRUE(monitor.braked(100));
    set_reasons(kPowerCap);
    EXPECT_TRUE(monitor.braked(100.001));
    EXPECT_FALSE(monitor.braked(101));
  });
}

TEST(Monitor, KeepsTheLimitsThatItHasSeenAndNoOthers) {
  with_stubs("nvml", [] {
    set_reasons(kHardwareThermal);
    Monitor monitor(1);
    EXPECT_THAT(monitor.conditions().clocks_limited_by, IsEmpty());
    monitor.braked(0);
    set_reasons(kPowerBrake);
    // this call comes too early after the last reading, so NVML is not read again
    monitor.braked(0.001);
    set_reasons(kPowerCap);
    monitor.braked(1);
    set_reasons(0);
    EXPECT_FALSE(monitor.braked(2));
    EXPECT_THAT(monitor.conditions().clocks_limited_by,
                ElementsAre("power cap", "hardware thermal slowdown"));
    EXPECT_THAT(Monitor(1).conditions().clocks_limited_by, IsEmpty());
  });
}

TEST(Monitor, TellsTheConditionsOfItsOwnDevice) {
  with_stubs("nvml", [] {
    const Conditions second = Monitor(1).conditions();
    EXPECT_EQ(second.driver, "580.12.34");
    EXPECT_EQ(second.power_limit_watts, 700);
    EXPECT_EQ(second.temperature_celsius, 43);
    EXPECT_EQ(second.clock_hz, 1.98e9);
    EXPECT_EQ(second.memory_clock_hz, 2.98e9);
    const Conditions first = Monitor(0).conditions();
    EXPECT_EQ(first.power_limit_watts, 350);
    // The library that replaces NVML in this test returns an error for the temperature of this
    // device.
    EXPECT_EQ(first.temperature_celsius, std::nullopt);
  });
}

TEST(Monitor, WithoutNvmlNothingIsMarkedAndNothingKnown) {
  setenv("ATC_STUB_NVML", "refuses", 1);
  with_stubs("nvml", [] {
    set_reasons(kHardwareThermal);
    Monitor monitor(1);
    EXPECT_FALSE(monitor.braked(0));
    EXPECT_EQ(monitor.conditions().driver, "");
    EXPECT_EQ(monitor.conditions().power_limit_watts, std::nullopt);
  });
  unsetenv("ATC_STUB_NVML");
}

// Returns the CUDA driver's handle for the device of the current context.
int current_device() {
  int device = -1;
  return driver().api.context_device(&device) == kSuccess ? device : -1;
}

int handle_of(int index) {
  int device = -1;
  EXPECT_EQ(driver().api.device_get(&device, index), kSuccess);
  return device;
}

TEST(ContextScope, IsOfTheDeviceThatIsAskedForAndEndsWithTheCallers) {
  with_stubs("nvml", [] {
    const int first = handle_of(0), second = handle_of(1);
    ASSERT_NE(first, second);
    EXPECT_EQ(current_device(), -1);
    {
      const ContextScope outer(1);
      EXPECT_EQ(current_device(), second);
      {
        const ContextScope inner(0);
        EXPECT_EQ(current_device(), first);
        EXPECT_NE(inner.context(), outer.context());
        // A context of the device 0 is already current, so ContextScope must use this context.
        const ContextScope same(0);
        EXPECT_EQ(same.context(), inner.context());
      }
      EXPECT_EQ(current_device(), second);
    }
    EXPECT_EQ(current_device(), -1);
    for (const int index : {-1, 2}) EXPECT_THROW(ContextScope{index}, Error);
  });
}

}  // namespace
}  // namespace atc::cuda
