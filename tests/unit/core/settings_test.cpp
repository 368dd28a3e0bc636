// What the C ABI's tests of settings cannot see: generations, sources that throw, the library path.
#include "core/settings.hpp"

#include <gmock/gmock.h>

#include <map>
#include <thread>

#include "core/error.hpp"

namespace atc {
namespace {

class SettingsTest : public testing::Test {
 protected:
  void TearDown() override {
    set_settings_source(nullptr);
    apply_settings(Settings{});
  }
};

TEST_F(SettingsTest, TheGenerationGrowsWithEachChangeAndNotWithARefusal) {
  const std::uint64_t before = settings_generation();
  set_setting(Setting::benchmark_cudnn, 1);
  const std::uint64_t after = settings_generation();
  EXPECT_GT(after, before);
  EXPECT_THROW(set_setting(Setting::benchmark_cudnn, 2), Error);
  current_settings();
  EXPECT_EQ(settings_generation(), after);
}

// A copy per thread must not hide what another thread set.
TEST_F(SettingsTest, AChangeIsSeenByEveryThread) {
  EXPECT_EQ(current_settings().benchmark_limit_cudnn, 10);
  std::thread([] { set_setting(Setting::benchmark_limit_cudnn, 3); }).join();
  EXPECT_EQ(current_settings().benchmark_limit_cudnn, 3);
}

TEST_F(SettingsTest, AListOfValuesIsSetWhollyOrNotAtAll) {
  EXPECT_THROW(set_settings({{Setting::benchmark_cudnn, 1}, {Setting::benchmark_technique, 9}}),
               Error);
  EXPECT_TRUE(current_settings() == Settings{});
  EXPECT_THROW(set_setting(static_cast<Setting>(9), 0), Error);
  EXPECT_THROW(set_setting(static_cast<Setting>(0), 0), Error);
}

class Throwing final : public SettingsSource {
 public:
  std::optional<std::int64_t> get(Setting setting) override {
    if (broken) throw Error(Status::library, "gone");
    return values.at(static_cast<int>(setting));
  }
  bool set(Setting setting, std::int64_t value) override {
    if (value == 77) throw Error(Status::library, "no 77");
    values[static_cast<int>(setting)] = value;
    return true;
  }
  bool manual_seed(std::uint64_t, bool) override { return true; }
  bool synchronize(std::int32_t) override { return true; }

  bool broken = false;
  std::map<int, std::int64_t> values = {{1, 0}, {2, 5}, {3, 1}, {4, 0}, {5, 1}, {6, 1}};
};

TEST_F(SettingsTest, ASourcesFailureHalfWayIsTakenBack) {
  const auto source = std::make_shared<Throwing>();
  set_settings_source(source);
  const auto before = source->values;
  const Settings known = current_settings();
  EXPECT_THROW(set_settings({{Setting::benchmark_cudnn, !before.at(1)},
                             {Setting::benchmark_technique, 1},
                             {Setting::benchmark_limit_cudnn, 77}}),
               Error);
  EXPECT_EQ(source->values, before);
  EXPECT_TRUE(current_settings() == known);
}

TEST_F(SettingsTest, ABrokenSourceIsAnErrorAndCanBeRemoved) {
  const auto source = std::make_shared<Throwing>();
  set_settings_source(source);
  EXPECT_TRUE(has_settings_source());
  source->broken = true;
  EXPECT_THROW(current_settings(), Error);
  set_settings_source(nullptr);
  EXPECT_FALSE(has_settings_source());
  current_settings();
}

TEST_F(SettingsTest, SeedsAreRemembered) {
  EXPECT_FALSE(manual_seed(17, false));
  EXPECT_EQ(last_seed(), 17U);
  set_settings_source(std::make_shared<Throwing>());
  EXPECT_TRUE(manual_seed(18, true));
  EXPECT_EQ(last_seed(), 18U);
  EXPECT_TRUE(synchronize_source(0));
}

TEST(LibraryPathTest, IsSplitAndSettledByTheFirstLook) {
  const auto check = [] {
    set_library_path(":/a::/b/c:");
    if (settle_library_path() != std::vector<std::string>{"/a", "/b/c"}) return 1;
    try {
      set_library_path("/d");
      return 2;
    } catch (const Error& error) {
      return error.status() == Status::busy && library_path() == ":/a::/b/c:" ? 0 : 3;
    }
  };
  EXPECT_EXIT(_exit(check()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace atc
