// A LibTorch of another version than the bridge was built for. Only one LibTorch is installed here,
// so the test passes the descriptions of other versions.
#include "version.hpp"

#include <gmock/gmock.h>

namespace {

using atc_torch::version_objection;
using testing::AllOf;
using testing::HasSubstr;

TEST(Version, OfTheBridgeIsFine) { EXPECT_EQ(version_objection("2.11.0", "2.11.0", "/a.so"), ""); }

TEST(Version, OfAnotherIsNamedWithTheWayOut) {
  for (const char* running : {"2.10.0", "2.12.0", "2.11.1", "2.11"})
    EXPECT_THAT(version_objection(running, "2.11.0", "/lib/libtorch_cpu.so"),
                AllOf(HasSubstr("built for LibTorch 2.11.0"),
                      HasSubstr("/lib/libtorch_cpu.so is " + std::string(running) + ":"),
                      HasSubstr("use LibTorch 2.11.0, or build atc against")));
  EXPECT_THAT(version_objection("", "2.11.0", "/lib/libtorch_cpu.so"),
              HasSubstr("is of an unknown version"));
}

}  // namespace
