// Tests cases of the settings that the tests of the C ABI cannot reach: copies of the settings that
// threads keep, settings sources (objects that keep a program's switches) that throw, and the
// library path.
#include "core/settings.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/error.hpp"

namespace atc {
namespace {

// Sets each setting to its default value.
void reset() {
  const Settings fresh;
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  set_settings({{Setting::benchmark_cudnn, number(fresh.benchmark_cudnn)},
                {Setting::benchmark_limit_cudnn, number(fresh.benchmark_limit_cudnn)},
                {Setting::user_enabled_cudnn, number(fresh.user_enabled_cudnn)},
                {Setting::deterministic_cudnn, number(fresh.deterministic_cudnn)},
                {Setting::deterministic_algorithms, number(fresh.deterministic_algorithms)},
                {Setting::allow_tf32_cudnn, number(fresh.allow_tf32_cudnn)},
                {Setting::benchmark_technique, number(fresh.benchmark_technique)},
                {Setting::workspace_limit, fresh.workspace_limit}});
}

class SettingsTest : public testing::Test {
 protected:
  void TearDown() override {
    set_settings_source(nullptr);
    reset();
  }
};

// A change by one thread must be seen by all threads, although threads may keep copies of the
// settings.
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

std::string refusal_of(Setting setting, std::uint64_t value) {
  try {
    set_setting(setting, value);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(SettingsTest, EachSwitchHasItsNameAndItsRange) {
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  const std::vector<std::tuple<Setting, const char*, std::int64_t, std::int64_t>> switches = {
      {Setting::benchmark_cudnn, "benchmark_cudnn", 0, 1},
      {Setting::benchmark_limit_cudnn, "benchmark_limit_cudnn", 0, kMost},
      {Setting::user_enabled_cudnn, "user_enabled_cudnn", 0, 1},
      {Setting::deterministic_cudnn, "deterministic_cudnn", 0, 1},
      {Setting::deterministic_algorithms, "deterministic_algorithms", 1, 3},
      {Setting::allow_tf32_cudnn, "allow_tf32_cudnn", 0, 1},
      {Setting::benchmark_technique, "benchmark_technique", 1, 5},
  };
  for (const auto& [setting, name, least, most] : switches) {
    for (const std::int64_t value : {least, most})
      EXPECT_EQ(refusal_of(setting, static_cast<std::uint64_t>(value)), "") << name;
    for (const std::int64_t value : {least - 1, most + 1})
      EXPECT_EQ(refusal_of(setting, static_cast<std::uint64_t>(value)),
                std::string(name) + " is " + std::to_string(value) + ": use " +
                    std::to_string(least) + " to " + std::to_string(most));
  }
  for (const std::uint64_t value : {std::uint64_t{0}, ~std::uint64_t{0}})
    EXPECT_EQ(refusal_of(Setting::workspace_limit, value), "");
  EXPECT_EQ(refusal_of(static_cast<Setting>(9), 0), "there is no switch 9");
}

TEST_F(SettingsTest, EachSwitchChangesItsOwnMemberAndNoOther) {
  const Settings before;
  const auto changed = [&](Setting setting, std::uint64_t value, auto member) {
    reset();
    set_setting(setting, value);
    Settings expected = before;
    expected.*member = static_cast<std::decay_t<decltype(expected.*member)>>(value);
    EXPECT_FALSE(current_settings() == before) << static_cast<int>(setting);
    EXPECT_TRUE(current_settings() == expected) << static_cast<int>(setting);
  };
  changed(Setting::benchmark_cudnn, 1, &Settings::benchmark_cudnn);
  changed(Setting::benchmark_limit_cudnn, 7, &Settings::benchmark_limit_cudnn);
  changed(Setting::user_enabled_cudnn, 0, &Settings::user_enabled_cudnn);
  changed(Setting::deterministic_cudnn, 1, &Settings::deterministic_cudnn);
  changed(Setting::deterministic_algorithms, 3, &Settings::deterministic_algorithms);
  changed(Setting::allow_tf32_cudnn, 0, &Settings::allow_tf32_cudnn);
  changed(Setting::benchmark_technique, 2, &Settings::benchmark_technique);
  changed(Setting::workspace_limit, std::uint64_t{256} << 20, &Settings::workspace_limit);
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
  source->broken = true;
  EXPECT_THROW(current_settings(), Error);
  set_settings_source(nullptr);
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
