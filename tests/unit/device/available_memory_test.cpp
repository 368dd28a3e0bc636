// Tests available_memory(), which looks for all limits of the memory of this process (cgroups,
// rlimits). Files of the test replace those of the system (/proc, /sys).
#include "device/available_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/child.hpp"
#include "support/temp_folder.hpp"

namespace atc {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class AvailableMemoryTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void SetUp() override {
    write("proc/meminfo", "MemTotal:  9000000 kB\nMemAvailable:  2048000 kB\nBuffers: 1 kB\n");
  }
  AvailableMemory get() const { return available_memory(root_.path().string()); }

  const test::TempFolder root_;
};

TEST_F(AvailableMemoryTest, IsTheMachinesWithoutCgroups) {
  EXPECT_EQ(get().bytes, 2000 * kMiB);
  EXPECT_EQ(get().limit, "MemAvailable");
}

TEST_F(AvailableMemoryTest, IsBoundedByTheCgroup) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", std::to_string(400 * kMiB) + "\n");
  write("sys/fs/cgroup/a/b/memory.current", std::to_string(150 * kMiB) + "\n");
  write("sys/fs/cgroup/a/b/memory.stat",
        "anon 5\ninactive_file " + std::to_string(50 * kMiB) + "\nfile 7\n");
  EXPECT_EQ(get().bytes, 300 * kMiB);
  EXPECT_EQ(get().limit, "memory.max of the cgroup /a/b");
}

TEST_F(AvailableMemoryTest, IsBoundedByACgroupAbove) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/b/memory.current", "1000\n");
  write("sys/fs/cgroup/a/memory.max", std::to_string(100 * kMiB));
  write("sys/fs/cgroup/a/memory.current", std::to_string(100 * kMiB + 1));
  EXPECT_EQ(get().bytes, 0U);
  EXPECT_EQ(get().limit, "memory.max of the cgroup /a");
}

TEST_F(AvailableMemoryTest, KnowsVersion1) {
  write("proc/self/cgroup", "5:cpu,memory:/docker/1\n0::/\n");
  // In a container, the path in proc/self/cgroup is a path on the host, and does not exist. The
  // files of the container's cgroup lie directly in the mounted folder.
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(64 * kMiB));
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(24 * kMiB));
  write("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 0\n");
  EXPECT_EQ(get().bytes, 40 * kMiB);
  EXPECT_EQ(get().limit, "memory.limit_in_bytes of the cgroup /");
}

TEST_F(AvailableMemoryTest, WhatMakesNoSenseLimitsNothing) {
  write("proc/self/cgroup", "\n:::\n0:\nmemory\n0::relative\n3:memory:\n");
  EXPECT_EQ(get().bytes, 2000 * kMiB);
  write("proc/meminfo", "MemAvailable:\n");
  EXPECT_GT(get().bytes, std::uint64_t{1} << 62);
}

TEST_F(AvailableMemoryTest, IsBoundedByTheLimitsOfTheProcess) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's shadow has terabytes of address space";
#endif
  test::in_child([] {
    const std::uint64_t before = available_memory().bytes;
    const rlimit limit{100 * kMiB, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
    const AvailableMemory after = available_memory();
    EXPECT_LT(after.bytes, 100 * kMiB);
    EXPECT_LE(after.bytes, before);
    EXPECT_EQ(after.limit, "RLIMIT_DATA");
  });
}

}  // namespace
}  // namespace atc
