// Tests each switch with its getter, the snapshot of all settings, and the settings of a
// reproducible run.
#include <climits>
#include <cstddef>
#include <cstring>

#include "status.hpp"

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Returns the settings of a process that has changed none of them.
atc_settings defaults() {
  atc_settings settings{};
  settings.struct_size = sizeof(settings);
  settings.benchmark_limit_cudnn = 10;
  settings.user_enabled_cudnn = 1;
  settings.deterministic_algorithms = ATC_DETERMINISTIC_ALGORITHMS_OFF;
  settings.allow_tf32_cudnn = 1;
  settings.benchmark_technique = ATC_TECHNIQUE_INTERLEAVED;
  settings.workspace_limit = 1024 * kMiB;
  return settings;
}

atc_settings in_force() {
  atc_settings settings{};
  settings.struct_size = sizeof(settings);
  EXPECT_DONE(atc_settings_get(&settings));
  return settings;
}

// Compares the bytes of two snapshots. This is right because the struct has no padding (abi tests
// check its golden size).
bool equal(const atc_settings& a, const atc_settings& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

class SettingsTest : public testing::Test {
 protected:
  void TearDown() override {
    const atc_settings settings = defaults();
    ASSERT_DONE(atc_settings_apply(&settings));
  }
};

TEST_F(SettingsTest, DefaultsAreLibTorchs) {
  std::int32_t flag = -1;
  EXPECT_DONE(atc_get_benchmark_cudnn(&flag));
  EXPECT_EQ(flag, 0);
  EXPECT_DONE(atc_get_benchmark_limit_cudnn(&flag));
  EXPECT_EQ(flag, 10);
  EXPECT_DONE(atc_get_user_enabled_cudnn(&flag));
  EXPECT_EQ(flag, 1);
  EXPECT_DONE(atc_get_deterministic_cudnn(&flag));
  EXPECT_EQ(flag, 0);
  EXPECT_DONE(atc_get_deterministic_algorithms(&flag));
  EXPECT_EQ(flag, ATC_DETERMINISTIC_ALGORITHMS_OFF);
  EXPECT_DONE(atc_get_allow_tf32_cudnn(&flag));
  EXPECT_EQ(flag, 1);
  EXPECT_DONE(atc_get_benchmark_technique(&flag));
  EXPECT_EQ(flag, ATC_TECHNIQUE_INTERLEAVED);
  std::uint64_t limit = 0;
  EXPECT_DONE(atc_get_workspace_limit(&limit));
  EXPECT_EQ(limit, 1024 * kMiB);
  const char* path = nullptr;
  EXPECT_DONE(atc_get_library_path(&path));
  EXPECT_STREQ(path, "");
}

struct Switch {
  const char* name;
  atc_status (*set)(std::int32_t) noexcept;
  atc_status (*get)(std::int32_t*) noexcept;
  std::vector<std::int32_t> good, bad;
  std::int32_t atc_settings::*field;
};

void PrintTo(const Switch& which, std::ostream* out) { *out << which.name; }

class EachSwitch : public SettingsTest, public testing::WithParamInterface<Switch> {};

TEST_P(EachSwitch, RemembersWhatIsSetAndRefusesTheRest) {
  const Switch& which = GetParam();
  for (const std::int32_t value : which.good) {
    EXPECT_DONE(which.set(value));
    std::int32_t out = -77;
    EXPECT_DONE(which.get(&out));
    EXPECT_EQ(out, value);
    EXPECT_EQ(in_force().*which.field, value);
    for (const std::int32_t refused : which.bad) {
      EXPECT_REFUSED(which.set(refused), ATC_ERROR_INVALID_ARGUMENT, which.name,
                     std::to_string(refused).c_str());
      EXPECT_DONE(which.get(&out));
      EXPECT_EQ(out, value);
    }
  }
  EXPECT_REFUSED(which.get(nullptr), ATC_ERROR_INVALID_ARGUMENT, "out", "missing");
}

// Setting one switch must not change any other switch.
TEST_P(EachSwitch, LeavesTheOthersAlone) {
  const Switch& which = GetParam();
  for (const std::int32_t value : which.good) {
    ASSERT_DONE(which.set(value));
    atc_settings expected = defaults();
    expected.*which.field = value;
    EXPECT_TRUE(equal(in_force(), expected));
  }
}

TEST_P(EachSwitch, IsSetBySnapshotAllOrNothing) {
  const Switch& which = GetParam();
  for (const std::int32_t value : which.good) {
    atc_settings wanted = defaults();
    wanted.*which.field = value;
    ASSERT_DONE(atc_settings_apply(&wanted));
    EXPECT_TRUE(equal(in_force(), wanted));
  }
  const atc_settings before = in_force();
  for (const std::int32_t value : which.bad) {
    // The snapshot has one bad value. Each of its other fields differs from the current settings.
    // So if the refused snapshot were applied in part, the test would find a difference.
    atc_settings refused{};
    refused.struct_size = sizeof(refused);
    refused.benchmark_cudnn = !before.benchmark_cudnn;
    refused.benchmark_limit_cudnn = before.benchmark_limit_cudnn ^ 1;
    refused.user_enabled_cudnn = !before.user_enabled_cudnn;
    refused.deterministic_cudnn = !before.deterministic_cudnn;
    refused.deterministic_algorithms = before.deterministic_algorithms % 3 + 1;
    refused.allow_tf32_cudnn = !before.allow_tf32_cudnn;
    refused.benchmark_technique = before.benchmark_technique % 5 + 1;
    refused.workspace_limit = 32 * kMiB;
    refused.*which.field = value;
    EXPECT_REFUSED(atc_settings_apply(&refused), ATC_ERROR_INVALID_ARGUMENT, which.name);
    EXPECT_TRUE(equal(in_force(), before));
  }
}

const std::vector<std::int32_t> kFlags = {1, 0}, kNoFlags = {-1, 2, INT_MAX, INT_MIN};

INSTANTIATE_TEST_SUITE_P(
    All, EachSwitch,
    testing::Values(Switch{"benchmark_cudnn", atc_set_benchmark_cudnn, atc_get_benchmark_cudnn,
                           kFlags, kNoFlags, &atc_settings::benchmark_cudnn},
                    Switch{"benchmark_limit_cudnn",
                           atc_set_benchmark_limit_cudnn,
                           atc_get_benchmark_limit_cudnn,
                           {0, 1, INT_MAX},
                           {-1, INT_MIN},
                           &atc_settings::benchmark_limit_cudnn},
                    Switch{"user_enabled_cudnn", atc_set_user_enabled_cudnn,
                           atc_get_user_enabled_cudnn, kFlags, kNoFlags,
                           &atc_settings::user_enabled_cudnn},
                    Switch{"deterministic_cudnn", atc_set_deterministic_cudnn,
                           atc_get_deterministic_cudnn, kFlags, kNoFlags,
                           &atc_settings::deterministic_cudnn},
                    Switch{"deterministic_algorithms",
                           atc_set_deterministic_algorithms,
                           atc_get_deterministic_algorithms,
                           {2, 3, 1},
                           {0, -1, 4, INT_MAX},
                           &atc_settings::deterministic_algorithms},
                    Switch{"allow_tf32_cudnn", atc_set_allow_tf32_cudnn, atc_get_allow_tf32_cudnn,
                           kFlags, kNoFlags, &atc_settings::allow_tf32_cudnn},
                    Switch{"benchmark_technique",
                           atc_set_benchmark_technique,
                           atc_get_benchmark_technique,
                           {1, 2, 3, 4, 5},
                           {0, -1, 6, INT_MAX},
                           &atc_settings::benchmark_technique}),
    [](const auto& info) { return info.param.name; });

TEST_F(SettingsTest, TheWorkspaceLimitIsRoundedDownToAClass) {
  const std::pair<std::uint64_t, std::uint64_t> cases[] = {{0, 0},
                                                           {1, 0},
                                                           {32 * kMiB - 1, 0},
                                                           {32 * kMiB, 32 * kMiB},
                                                           {256 * kMiB - 1, 32 * kMiB},
                                                           {256 * kMiB, 256 * kMiB},
                                                           {1000 * kMiB, 256 * kMiB},
                                                           {1024 * kMiB, 1024 * kMiB},
                                                           {4096 * kMiB - 1, 1024 * kMiB},
                                                           {4096 * kMiB, 4096 * kMiB},
                                                           {ATC_NONE, 0},
                                                           {ATC_UNLIMITED, 4096 * kMiB}};
  for (const auto& [bytes, limit] : cases) {
    std::uint64_t out = 1;
    ASSERT_DONE(atc_set_workspace_limit(bytes));
    EXPECT_DONE(atc_get_workspace_limit(&out));
    EXPECT_EQ(out, limit) << bytes;
    atc_settings settings = defaults();
    settings.workspace_limit = bytes;
    ASSERT_DONE(atc_settings_apply(&settings));
    EXPECT_EQ(in_force().workspace_limit, limit) << bytes;
  }
  EXPECT_REFUSED(atc_get_workspace_limit(nullptr), ATC_ERROR_INVALID_ARGUMENT, "out", "missing");
}

TEST_F(SettingsTest, LimitsOfMemory) {
  std::uint64_t out = 0;
  ASSERT_DONE(atc_get_race_memory_limit(&out));
  EXPECT_EQ(out, ATC_AUTOMATIC);
  ASSERT_DONE(atc_get_plan_memory_limit(&out));
  EXPECT_EQ(out, 2048 * kMiB);
  for (const std::uint64_t bytes : {std::uint64_t{1}, 300 * kMiB, std::uint64_t{ATC_UNLIMITED}}) {
    ASSERT_DONE(atc_set_race_memory_limit(bytes));
    ASSERT_DONE(atc_get_race_memory_limit(&out));
    EXPECT_EQ(out, bytes);
    ASSERT_DONE(atc_set_plan_memory_limit(bytes));
    ASSERT_DONE(atc_get_plan_memory_limit(&out));
    EXPECT_EQ(out, bytes);
  }
  for (const std::uint64_t nothing : {std::uint64_t{0}, std::uint64_t{ATC_NONE}}) {
    EXPECT_REFUSED(atc_set_race_memory_limit(nothing), ATC_ERROR_INVALID_ARGUMENT,
                   "race_memory_limit is 0", "use a number of bytes");
    EXPECT_REFUSED(atc_set_plan_memory_limit(nothing), ATC_ERROR_INVALID_ARGUMENT,
                   "plan_memory_limit is 0", "use a number of bytes");
  }
  ASSERT_DONE(atc_get_race_memory_limit(&out));
  EXPECT_EQ(out, ATC_UNLIMITED) << "a refused limit changes nothing";
  ASSERT_DONE(atc_set_race_memory_limit(ATC_AUTOMATIC));
  ASSERT_DONE(atc_get_race_memory_limit(&out));
  EXPECT_EQ(out, ATC_AUTOMATIC);
  ASSERT_DONE(atc_set_plan_memory_limit(2048 * kMiB));
}

TEST_F(SettingsTest, LimitsOfMemoryInTheEnvironment) {
  std::uint64_t out = 0;
  const std::pair<const char*, std::uint64_t> good[] = {
      {"1", 1}, {"512M", 512 * kMiB}, {"3G", 3072 * kMiB}, {"unlimited", ATC_UNLIMITED}};
  for (const auto& [text, bytes] : good) {
    setenv("ATC_RACE_MEMORY_LIMIT", text, 1);
    setenv("ATC_PLAN_MEMORY_LIMIT", text, 1);
    ASSERT_DONE(atc_settings_from_env());
    ASSERT_DONE(atc_get_race_memory_limit(&out));
    EXPECT_EQ(out, bytes) << text;
    ASSERT_DONE(atc_get_plan_memory_limit(&out));
    EXPECT_EQ(out, bytes) << text;
  }
  for (const char* const bad :
       {"0", "nan", "-1", "1.5G", "G", "5X", "99999999999999999999", "1M "}) {
    setenv("ATC_RACE_MEMORY_LIMIT", bad, 1);
    EXPECT_REFUSED(atc_settings_from_env(), ATC_ERROR_INVALID_ARGUMENT, "ATC_RACE_MEMORY_LIMIT",
                   bad);
    ASSERT_DONE(atc_get_race_memory_limit(&out));
    EXPECT_EQ(out, ATC_UNLIMITED) << bad;
  }
  unsetenv("ATC_RACE_MEMORY_LIMIT");
  unsetenv("ATC_PLAN_MEMORY_LIMIT");
  ASSERT_DONE(atc_set_race_memory_limit(ATC_AUTOMATIC));
  ASSERT_DONE(atc_set_plan_memory_limit(2048 * kMiB));
}

TEST_F(SettingsTest, SnapshotsOfThePast) {
  atc_settings settings = defaults();
  for (const std::uint32_t size : {0U, 4U, static_cast<std::uint32_t>(sizeof(settings)) - 1}) {
    settings.struct_size = size;
    settings.benchmark_cudnn = 1;
    EXPECT_REFUSED(atc_settings_apply(&settings), ATC_ERROR_INVALID_ARGUMENT,
                   "settings.struct_size", std::to_string(size).c_str());
    settings.benchmark_limit_cudnn = 4711;
    EXPECT_REFUSED(atc_settings_get(&settings), ATC_ERROR_INVALID_ARGUMENT, "out.struct_size",
                   std::to_string(size).c_str());
    EXPECT_EQ(settings.benchmark_limit_cudnn, 4711);
  }
  EXPECT_TRUE(equal(in_force(), defaults()));
}

TEST_F(SettingsTest, SnapshotsOfTheFuture) {
  struct {
    atc_settings known;
    std::uint8_t tail[16];
  } future{defaults(), {}};
  future.known.struct_size = sizeof(future);
  future.known.benchmark_cudnn = 1;
  EXPECT_DONE(atc_settings_apply(&future.known));
  EXPECT_EQ(in_force().benchmark_cudnn, 1);
  future.known.benchmark_cudnn = 0;
  future.tail[15] = 1;
  EXPECT_REFUSED(atc_settings_apply(&future.known), ATC_ERROR_INVALID_ARGUMENT, "settings",
                 std::to_string(sizeof(atc_settings) + 15).c_str());
  EXPECT_EQ(in_force().benchmark_cudnn, 1);
  // A field that the library does not know must be set to zero.
  std::memset(future.tail, 0xAB, sizeof(future.tail));
  EXPECT_DONE(atc_settings_get(&future.known));
  EXPECT_EQ(future.known.struct_size, sizeof(future));
  EXPECT_EQ(future.known.benchmark_cudnn, 1);
  for (const std::uint8_t byte : future.tail) EXPECT_EQ(byte, 0);
}

TEST_F(SettingsTest, NullPointers) {
  EXPECT_REFUSED(atc_settings_get(nullptr), ATC_ERROR_INVALID_ARGUMENT, "out", "missing");
  EXPECT_REFUSED(atc_settings_apply(nullptr), ATC_ERROR_INVALID_ARGUMENT, "settings", "missing");
  EXPECT_REFUSED(atc_get_library_path(nullptr), ATC_ERROR_INVALID_ARGUMENT, "out", "missing");
}

TEST_F(SettingsTest, ARepeatableRunSetsWhatItNeedsAndListsTheRest) {
  setenv("OMP_NUM_THREADS", "1", 1);
  unsetenv("CUBLAS_WORKSPACE_CONFIG");
  ASSERT_DONE(atc_set_benchmark_cudnn(1));
  atc_reproducible_report report{};
  report.struct_size = sizeof(report);
  ASSERT_DONE(atc_set_reproducible(&report, 42));
  atc_settings expected = defaults();
  expected.deterministic_cudnn = 1;
  expected.deterministic_algorithms = ATC_DETERMINISTIC_ALGORITHMS_ERROR;
  EXPECT_TRUE(equal(in_force(), expected));
  EXPECT_EQ(report.missing, static_cast<std::uint32_t>(ATC_REPRODUCIBLE_NO_CUDA_SEED |
                                                       ATC_REPRODUCIBLE_CUBLAS_WORKSPACE));
  EXPECT_THAT(report.text, testing::HasSubstr("CUBLAS_WORKSPACE_CONFIG"));
  EXPECT_THAT(report.text, testing::Not(testing::HasSubstr("OMP_NUM_THREADS")));

  unsetenv("OMP_NUM_THREADS");
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);
  ASSERT_DONE(atc_set_reproducible(&report, 42));
  EXPECT_EQ(report.missing, static_cast<std::uint32_t>(ATC_REPRODUCIBLE_NO_CUDA_SEED |
                                                       ATC_REPRODUCIBLE_CPU_THREADS));
  unsetenv("CUBLAS_WORKSPACE_CONFIG");
  EXPECT_DONE(atc_set_reproducible(nullptr, 42));
}

TEST_F(SettingsTest, ARefusedReportChangesNothing) {
  atc_reproducible_report report{};
  report.struct_size = 8;
  EXPECT_REFUSED(atc_set_reproducible(&report, 1), ATC_ERROR_INVALID_ARGUMENT, "struct_size", "8");
  EXPECT_TRUE(equal(in_force(), defaults()));
}

TEST(LibraryPath, RefusesAFolderThatIsNoPath) {
  const std::string endless(std::size_t{9} << 20, 'a');
  EXPECT_REFUSED(atc_set_library_path(("/nowhere:" + endless).c_str()), ATC_ERROR_INVALID_ARGUMENT,
                 "a folder of library_path has 9437184 bytes", "at most 4095");
  EXPECT_LT(std::strlen(atc_last_error()), 100u);
}

// The test runs in a process of its own, because the library path cannot change after the first
// search for a library.
TEST(LibraryPath, IsRememberedUntilLibrariesWereLookedFor) {
  const auto check = [] {
    const char* path = nullptr;
    if (atc_set_library_path("/nowhere/a:/nowhere/b") != ATC_OK) return 1;
    if (atc_get_library_path(&path) != ATC_OK || std::string(path) != "/nowhere/a:/nowhere/b")
      return 2;
    if (atc_set_library_path(nullptr) != ATC_OK) return 3;
    if (atc_get_library_path(&path) != ATC_OK || *path != '\0') return 4;
    if (atc_set_library_path("/nowhere/c") != ATC_OK) return 5;
    std::int32_t count = -1;
    if (atc_cuda_device_count(&count) != ATC_OK) return 6;
    const atc_status late = atc_set_library_path("/nowhere/d");
    if (atc_get_library_path(&path) != ATC_OK) return 7;
#ifdef ATC_TEST_CUDA_BUILD
    return late == ATC_ERROR_BUSY && std::string(path) == "/nowhere/c" ? 0 : 8;
#else
    // A build without CUDA has not searched for a library, so the path may still change.
    return late == ATC_OK && std::string(path) == "/nowhere/d" ? 0 : 9;
#endif
  };
  EXPECT_EXIT(_exit(check()), testing::ExitedWithCode(0), "");
}

}  // namespace
