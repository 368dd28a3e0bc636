// Tests several kinds of CUDA drivers, and the state of the driver after a fork. Stubs in a folder
// of the library path replace the driver. Each case runs in a child process, because a process
// loads the driver once.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "cuda_calls.hpp"
#include "support/child.hpp"

namespace {

using atc::test::in_child;
using atc_test::expect_cuda_convolutions_refused;
using atc_test::expect_the_cpu_to_convolve;
using atc_test::kCuda;
using atc_test::library;
using testing::HasSubstr;

std::int32_t device_count() {
  std::int32_t count = -1;
  EXPECT_DONE(atc_cuda_device_count(&count));
  return count;
}

bool is_available() {
  std::int32_t available = -1;
  EXPECT_DONE(atc_cuda_is_available(&available));
  return available != 0;
}

void expect_no_devices(const char* reason) {
  EXPECT_EQ(device_count(), 0);
  EXPECT_FALSE(is_available());
  EXPECT_THAT(library("CUDA driver").note, HasSubstr(reason));
  atc_device_info info{};
  info.struct_size = sizeof(info);
  EXPECT_REFUSED(atc_device_describe(&info, kCuda), ATC_ERROR_INVALID_ARGUMENT, "device.index", "0",
                 reason);
  for (const std::int32_t index : {-1, 0, 3}) EXPECT_DONE(atc_synchronize(index));
}

// Runs `check` in a child process that loads the stub driver in `folder`. ATC_STUB_DRIVER is set to
// `kind`, which selects the behaviour of the stub.
void with_driver(const std::string& folder, const char* kind, const std::function<void()>& check) {
  in_child([&] {
    setenv("ATC_STUB_DRIVER", kind, 1);
    ASSERT_DONE(atc_set_library_path(folder.c_str()));
    check();
  });
}

#ifdef ATC_TEST_CUDA_BUILD

TEST(Driver, ShowsItsDevices) {
  with_driver(ATC_TEST_DRIVER, "", [] {
    EXPECT_EQ(device_count(), 2);
    EXPECT_TRUE(is_available());
    atc_device_info info{};
    info.struct_size = sizeof(info);
    ASSERT_DONE(atc_device_describe(&info, {ATC_DEVICE_CUDA, 0}));
    EXPECT_STREQ(info.name, "Stub 100");
    EXPECT_STREQ(info.isa, "");
    EXPECT_EQ(info.compute_units, 11);
    EXPECT_EQ(info.cache_bytes, std::uint64_t{3} << 20);
    EXPECT_EQ(info.memory_bytes, std::uint64_t{5} << 30);
    EXPECT_EQ(info.compute_major, 9);
    EXPECT_EQ(info.compute_minor, 1);
    ASSERT_DONE(atc_device_describe(&info, {ATC_DEVICE_CUDA, 1}));
    EXPECT_STREQ(info.name, "Stub 200");
    EXPECT_EQ(info.compute_units, 22);
    EXPECT_EQ(info.cache_bytes, std::uint64_t{7} << 20);
    EXPECT_EQ(info.memory_bytes, std::uint64_t{9} << 30);
    EXPECT_EQ(info.compute_major, 10);
    EXPECT_EQ(info.compute_minor, 3);
    EXPECT_REFUSED(atc_device_describe(&info, {ATC_DEVICE_CUDA, 2}), ATC_ERROR_INVALID_ARGUMENT,
                   "device.index is 2", "2 usable");
    for (const std::int32_t index : {-1, 0, 1}) EXPECT_DONE(atc_synchronize(index));
    EXPECT_REFUSED(atc_synchronize(2), ATC_ERROR_INVALID_ARGUMENT, "index is 2", "2 usable");
  });
}

TEST(Driver, IsDescribed) {
  with_driver(ATC_TEST_DRIVER, "", [] {
    const atc_library_info driver = library("CUDA driver");
    EXPECT_EQ(driver.loaded, 1);
    EXPECT_STREQ(driver.version, "12.8");
    EXPECT_EQ(driver.file, std::string(ATC_TEST_DRIVER "/libcuda.so.1"));
    EXPECT_STREQ(driver.note, "");
    const atc_library_info cudnn = library("cuDNN");
    EXPECT_EQ(cudnn.loaded, 0);
    EXPECT_THAT(std::string(cudnn.note), HasSubstr("libcudnn.so.9 was not found"));
  });
}

TEST(Driver, IsFoundByTheEnvironmentToo) {
  setenv("ATC_LIBRARY_PATH", "/nowhere:" ATC_TEST_DRIVER, 1);
  in_child([] { EXPECT_EQ(device_count(), 2); });
  unsetenv("ATC_LIBRARY_PATH");
}

TEST(Driver, IsLookedForOnce) {
  with_driver(ATC_TEST_DRIVER, "", [] {
    EXPECT_EQ(device_count(), 2);
    setenv("ATC_STUB_DRIVER", "refuses", 1);
    EXPECT_EQ(device_count(), 2);
    EXPECT_REFUSED(atc_set_library_path("/nowhere"), ATC_ERROR_BUSY, "/nowhere", ATC_TEST_DRIVER);
  });
}

TEST(Driver, MayHaveNoDevice) {
  with_driver(ATC_TEST_DRIVER, "none", [] {
    expect_no_devices("no device");
    EXPECT_EQ(library("CUDA driver").loaded, 1);
    EXPECT_STREQ(library("CUDA driver").version, "12.8");
    // The parent process had not called the driver before the fork, so the child may open the
    // driver itself.
    in_child([] { expect_no_devices("no device"); });
  });
}

TEST(Driver, MayRefuse) {
  with_driver(ATC_TEST_DRIVER, "refuses", [] {
    expect_no_devices("999");
    in_child([] { expect_no_devices("999"); });
  });
}

TEST(Driver, MayLackAFunction) {
  with_driver(ATC_TEST_OLD_DRIVER, "", [] { expect_no_devices("lacks functions"); });
}

void expect_cuda_lost() {
  constexpr const char* kReason = "does not survive a fork";
  expect_cuda_convolutions_refused(ATC_ERROR_DEVICE, kReason);
  const atc_conv_problem problem = atc_test::small_problem();
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(
      atc_conv_plan_create_with_choice(&plan, kCuda, &problem, nullptr, "reference@1:direct"),
      ATC_ERROR_DEVICE, "cuda:0", kReason);
  EXPECT_EQ(plan, nullptr);
  atc_device_info info{};
  info.struct_size = sizeof(info);
  for (const std::int32_t index : {0, 1, 2})
    EXPECT_REFUSED(atc_device_describe(&info, {ATC_DEVICE_CUDA, index}), ATC_ERROR_DEVICE,
                   std::to_string(index).c_str(), kReason);
  for (const std::int32_t index : {-1, 0, 7})
    EXPECT_REFUSED(atc_synchronize(index), ATC_ERROR_DEVICE, std::to_string(index).c_str(),
                   kReason);
  EXPECT_REFUSED(atc_synchronize(-2), ATC_ERROR_INVALID_ARGUMENT, "index is -2");
  EXPECT_EQ(device_count(), 0);
  EXPECT_FALSE(is_available());
  const atc_library_info driver = library("CUDA driver");
  EXPECT_EQ(driver.loaded, 1);
  EXPECT_THAT(driver.note, HasSubstr(kReason));
  EXPECT_THAT(library("cuDNN").note, HasSubstr("no CUDA device can be used"));
  EXPECT_DONE(atc_manual_seed_all(7));
}

TEST(Driver, IsLostInAFork) {
  with_driver(ATC_TEST_DRIVER, "", [] {
    EXPECT_EQ(device_count(), 2);
    expect_cuda_convolutions_refused(ATC_ERROR_LIBRARY, "libcudnn.so.9 was not found");
    expect_the_cpu_to_convolve();
    in_child([] {
      expect_cuda_lost();
      expect_the_cpu_to_convolve();
      in_child(expect_cuda_lost);
    });
    // The fork does not affect the parent process: it can still use its driver.
    EXPECT_EQ(device_count(), 2);
    EXPECT_DONE(atc_synchronize(1));
  });
}

// The parent process has not opened the driver, so a forked child may open it. If this child then
// forks, its own child cannot use CUDA.
TEST(Driver, MayBeOpenedFirstInAChild) {
  with_driver(ATC_TEST_DRIVER, "", [] {
    in_child([] {
      expect_cuda_convolutions_refused(ATC_ERROR_LIBRARY, "libcudnn.so.9 was not found");
      EXPECT_EQ(device_count(), 2);
      in_child(expect_cuda_lost);
    });
    EXPECT_EQ(device_count(), 2);
  });
}

#else

TEST(Driver, IsNotOpenedByABuildWithoutCuda) {
  for (const char* folder : {ATC_TEST_DRIVER, ATC_TEST_OLD_DRIVER})
    with_driver(folder, "", [] {
      expect_no_devices("ATC_CUDA=OFF");
      expect_the_cpu_to_convolve();
      std::ifstream maps("/proc/self/maps");
      for (std::string line; std::getline(maps, line);)
        EXPECT_THAT(line, testing::Not(HasSubstr("libcuda")));
      in_child([] { expect_no_devices("ATC_CUDA=OFF"); });
    });
}

#endif

}  // namespace
