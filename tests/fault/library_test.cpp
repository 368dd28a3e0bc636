// Tests what atc does if it cannot use the driver or the cuDNN that it finds. Each plan on CUDA
// must fail with an error that names the file and a remedy. Convolutions on the CPU must still
// work.
#include <dlfcn.h>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

using atc_test::library;
using testing::HasSubstr;

void expect_cudnn(bool available, std::int64_t version) {
  std::int32_t is_available = -1;
  std::int64_t is_version = -1;
  EXPECT_DONE(atc_cudnn_is_available(&is_available));
  EXPECT_EQ(is_available, available ? 1 : 0);
  EXPECT_DONE(atc_cudnn_version(&is_version));
  EXPECT_EQ(is_version, version);
}

// Expects that each convolution on CUDA fails with an error that contains all of `parts`, and that
// convolutions on the CPU work in the same process.
void expect_no_cuda(const std::vector<std::string>& parts) {
  Layer layer(tiny_problem());
  const auto reason = [&](const char* text) {
    for (const std::string& part : parts) EXPECT_THAT(text, HasSubstr(part));
  };
  EXPECT_REFUSED(layer.eager(), ATC_ERROR_LIBRARY, "cuda:0");
  reason(atc_last_error());
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCuda, &layer.call.problem, nullptr),
                 ATC_ERROR_LIBRARY, "cuda:0");
  reason(atc_last_error());
  const Tuned tuned = tune(layer.call.problem, cudnn_alone());
  EXPECT_EQ(tuned.status, ATC_ERROR_LIBRARY) << atc_status_name(tuned.status);
  reason(tuned.why.c_str());
}

TEST(Library, IsDescribed) {
  on_machine(usual_script(), [] {
    const atc_library_info cudnn = library("cuDNN");
    EXPECT_EQ(cudnn.loaded, 1);
    EXPECT_STREQ(cudnn.version, "9.19.0");
    EXPECT_EQ(cudnn.file, std::string(ATC_FAULT_CUDNN "/libcudnn.so.9"));
    EXPECT_STREQ(cudnn.note, "");
    expect_cudnn(true, 91900);
  });
}

TEST(Library, OfANewerCudnnWorks) {
  Script script = usual_script();
  script.cudnn_version = 99900;
  on_machine(script, [] {
    Layer layer(tiny_problem());
    EXPECT_EQ(tune(layer.call.problem, cudnn_alone()).choice, "cudnn@9.99.0:eng5_k2=7");
    layer.unwrite();
    EXPECT_DONE(layer.eager());
    layer.expect_right();
    expect_cudnn(true, 99900);
  });
}

struct OldVersion {
  std::size_t number;
  const char* text;
};

class OldCudnn : public testing::TestWithParam<OldVersion> {};

TEST_P(OldCudnn, IsNamedWithWhatIsNeeded) {
  Script script = usual_script();
  script.cudnn_version = GetParam().number;
  on_machine(script, [] {
    expect_no_cuda({ATC_FAULT_CUDNN "/libcudnn.so.9", std::string("cuDNN ") + GetParam().text,
                    "install 9.2.0 or newer", "ATC_LIBRARY_PATH"});
    EXPECT_THAT(library("cuDNN").note, HasSubstr("9.2.0 or newer"));
    EXPECT_STREQ(library("cuDNN").version, GetParam().text);
    expect_cudnn(false, static_cast<std::int64_t>(GetParam().number));
  });
}

INSTANTIATE_TEST_SUITE_P(Versions, OldCudnn,
                         testing::Values(OldVersion{90100, "9.1.0"}, OldVersion{8907, "8.9.7"},
                                         OldVersion{7605, "7.6.5"}),
                         [](const auto& info) { return std::to_string(info.param.number); });

// If cuDNN lacks functions because it is too old, the error must name its version.
TEST(Library, OfCudnn8LacksFunctionsToo) {
  Script script = usual_script();
  script.cudnn_version = 8907;
  with_libraries(ATC_FAULT_DRIVER ":" ATC_FAULT_OLD_CUDNN, script, [] {
    expect_no_cuda({ATC_FAULT_OLD_CUDNN "/libcudnn.so.9", "cuDNN 8.9.7", "9.2.0 or newer"});
  });
}

TEST(Library, OfCudnnThatLacksAFunctionIsNamedWithIt) {
  with_libraries(ATC_FAULT_DRIVER ":" ATC_FAULT_HALF_CUDNN, usual_script(), [] {
    expect_no_cuda({ATC_FAULT_HALF_CUDNN "/libcudnn.so.9", "cudnnBackendExecute"});
    EXPECT_THAT(library("cuDNN").note, HasSubstr("cudnnBackendExecute"));
  });
}

TEST(Library, OfADriverThatLacksAFunctionIsNamedWithIt) {
  with_libraries(ATC_FAULT_OLD_DRIVER ":" ATC_FAULT_CUDNN, usual_script(), [] {
    expect_no_cuda({ATC_FAULT_OLD_DRIVER "/libcuda.so.1", "cuMemAllocAsync", "12.0 or newer"});
    EXPECT_THAT(library("CUDA driver").note, HasSubstr("cuMemAllocAsync"));
  });
}

// cuDNN consists of several libraries (parts), and opens a part when it first needs it. Only then
// does it report that parts come from different installations.
TEST(Library, MixedOfTwoFoldersNamesBoth) {
  for (const int status : {1002, 1008})
    for (const char* const where :
         {"cudnnCreate", "cudnnBackendFinalize graph", "cudnnBackendFinalize plan"})
      on_each_machine(usual_script(), [&] {
        void* const part = dlopen(ATC_FAULT_OTHER_PART "/libcudnn_ops.so.9", RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(part, nullptr) << dlerror();
        machine().break_call({Part::cudnn, 1, where, status, true});
        expect_no_cuda({ATC_FAULT_CUDNN, ATC_FAULT_OTHER_PART, "ATC_LIBRARY_PATH"});
        EXPECT_EQ(machine().broken(), where);
      });
}

}  // namespace
}  // namespace atc::fault
