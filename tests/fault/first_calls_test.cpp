// A process makes some calls of the driver and of cuDNN only in its first race (the timing of the
// candidates of a problem), such as cuInit. These tests let each of these calls fail, each in a
// process of its own.
#include <map>

#include "fault/scenarios.hpp"

namespace atc::fault {
namespace {

using testing::Contains;

struct Once {
  Part part;
  const char* call;
  int times;
  // What happens after the call has failed. `for_good`: the process has no CUDA until it ends.
  // `unseen`: no function of atc fails, but atc does not know some facts about the devices.
  bool for_good = false, unseen = false;
};

const std::vector<Once>& once() {
  static const auto* const once = new std::vector<Once>{
      {Part::driver, "cuInit", 1, true},
      {Part::driver, "cuDeviceGetCount", 1, true},
      {Part::driver, "cuDriverGetVersion", 1, false, true},
      {Part::driver, "cuDeviceGetName", 2, false, true},
      {Part::driver, "cuDeviceGetAttribute", 10, false, true},
      {Part::driver, "cuDeviceTotalMem_v2", 2, false, true},
      {Part::driver, "cuDevicePrimaryCtxRetain", 1},
      {Part::driver, "cuLibraryLoadData", 1},
      {Part::driver, "cuKernelSetAttribute", 1},
      {Part::driver, "cuModuleLoadData", 3},
      {Part::driver, "cuModuleGetFunction", 8},
      {Part::cudnn, "cudnnCreate", 1},
  };
  return *once;
}

TEST(FirstCalls, AreTheseAlone) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const auto of_a_race = [&] {
      machine().listen();
      EXPECT_EQ(kTune.run(layer).status, ATC_OK);
      std::map<std::string, int> counts;
      for (const Part part : {Part::driver, Part::cudnn})
        for (const std::string& call : machine().calls(part)) ++counts[call];
      return counts;
    };
    std::map<std::string, int> first = of_a_race(), listed;
    EXPECT_DONE(atc_cache_clear());
    for (const auto& [call, times] : of_a_race()) first.erase(call);
    for (const Once& one : once()) listed[one.call] = one.times;
    EXPECT_EQ(first, listed);
  });
}

class FirstCall : public testing::TestWithParam<Once> {};

TEST_P(FirstCall, Fails) {
  const Once& one = GetParam();
  const std::vector<int> statuses = one.part == Part::driver
                                        ? std::vector<int>{2, 719}
                                        : std::vector<int>{1002, 3000, 4000, 4004};
  for (const int status : statuses)
    for (int call = 1; call <= one.times; ++call)
      on_each_machine(usual_script(), [&] {
        Layer layer(tiny_problem());
        machine().break_call({one.part, static_cast<std::uint64_t>(call), one.call, status, false});
        const Ending ending = kTune.run(layer);
        EXPECT_EQ(machine().broken(), one.call);
        machine().mend();
        SCOPED_TRACE("call " + std::to_string(call) + ", status " + std::to_string(status));
        if (one.for_good) {
          EXPECT_EQ(ending.status, ATC_ERROR_LIBRARY) << atc_status_name(ending.status);
          EXPECT_TRUE(ending.tells_of(std::to_string(status))) << ending.text;
          return;
        }
        if (ending.status != ATC_OK) {
          EXPECT_THAT(statuses_of(one.part, status), Contains(ending.status))
              << atc_status_name(ending.status) << ": " << ending.text;
        }
        EXPECT_TRUE(one.unseen ? ending.status == ATC_OK : ending.tells_of(one.call))
            << ending.text;
        const Ending next = kTune.run(layer);
        EXPECT_EQ(next.status, ATC_OK) << next.text;
        EXPECT_EQ(kEager.run(layer).status, ATC_OK) << atc_last_error();
        EXPECT_EQ(machine().alive()["cuDNN handle"], 1);
      });
}

INSTANTIATE_TEST_SUITE_P(Calls, FirstCall, testing::ValuesIn(once()),
                         [](const auto& info) { return std::string(info.param.call); });

}  // namespace
}  // namespace atc::fault
