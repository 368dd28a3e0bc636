// Tests the loader of the bridge with libraries that replace LibTorch and the builds of the bridge.
// libatc_torch.so.1 is a link to a copy of the loader. Beside this copy are files named like builds
// for LibTorch 3.7 to 3.10. None of them is a usable build of this atc.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "atc/torch.h"

namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

std::string stand_in(const std::string& name) {
  return std::string(ATC_TEST_STAND_INS "/") + name + "/libtorch_cpu.so";
}

void load_libtorch(const std::string& name) {
  ASSERT_NE(dlopen(stand_in(name).c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
}

struct Call {
  std::string name;
  std::function<atc_status()> call;
};

atc_status plugin_init() {
  using Init = atc_status (*)();
  return reinterpret_cast<Init>(dlsym(RTLD_DEFAULT, "atc1_plugin_init"))();
}

// Returns calls of all functions that need a build of the bridge. The arguments do not matter,
// because the libraries that replace the builds in this test do not read them.
const std::vector<Call>& calls() {
  static const std::vector<Call> all = {
      {"plugin_init", plugin_init},
      {"init", atc_torch_init},
      {"load_cuda", atc_torch_load_cuda},
      {"set_fill_uninitialized_memory", [] { return atc_torch_set_fill_uninitialized_memory(1); }},
      {"get_fill_uninitialized_memory",
       [] { return atc_torch_get_fill_uninitialized_memory(nullptr); }},
      {"set_float32_matmul_precision", [] { return atc_torch_set_float32_matmul_precision(1); }},
      {"get_float32_matmul_precision",
       [] { return atc_torch_get_float32_matmul_precision(nullptr); }},
      {"install", [] { return atc_torch_install(nullptr); }},
      {"uninstall", atc_torch_uninstall},
      {"statistics_get", [] { return atc_torch_statistics_get(nullptr); }},
      {"statistics_reset", atc_torch_statistics_reset},
      {"forget_weights", atc_torch_forget_weights},
      {"convolution",
       [] { return atc_torch_convolution(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr); }},
      {"record_start", [] { return atc_torch_record_start(nullptr); }},
      {"record_stop", [] { return atc_torch_record_stop(nullptr); }},
  };
  return all;
}

atc_torch_info described() {
  atc_torch_info info = ATC_TORCH_INFO_INIT;
  EXPECT_EQ(atc_torch_describe(&info), ATC_OK) << atc_last_error();
  return info;
}

void expect_refused(const testing::Matcher<std::string>& text) {
  for (const Call& call : calls()) {
    EXPECT_EQ(call.call(), ATC_ERROR_LIBRARY) << call.name;
    EXPECT_THAT(std::string(atc_last_error()), text) << call.name;
  }
}

TEST(Loader, EachFunctionCallsTheOneOfTheBuild) {
  load_libtorch("3.7.2");
  for (const Call& call : calls()) {
    EXPECT_EQ(call.call(), ATC_ERROR_UNSUPPORTED) << call.name;
    EXPECT_EQ(atc_last_error(), call.name);
  }
  EXPECT_EQ(atc_torch_describe(nullptr), ATC_ERROR_UNSUPPORTED);
  EXPECT_STREQ(atc_last_error(), "describe");
}

TEST(Loader, ALibTorchWithoutABuildIsNamedWithThoseThatHaveOne) {
  load_libtorch("4.0.1");
  expect_refused(AllOf(HasSubstr(stand_in("4.0.1") + " is LibTorch 4.0.1"),
                       HasSubstr("for LibTorch: 3.7, 3.8, 3.9, 3.10."),
                       HasSubstr("-DATC_LIBTORCH_ROOTS")));
}

TEST(Loader, ALibTorchWithoutABuildIsDescribed) {
  load_libtorch("4.0.1");
  const atc_torch_info info = described();
  EXPECT_STREQ(info.version, "4.0.1");
  EXPECT_STREQ(info.built_for, "3.7, 3.8, 3.9, 3.10");
  EXPECT_EQ(info.file, stand_in("4.0.1"));
  EXPECT_EQ(info.initialized, 0);
  EXPECT_EQ(info.cuda, ATC_TORCH_CUDA_ABSENT);
  EXPECT_STREQ(info.cuda_file, "");
}

TEST(Loader, AVersionThatIsNotToldIsRefused) {
  load_libtorch("untold");
  expect_refused(AllOf(HasSubstr(stand_in("untold") + " does not tell its version"),
                       HasSubstr("3.7, 3.8, 3.9, 3.10")));
  EXPECT_STREQ(described().version, "");
}

TEST(Loader, ABuildWithoutATableIsNamed) {
  load_libtorch("3.8.0");
  expect_refused(
      HasSubstr("libatc_torch-3.8.so is no build of the bridge: it does not export "
                "atc1_torch_build"));
}

TEST(Loader, ABuildOfAnotherAtcIsNamed) {
  load_libtorch("3.9.0");
  expect_refused(HasSubstr("libatc_torch-3.9.so is of another atc"));
}

TEST(Loader, ABuildThatLacksAFunctionOfLibTorchIsNamed) {
  load_libtorch("3.10.0");
  expect_refused(AllOf(HasSubstr("build for LibTorch 3.10 cannot be loaded with"),
                       HasSubstr("undefined symbol: function_of_no_library")));
}

TEST(Loader, WithoutALibTorchTheDynamicLinkersReasonIsGiven) {
  expect_refused(AllOf(HasSubstr("no LibTorch is loaded"),
                       HasSubstr("libtorch_cpu.so: cannot open"), EndsWith("LD_LIBRARY_PATH")));
  atc_torch_info info = ATC_TORCH_INFO_INIT;
  EXPECT_EQ(atc_torch_describe(&info), ATC_ERROR_LIBRARY);
}

TEST(Loader, ALibTorchThatIsLoadedLaterIsFound) {
  EXPECT_EQ(atc_torch_init(), ATC_ERROR_LIBRARY);
  load_libtorch("3.7.2");
  EXPECT_EQ(atc_torch_init(), ATC_ERROR_UNSUPPORTED);
  EXPECT_STREQ(atc_last_error(), "init");
}

atc_status open_group() { return atc_torch_group_open(nullptr, "env://", 0, 1, 0); }

void expect_no_groups(const testing::Matcher<std::string>& text) {
  EXPECT_EQ(open_group(), ATC_ERROR_LIBRARY);
  EXPECT_THAT(std::string(atc_last_error()), text);
}

TEST(Loader, GroupsNeedTheirOwnLibraryAlone) {
  load_libtorch("3.8.0");
  EXPECT_EQ(open_group(), ATC_ERROR_UNSUPPORTED);
  EXPECT_STREQ(atc_last_error(), "group_open");
  EXPECT_EQ(atc_torch_init(), ATC_ERROR_LIBRARY);
}

TEST(Loader, ALibTorchWithoutC10dHasTheRestOfTheBridge) {
  load_libtorch("3.7.2");
  expect_no_groups(AllOf(HasSubstr("groups over c10d for LibTorch 3.7 cannot be loaded"),
                         HasSubstr("undefined symbol: function_of_no_library")));
  EXPECT_EQ(atc_torch_init(), ATC_ERROR_UNSUPPORTED);
  EXPECT_STREQ(atc_last_error(), "init");
}

TEST(Loader, GroupsThatWereNotBuiltAreNamed) {
  load_libtorch("3.10.0");
  expect_no_groups(AllOf(HasSubstr("libatc_torch_group-3.10.so is missing"),
                         HasSubstr("Open a group over a folder")));
}

TEST(Loader, GroupsOfAnotherAtcAreNamed) {
  load_libtorch("3.9.0");
  expect_no_groups(HasSubstr("libatc_torch_group-3.9.so is of another atc"));
}

TEST(Loader, GroupsNeedALibTorchThatHasABuild) {
  load_libtorch("4.0.1");
  expect_no_groups(AllOf(HasSubstr("is LibTorch 4.0.1"), HasSubstr("3.7, 3.8, 3.9, 3.10.")));
}

TEST(Loader, GroupsNeedALibTorch) { expect_no_groups(HasSubstr("no LibTorch is loaded")); }

TEST(Loader, AGeometryNeedsNoLibTorch) {
  atc_torch_geometry geometry;
  ASSERT_EQ(atc_torch_geometry_init(&geometry, 2), ATC_OK) << atc_last_error();
  EXPECT_EQ(geometry.stride[1], 1);
  EXPECT_EQ(geometry.stride[2], 0);
  EXPECT_EQ(atc_torch_geometry_init(&geometry, 4), ATC_ERROR_INVALID_ARGUMENT);
}

}  // namespace
