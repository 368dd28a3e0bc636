// Tests the settings source, the allocator and the log sink. A process has at most one of each.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "conv_call.hpp"
#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

namespace fs = std::filesystem;

// ---- Settings source
// ------------------------------------------------------------------------------

// A settings source (callbacks by which a program keeps the values of atc's switches) with six
// switches. A test can make its callbacks fail.
struct Source {
  std::map<std::int32_t, std::int64_t> values = {
      {ATC_SETTING_BENCHMARK_CUDNN, 0},          {ATC_SETTING_BENCHMARK_LIMIT_CUDNN, 25},
      {ATC_SETTING_USER_ENABLED_CUDNN, 1},       {ATC_SETTING_DETERMINISTIC_CUDNN, 0},
      {ATC_SETTING_DETERMINISTIC_ALGORITHMS, 1}, {ATC_SETTING_ALLOW_TF32_CUDNN, 0}};
  std::int32_t refuses = 0;               // the number of the switch whose `set` fails
  atc_status refusal = ATC_ERROR_DEVICE;  // the status with which `set` fails
  // The number of a switch that this settings source lacks; 0: the source lacks none. atc itself
  // keeps the value of a switch that the source lacks.
  std::int32_t unknown = 0;
  std::vector<std::uint64_t> seeds;
  std::vector<std::int32_t> waits;

  atc_settings_source callbacks() {
    atc_settings_source source{};
    source.struct_size = sizeof(source);
    source.user = this;
    source.get = [](std::int64_t* out, void* user, std::int32_t setting) -> atc_status {
      auto& self = *static_cast<Source*>(user);
      if (setting == self.unknown) return ATC_ERROR_UNSUPPORTED;
      *out = self.values.at(setting);
      return ATC_OK;
    };
    source.set = [](void* user, std::int32_t setting, std::int64_t value) -> atc_status {
      auto& self = *static_cast<Source*>(user);
      if (setting == self.unknown) return ATC_ERROR_UNSUPPORTED;
      if (setting == self.refuses) {
        atc_error_set("not today");
        return self.refusal;
      }
      self.values[setting] = value;
      return ATC_OK;
    };
    source.manual_seed = [](void* user, std::uint64_t seed, std::int32_t all) -> atc_status {
      static_cast<Source*>(user)->seeds.push_back(seed * 10 + static_cast<std::uint64_t>(all));
      return ATC_OK;
    };
    source.synchronize = [](void* user, std::int32_t index) -> atc_status {
      static_cast<Source*>(user)->waits.push_back(index);
      return ATC_OK;
    };
    return source;
  }
};

std::int32_t benchmark() {
  std::int32_t out = -1;
  EXPECT_DONE(atc_get_benchmark_cudnn(&out));
  return out;
}
std::int32_t limit() {
  std::int32_t out = -1;
  EXPECT_DONE(atc_get_benchmark_limit_cudnn(&out));
  return out;
}

// Runs each case in a child process, because a switch that was set explicitly remains set until the
// process ends.
void in_child(int (*check)()) { EXPECT_EXIT(_exit(check()), testing::ExitedWithCode(0), ""); }

int failures() { return testing::Test::HasFailure() ? 1 : 0; }

TEST(SettingsSource, AdoptsWhatWasNotSetAndWritesWhatWas) {
  in_child([] {
    static Source source;
    EXPECT_DONE(atc_set_benchmark_cudnn(1));
    const auto callbacks = source.callbacks();
    EXPECT_DONE(atc_settings_source_set(&callbacks));
    EXPECT_EQ(source.values[ATC_SETTING_BENCHMARK_CUDNN], 1);
    EXPECT_EQ(source.values[ATC_SETTING_BENCHMARK_LIMIT_CUDNN], 25);
    EXPECT_EQ(benchmark(), 1);
    EXPECT_EQ(limit(), 25);
    std::int32_t tf32 = -1;
    EXPECT_DONE(atc_get_allow_tf32_cudnn(&tf32));
    EXPECT_EQ(tf32, 0);
    // The settings source and atc have the same values of the switches. If one of them changes a
    // value, the other one has the new value, too.
    source.values[ATC_SETTING_BENCHMARK_LIMIT_CUDNN] = 7;
    EXPECT_EQ(limit(), 7);
    EXPECT_DONE(atc_set_benchmark_limit_cudnn(8));
    EXPECT_EQ(source.values[ATC_SETTING_BENCHMARK_LIMIT_CUDNN], 8);
    // After the settings source is removed, atc keeps the last values of the switches and does not
    // call the source any more.
    source.values[ATC_SETTING_ALLOW_TF32_CUDNN] = 1;
    EXPECT_DONE(atc_settings_source_set(nullptr));
    source.values[ATC_SETTING_BENCHMARK_LIMIT_CUDNN] = 99;
    EXPECT_EQ(limit(), 8);
    EXPECT_DONE(atc_get_allow_tf32_cudnn(&tf32));
    EXPECT_EQ(tf32, 1);
    return failures();
  });
}

TEST(SettingsSource, LeavesWhatItDoesNotKnowWithAtc) {
  in_child([] {
    static Source source;
    source.unknown = ATC_SETTING_BENCHMARK_LIMIT_CUDNN;
    const auto callbacks = source.callbacks();
    EXPECT_DONE(atc_settings_source_set(&callbacks));
    EXPECT_EQ(limit(), 10);
    EXPECT_DONE(atc_set_benchmark_limit_cudnn(3));
    EXPECT_EQ(limit(), 3);
    EXPECT_EQ(source.values[ATC_SETTING_BENCHMARK_LIMIT_CUDNN], 25);
    // A settings source without callbacks has no switches, so atc itself keeps the values of all
    // switches.
    atc_settings_source nothing{};
    nothing.struct_size = sizeof(nothing);
    EXPECT_DONE(atc_settings_source_set(&nothing));
    EXPECT_DONE(atc_set_benchmark_cudnn(1));
    EXPECT_EQ(benchmark(), 1);
    EXPECT_DONE(atc_manual_seed(1));
    EXPECT_DONE(atc_synchronize(0));
    return failures();
  });
}

TEST(SettingsSource, ARefusalLeavesEverySwitchAsItWas) {
  in_child([] {
    static Source source;
    const auto callbacks = source.callbacks();
    EXPECT_DONE(atc_settings_source_set(&callbacks));
    atc_settings settings{};
    settings.struct_size = sizeof(settings);
    EXPECT_DONE(atc_settings_get(&settings));
    const auto before = source.values;
    source.refuses = ATC_SETTING_DETERMINISTIC_CUDNN;
    settings.benchmark_cudnn = 1;
    settings.benchmark_limit_cudnn = 77;
    settings.deterministic_cudnn = 1;
    settings.benchmark_technique = ATC_TECHNIQUE_ONCE;
    EXPECT_REFUSED(atc_settings_apply(&settings), ATC_ERROR_DEVICE, "not today", "set");
    EXPECT_EQ(source.values, before);
    std::int32_t technique = 0;
    EXPECT_DONE(atc_get_benchmark_technique(&technique));
    EXPECT_EQ(technique, ATC_TECHNIQUE_INTERLEAVED);
    EXPECT_REFUSED(atc_set_deterministic_cudnn(1), ATC_ERROR_DEVICE, "not today");
    source.refusal = 4711;
    EXPECT_REFUSED(atc_set_deterministic_cudnn(1), ATC_ERROR_INTERNAL, "4711");
    return failures();
  });
}

TEST(SettingsSource, OneThatRefusesAnExplicitValueIsNotTaken) {
  in_child([] {
    static Source source;
    EXPECT_DONE(atc_set_benchmark_cudnn(1));
    EXPECT_DONE(atc_set_deterministic_cudnn(1));
    source.refuses = ATC_SETTING_DETERMINISTIC_CUDNN;
    const auto before = source.values;
    const auto callbacks = source.callbacks();
    EXPECT_REFUSED(atc_settings_source_set(&callbacks), ATC_ERROR_DEVICE, "not today");
    EXPECT_EQ(source.values, before);
    EXPECT_EQ(limit(), 10);  // the refused call has not changed atc's value
    return failures();
  });
}

TEST(SettingsSource, AValueThatNoSwitchHasIsTold) {
  in_child([] {
    static Source source;
    const auto callbacks = source.callbacks();
    EXPECT_DONE(atc_settings_source_set(&callbacks));
    source.values[ATC_SETTING_BENCHMARK_CUDNN] = 5;
    std::int32_t out = -1;
    EXPECT_REFUSED(atc_get_benchmark_cudnn(&out), ATC_ERROR_INTERNAL, "benchmark_cudnn", "5");
    EXPECT_EQ(out, -1);
    // A settings source that has returned a bad value can be removed.
    EXPECT_DONE(atc_settings_source_set(nullptr));
    EXPECT_EQ(benchmark(), 0);
    return failures();
  });
}

TEST(SettingsSource, SeedsWaitsAndReportsItsGenerators) {
  in_child([] {
    static Source source;
    const auto callbacks = source.callbacks();
    EXPECT_DONE(atc_settings_source_set(&callbacks));
    EXPECT_DONE(atc_manual_seed(5));
    EXPECT_DONE(atc_manual_seed_all(6));
    EXPECT_DONE(atc_synchronize(-1));
    atc_reproducible_report report{};
    report.struct_size = sizeof(report);
    EXPECT_DONE(atc_set_reproducible(&report, 7));
    EXPECT_EQ(report.missing & ATC_REPRODUCIBLE_NO_CUDA_SEED, 0U);
    EXPECT_EQ(source.seeds, (std::vector<std::uint64_t>{50, 61, 71}));
    EXPECT_EQ(source.waits, (std::vector<std::int32_t>{-1}));
    EXPECT_EQ(source.values[ATC_SETTING_DETERMINISTIC_ALGORITHMS], 3);
    return failures();
  });
}

TEST(SettingsSource, BadStructs) {
  Source source;
  auto callbacks = source.callbacks();
  callbacks.reserved = 1;
  EXPECT_REFUSED(atc_settings_source_set(&callbacks), ATC_ERROR_INVALID_ARGUMENT, "reserved", "1");
  callbacks = source.callbacks();
  callbacks.struct_size = 8;
  EXPECT_REFUSED(atc_settings_source_set(&callbacks), ATC_ERROR_INVALID_ARGUMENT, "struct_size",
                 "8");
}

// ---- Allocator
// ------------------------------------------------------------------------------------

struct Heap {
  std::map<void*, std::uint64_t> live;
  int allocations = 0;
  bool empty = false;
  std::size_t skew = 0;

  atc_allocator callbacks() {
    atc_allocator allocator{};
    allocator.struct_size = sizeof(allocator);
    allocator.user = this;
    allocator.alloc = [](void* user, std::uint64_t size, atc_device device, atc_stream) -> void* {
      auto& self = *static_cast<Heap*>(user);
      EXPECT_EQ(device.type, ATC_DEVICE_CPU);
      if (self.empty) return nullptr;
      ++self.allocations;
      char* const memory =
          static_cast<char*>(std::aligned_alloc(64, (size + 127) / 64 * 64)) + self.skew;
      self.live[memory] = size;
      return memory;
    };
    allocator.free = [](void* user, void* pointer, atc_device, atc_stream) {
      auto& self = *static_cast<Heap*>(user);
      EXPECT_EQ(self.live.erase(pointer), 1U) << "freed what it did not allocate";
      std::free(static_cast<char*>(pointer) - self.skew);
    };
    return allocator;
  }
};

// Runs a race of a small problem. In each build with oneDNN the race takes its operands from the
// allocator.
atc_status race() {
  const atc_conv_problem problem = atc_test::small_problem();
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.problem_budget_seconds = 0.2;
  options.retune = ATC_ON;
  atc_tune_report* report = nullptr;
  const atc_status status =
      atc_tune(&report, atc_test::kCpu, &problem, 1, &options, nullptr, nullptr);
  if (status != ATC_OK) return status;
  atc_tuned_problem tuned{};
  tuned.struct_size = sizeof(tuned);
  EXPECT_DONE(atc_tune_report_problem(&tuned, report, 0));
  if (tuned.status != ATC_OK) atc_error_set(tuned.why);
  atc_tune_report_destroy(report);
  return tuned.status;
}

#ifdef ATC_TEST_ONEDNN_BUILD
constexpr bool kRaces = true;
#else
// If the reference is the only engine, there is no race and no memory for a race.
constexpr bool kRaces = false;
#endif

TEST(Allocator, GivesTheMemoryOfARaceAndGetsItBack) {
  if (!kRaces) GTEST_SKIP() << "without oneDNN there is nothing to race";
  // The heap must exist until the process ends, because memory pools of atc may hold memory of the
  // heap until then.
  static Heap heap;
  const auto callbacks = heap.callbacks();
  ASSERT_DONE(atc_allocator_set(&callbacks));
  EXPECT_DONE(race());
  EXPECT_GT(heap.allocations, 0);
  EXPECT_DONE(atc_allocator_set(nullptr));
  EXPECT_DONE(atc_cache_clear());
  EXPECT_TRUE(heap.live.empty());
  const int before = heap.allocations;
  EXPECT_DONE(race());
  EXPECT_EQ(heap.allocations, before);
}

TEST(Allocator, OfOneDeviceLeavesTheOthersMemoryToAtc) {
  if (!kRaces) GTEST_SKIP() << "without oneDNN there is nothing to race";
  static Heap heap;
  auto callbacks = heap.callbacks();
  callbacks.device_type = ATC_DEVICE_CUDA;
  ASSERT_DONE(atc_allocator_set(&callbacks));
  EXPECT_DONE(race());
  EXPECT_EQ(heap.allocations, 0);
  callbacks.device_type = ATC_DEVICE_CPU;
  ASSERT_DONE(atc_allocator_set(&callbacks));
  EXPECT_DONE(race());
  EXPECT_GT(heap.allocations, 0);
  EXPECT_DONE(atc_allocator_set(nullptr));
}

TEST(Allocator, WithoutMemoryTheCallSaysSo) {
  if (!kRaces) GTEST_SKIP() << "without oneDNN there is nothing to race";
  static Heap heap;
  heap.empty = true;
  const auto callbacks = heap.callbacks();
  ASSERT_DONE(atc_allocator_set(&callbacks));
  EXPECT_REFUSED(race(), ATC_ERROR_OUT_OF_MEMORY, "bytes");
  heap.empty = false;
  heap.skew = 16;
  EXPECT_REFUSED(race(), ATC_ERROR_INTERNAL, "allocator", "64");
  EXPECT_TRUE(heap.live.empty());
  EXPECT_DONE(atc_allocator_set(nullptr));
}

TEST(Allocator, BadStructs) {
  Heap heap;
  auto callbacks = heap.callbacks();
  callbacks.free = nullptr;
  EXPECT_REFUSED(atc_allocator_set(&callbacks), ATC_ERROR_INVALID_ARGUMENT, "free", "missing");
  callbacks = heap.callbacks();
  callbacks.alloc = nullptr;
  EXPECT_REFUSED(atc_allocator_set(&callbacks), ATC_ERROR_INVALID_ARGUMENT, "alloc", "missing");
  callbacks = heap.callbacks();
  callbacks.struct_size = 4;
  EXPECT_REFUSED(atc_allocator_set(&callbacks), ATC_ERROR_INVALID_ARGUMENT, "struct_size", "4");
  callbacks = heap.callbacks();
  callbacks.device_type = 9;
  EXPECT_REFUSED(atc_allocator_set(&callbacks), ATC_ERROR_INVALID_ARGUMENT, "device_type", "9");
}

// ---- Log
// ------------------------------------------------------------------------------------------

struct Lines {
  std::vector<std::pair<std::int32_t, std::string>> lines;
  static void take(void* user, std::int32_t level, const char* line) {
    static_cast<Lines*>(user)->lines.emplace_back(level, line);
  }
  atc_status use() { return atc_test::use_log_sink(take, this); }
};

// A store with one damaged entry. Listing its entries logs one warning.
class DamagedStore {
 public:
  DamagedStore() {
    EXPECT_DONE(atc_store_open(&store_, folder_.c_str(), ATC_STORE_READ_WRITE));
    const std::string entry =
        R"({"key": {"environment": {}, "problem": {}}, "value": {"choice": {}}})";
    EXPECT_DONE(atc_store_put(store_, entry.data(), entry.size(), nullptr));
    for (const auto& file : fs::recursive_directory_iterator(folder_.path()))
      if (file.is_regular_file() && file.path().filename() != "manifest.json")
        std::ofstream(file.path()) << "damaged";
  }
  ~DamagedStore() { atc_store_close(store_); }
  DamagedStore(const DamagedStore&) = delete;
  DamagedStore& operator=(const DamagedStore&) = delete;

  void list() const {
    atc_bytes* bytes = nullptr;
    EXPECT_DONE(atc_store_list(&bytes, store_));
    EXPECT_STREQ(atc_bytes_data(bytes), "[]");
    atc_bytes_destroy(bytes);
  }
  std::string directory() const { return folder_.path().string(); }

 private:
  const atc::test::TempFolder folder_;
  atc_store* store_ = nullptr;
};

TEST(Log, GoesToTheSinkOncePerTroubleAndNotBelowItsLevel) {
  Lines lines;
  ASSERT_DONE(lines.use());
  ASSERT_DONE(atc_log_level_set(ATC_LOG_ERROR));
  std::int32_t level = 0;
  EXPECT_DONE(atc_log_level_get(&level));
  EXPECT_EQ(level, ATC_LOG_ERROR);
  DamagedStore().list();
  EXPECT_TRUE(lines.lines.empty());
  ASSERT_DONE(atc_log_level_set(ATC_LOG_WARNING));
  const DamagedStore store;
  store.list();
  store.list();
  ASSERT_EQ(lines.lines.size(), 1U);
  EXPECT_EQ(lines.lines[0].first, ATC_LOG_WARNING);
  EXPECT_THAT(lines.lines[0].second, testing::HasSubstr(store.directory()));
  EXPECT_THAT(lines.lines[0].second, testing::Not(testing::HasSubstr("\n")));
  EXPECT_DONE(atc_log_sink_set(nullptr));
}

TEST(Log, ASinkMayAskForJson) {
  Lines lines;
  atc_log_sink sink = ATC_LOG_SINK_INIT;
  sink.user = &lines;
  sink.write = Lines::take;
  sink.format = ATC_LOG_FORMAT_JSON + 1;
  EXPECT_REFUSED(atc_log_sink_set(&sink), ATC_ERROR_INVALID_ARGUMENT, "sink.format", "2");
  sink.format = ATC_LOG_FORMAT_JSON;
  ASSERT_DONE(atc_log_sink_set(&sink));
  DamagedStore().list();
  EXPECT_DONE(atc_log_sink_set(nullptr));
  ASSERT_EQ(lines.lines.size(), 1U);
  EXPECT_THAT(lines.lines[0].second,
              testing::AllOf(testing::StartsWith("{\"time\":\"20"), testing::EndsWith("}"),
                             testing::HasSubstr("\"level\":\"warning\"")));
}

TEST(Log, LevelsAreChecked) {
  for (const std::int32_t level : {0, -1, ATC_LOG_DEBUG + 1})
    EXPECT_REFUSED(atc_log_level_set(level), ATC_ERROR_INVALID_ARGUMENT, "level",
                   std::to_string(level).c_str());
  EXPECT_REFUSED(atc_log_level_get(nullptr), ATC_ERROR_INVALID_ARGUMENT, "out", "missing");
}

}  // namespace
