// Tests statuses, error texts, version numbers and byte buffers of the C ABI.
#include <cstring>
#include <thread>

#include "status.hpp"

namespace {

TEST(Status, EachHasItsNameAndOthersAreUnknown) {
  EXPECT_STREQ(atc_status_name(ATC_OK), "ATC_OK");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_INVALID_ARGUMENT), "ATC_ERROR_INVALID_ARGUMENT");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_UNSUPPORTED), "ATC_ERROR_UNSUPPORTED");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_NOT_TUNED), "ATC_ERROR_NOT_TUNED");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_OUT_OF_MEMORY), "ATC_ERROR_OUT_OF_MEMORY");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_DEVICE), "ATC_ERROR_DEVICE");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_LIBRARY), "ATC_ERROR_LIBRARY");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_IO), "ATC_ERROR_IO");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_BAD_RECORD), "ATC_ERROR_BAD_RECORD");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_CAPTURING), "ATC_ERROR_CAPTURING");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_BUSY), "ATC_ERROR_BUSY");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_CANCELLED), "ATC_ERROR_CANCELLED");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_INTERNAL), "ATC_ERROR_INTERNAL");
  EXPECT_STREQ(atc_status_name(ATC_ERROR_NOT_AGREED), "ATC_ERROR_NOT_AGREED");
  for (const atc_status unknown : {-1, ATC_ERROR_NOT_AGREED + 1, INT32_MAX, INT32_MIN})
    EXPECT_STREQ(atc_status_name(unknown), "unknown status");
}

TEST(LastError, SuccessAndDestroyLeaveItAndAFailureReplacesIt) {
  EXPECT_REFUSED(atc_set_benchmark_cudnn(7), ATC_ERROR_INVALID_ARGUMENT, "benchmark_cudnn", "7");
  const std::string text = atc_last_error();
  std::int32_t out = 0;
  EXPECT_DONE(atc_get_benchmark_cudnn(&out));
  atc_conv_plan_destroy(nullptr);
  atc_bytes_destroy(nullptr);
  atc_store_close(nullptr);
  atc_tune_report_destroy(nullptr);
  EXPECT_EQ(atc_last_error(), text);
  EXPECT_REFUSED(atc_set_benchmark_technique(99), ATC_ERROR_INVALID_ARGUMENT, "benchmark_technique",
                 "99");
}

TEST(LastError, BelongsToItsThread) {
  atc_error_set("mine");
  std::string at_start, afterwards;
  std::thread([&] {
    at_start = atc_last_error();
    atc_set_benchmark_cudnn(9);
    afterwards = atc_last_error();
  }).join();
  EXPECT_EQ(at_start, "");
  EXPECT_THAT(afterwards, testing::HasSubstr("benchmark_cudnn is 9"));
  EXPECT_STREQ(atc_last_error(), "mine");
}

TEST(LastError, NullIsEmptyAndTextsUpToEightKibibytesAreWhole) {
  atc_error_set("text");
  atc_error_set(nullptr);
  EXPECT_STREQ(atc_last_error(), "");
  const std::string text(8190, 'a');
  atc_error_set((text + "b").c_str());
  EXPECT_EQ(atc_last_error(), text + "b");
  atc_error_set((text + "bc").c_str());
  EXPECT_THAT(atc_last_error(),
              testing::AllOf(testing::HasSubstr("aa … aa"), testing::EndsWith("abc")));
}

TEST(LastError, MaySetItself) {
  atc_error_set("the same");
  atc_error_set(atc_last_error());
  EXPECT_STREQ(atc_last_error(), "the same");
}

TEST(Version, OfTheLibraryIsThatOfTheHeader) {
  EXPECT_EQ(atc_version(), static_cast<std::uint32_t>(ATC_VERSION));
  EXPECT_EQ(atc_abi_version(), static_cast<std::uint32_t>(ATC_ABI_VERSION));
  EXPECT_EQ(atc_version_string(), std::to_string(ATC_VERSION / 10000) + "." +
                                      std::to_string(ATC_VERSION / 100 % 100) + "." +
                                      std::to_string(ATC_VERSION % 100));
}

TEST(Bytes, OfNothing) {
  EXPECT_EQ(atc_bytes_data(nullptr), nullptr);
  EXPECT_EQ(atc_bytes_size(nullptr), 0U);
}

TEST(LastError, ALongTextLosesItsMiddle) {
  atc_error_set(("begins " + std::string(1 << 20, 'x') + " ends").c_str());
  EXPECT_THAT(atc_last_error(),
              testing::AllOf(testing::StartsWith("begins xxx"), testing::HasSubstr("xx … xx"),
                             testing::EndsWith("xxx ends")));
  EXPECT_LT(std::strlen(atc_last_error()), 8192u);
  std::string umlauts = "begins ";
  for (int i = 0; i < 10'000; ++i) umlauts += "\u00fc";
  atc_error_set(umlauts.c_str());
  EXPECT_THAT(atc_last_error(), testing::HasSubstr("\u00fc … \u00fc"));
}

// An option of atc has three values: the default (0), off (1) and on (2). So a program that treats
// an option as a boolean would turn it off by writing 1. A program that sets options by the
// functions atc_option_* cannot make this mistake.
TEST(Options, AreSetByFunctionsThatCannotBeMixedUp) {
  std::int32_t option = 0;
  atc_option_enable(&option);
  EXPECT_EQ(option, ATC_ON);
  atc_option_disable(&option);
  EXPECT_EQ(option, ATC_OFF);
  for (const int enabled : {1, 2, -1}) {
    atc_option_set(&option, enabled);
    EXPECT_EQ(option, ATC_ON);
    atc_option_set(&option, 0);
    EXPECT_EQ(option, ATC_OFF);
  }
}

}  // namespace
