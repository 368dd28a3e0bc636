// Tests the settings of atc with a LibTorch without CUDA. Each switch, query and action must work.
// A switch must have the same value in atc and in LibTorch. No switch may change a bit of a
// convolution's result, and none may open a library of CUDA.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include <fstream>
#include <set>

#include "atc/device.h"
#include "atc/settings.h"
#include "support/bridge.hpp"
#include "support/derivatives.hpp"

namespace {

using namespace atc_torch_test;
using at::Float32Backend;
using at::Float32Op;
using at::Float32Precision;
using testing::HasSubstr;

at::Context& context() { return at::globalContext(); }

template <typename T, typename Get>
T value_of(Get get) {
  T value{};
  EXPECT_DONE(get(&value));
  return value;
}

// Sets all switches of atc to their initial values. LibTorch's switches get the same values.
void reset() {
  EXPECT_DONE(atc_set_benchmark_cudnn(0));
  EXPECT_DONE(atc_set_benchmark_limit_cudnn(10));
  EXPECT_DONE(atc_set_user_enabled_cudnn(1));
  EXPECT_DONE(atc_set_deterministic_cudnn(0));
  EXPECT_DONE(atc_set_deterministic_algorithms(ATC_DETERMINISTIC_ALGORITHMS_OFF));
  EXPECT_DONE(atc_set_allow_tf32_cudnn(1));
  EXPECT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_INTERLEAVED));
  EXPECT_DONE(atc_set_workspace_limit(UINT64_C(1) << 30));
  EXPECT_DONE(atc_torch_set_fill_uninitialized_memory(1));
  EXPECT_DONE(atc_torch_set_float32_matmul_precision(ATC_TORCH_PRECISION_HIGHEST));
  for (const Float32Op op : {Float32Op::CONV, Float32Op::RNN})
    context().setFloat32Precision(Float32Backend::CUDA, op, Float32Precision::TF32);
  context().setFloat32Precision(Float32Backend::GENERIC, Float32Op::ALL, Float32Precision::NONE);
}

class Settings : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_DONE(atc_torch_init());
    reset();
  }
  void TearDown() override {
    EXPECT_DONE(atc_torch_uninstall());
    reset();
  }
};

// ---- Tests that a switch has the same value in atc and in LibTorch ------------------------------

TEST_F(Settings, WhatAtcSetsLibTorchHas) {
  EXPECT_DONE(atc_set_benchmark_cudnn(1));
  EXPECT_TRUE(context().benchmarkCuDNN());
  EXPECT_DONE(atc_set_benchmark_limit_cudnn(7));
  EXPECT_EQ(context().benchmarkLimitCuDNN(), 7);
  EXPECT_DONE(atc_set_user_enabled_cudnn(0));
  EXPECT_FALSE(context().userEnabledCuDNN());
  EXPECT_DONE(atc_set_deterministic_cudnn(1));
  EXPECT_TRUE(context().deterministicCuDNN());
  EXPECT_DONE(atc_set_deterministic_algorithms(ATC_DETERMINISTIC_ALGORITHMS_WARN));
  EXPECT_TRUE(context().deterministicAlgorithms());
  EXPECT_TRUE(context().deterministicAlgorithmsWarnOnly());
  EXPECT_DONE(atc_set_deterministic_algorithms(ATC_DETERMINISTIC_ALGORITHMS_ERROR));
  EXPECT_TRUE(context().deterministicAlgorithms());
  EXPECT_FALSE(context().deterministicAlgorithmsWarnOnly());
  EXPECT_DONE(atc_set_allow_tf32_cudnn(0));
  EXPECT_FALSE(context().allowTF32CuDNN());
  EXPECT_DONE(atc_torch_set_fill_uninitialized_memory(0));
  EXPECT_FALSE(context().deterministicFillUninitializedMemory());
  EXPECT_DONE(atc_torch_set_float32_matmul_precision(ATC_TORCH_PRECISION_MEDIUM));
  EXPECT_EQ(context().float32MatmulPrecision(), at::Float32MatmulPrecision::MEDIUM);
}

TEST_F(Settings, WhatLibTorchHasAtcTells) {
  context().setBenchmarkCuDNN(true);
  EXPECT_EQ(value_of<int32_t>(atc_get_benchmark_cudnn), 1);
  context().setBenchmarkLimitCuDNN(3);
  EXPECT_EQ(value_of<int32_t>(atc_get_benchmark_limit_cudnn), 3);
  context().setUserEnabledCuDNN(false);
  EXPECT_EQ(value_of<int32_t>(atc_get_user_enabled_cudnn), 0);
  context().setDeterministicCuDNN(true);
  EXPECT_EQ(value_of<int32_t>(atc_get_deterministic_cudnn), 1);
  context().setDeterministicAlgorithms(true, true);
  EXPECT_EQ(value_of<int32_t>(atc_get_deterministic_algorithms), ATC_DETERMINISTIC_ALGORITHMS_WARN);
  context().setDeterministicAlgorithms(true, false);
  EXPECT_EQ(value_of<int32_t>(atc_get_deterministic_algorithms),
            ATC_DETERMINISTIC_ALGORITHMS_ERROR);
  context().setAllowTF32CuDNN(false);
  EXPECT_EQ(value_of<int32_t>(atc_get_allow_tf32_cudnn), 0);
  context().setDeterministicFillUninitializedMemory(false);
  EXPECT_EQ(value_of<int32_t>(atc_torch_get_fill_uninitialized_memory), 0);
  context().setFloat32MatmulPrecision("high");
  EXPECT_EQ(value_of<atc_torch_precision>(atc_torch_get_float32_matmul_precision),
            ATC_TORCH_PRECISION_HIGH);

  atc_settings all{};
  all.struct_size = sizeof(all);
  ASSERT_DONE(atc_settings_get(&all));
  EXPECT_EQ(all.benchmark_cudnn, 1);
  EXPECT_EQ(all.benchmark_limit_cudnn, 3);
  EXPECT_EQ(all.user_enabled_cudnn, 0);
  EXPECT_EQ(all.deterministic_cudnn, 1);
  EXPECT_EQ(all.deterministic_algorithms, ATC_DETERMINISTIC_ALGORITHMS_ERROR);
  EXPECT_EQ(all.allow_tf32_cudnn, 0);
}

TEST_F(Settings, ReproducibleSetsLibTorchsSwitchesAndSeed) {
  context().setBenchmarkCuDNN(true);
  ASSERT_DONE(atc_set_reproducible(nullptr, 42));
  EXPECT_FALSE(context().benchmarkCuDNN());
  EXPECT_TRUE(context().deterministicCuDNN());
  EXPECT_TRUE(context().deterministicAlgorithms());
}

// ---- Tests of the switches for TF32 -------------------------------------------------------------

TEST_F(Settings, Tf32SwitchedOffStaysOff) {
  ASSERT_DONE(atc_set_allow_tf32_cudnn(0));
  const auto expect_off = [&] {
    EXPECT_NO_THROW(EXPECT_FALSE(context().allowTF32CuDNN()));
    for (const Float32Op op : {Float32Op::CONV, Float32Op::RNN}) {
      EXPECT_NO_THROW(EXPECT_FALSE(context().allowTF32CuDNN(op)));
      EXPECT_NO_THROW(
          EXPECT_EQ(context().float32Precision(Float32Backend::CUDA, op), Float32Precision::IEEE));
    }
    EXPECT_EQ(value_of<int32_t>(atc_get_allow_tf32_cudnn), 0);
  };
  expect_off();
  // LibTorch has an older flag for TF32 in cuDNN, and a newer setting, setFloat32Precision. If atc
  // only set the flag, the two following calls of setFloat32Precision would turn TF32 on again.
  context().setFloat32Precision(Float32Backend::GENERIC, Float32Op::ALL, Float32Precision::TF32);
  expect_off();
  context().setFloat32Precision(Float32Backend::CUDA, Float32Op::ALL, Float32Precision::TF32);
  expect_off();
  context().setFloat32Precision(Float32Backend::CUDA, Float32Op::ALL, Float32Precision::NONE);
}

TEST_F(Settings, Tf32ComesBackOnDemand) {
  ASSERT_DONE(atc_set_allow_tf32_cudnn(0));
  ASSERT_DONE(atc_set_allow_tf32_cudnn(1));
  EXPECT_NO_THROW(EXPECT_TRUE(context().allowTF32CuDNN()));
  EXPECT_NO_THROW(EXPECT_TRUE(context().allowTF32CuDNN(Float32Op::CONV)));
  EXPECT_EQ(value_of<int32_t>(atc_get_allow_tf32_cudnn), 1);
}

TEST_F(Settings, Tf32IsToldWhereLibTorchsOwnGetterThrows) {
  context().setFloat32Precision(Float32Backend::CUDA, Float32Op::CONV, Float32Precision::IEEE);
  EXPECT_THROW(context().allowTF32CuDNN(), c10::Error);
  EXPECT_EQ(value_of<int32_t>(atc_get_allow_tf32_cudnn), 0);
}

// ---- Tests of the switch for the precision of matrix products -----------------------------------

TEST_F(Settings, ContradictingPrecisionsAreAStatusAndCanBeRepaired) {
  ASSERT_DONE(atc_torch_set_float32_matmul_precision(ATC_TORCH_PRECISION_HIGH));
  context().setAllowTF32CuBLAS(false);
  ASSERT_THROW(context().float32MatmulPrecision(), c10::Error);
  atc_torch_precision precision = 99;
  EXPECT_EQ(atc_torch_get_float32_matmul_precision(&precision), ATC_ERROR_UNSUPPORTED);
  EXPECT_EQ(precision, 99);
  EXPECT_STRNE(atc_last_error(), "");
  for (const atc_torch_precision wanted :
       {ATC_TORCH_PRECISION_HIGHEST, ATC_TORCH_PRECISION_HIGH, ATC_TORCH_PRECISION_MEDIUM}) {
    context().setFloat32MatmulPrecision("high");
    context().setAllowTF32CuBLAS(false);
    ASSERT_DONE(atc_torch_set_float32_matmul_precision(wanted));
    EXPECT_EQ(value_of<atc_torch_precision>(atc_torch_get_float32_matmul_precision), wanted);
  }
}

// ---- Tests that the switches have no effect on the CPU ------------------------------------------

struct Switch {
  const char* name;
  std::function<atc_status()> set;
};

const std::vector<Switch>& switches() {
  static const std::vector<Switch> all{
      {"benchmark", [] { return atc_set_benchmark_cudnn(1); }},
      {"limit 0", [] { return atc_set_benchmark_limit_cudnn(0); }},
      {"limit 1", [] { return atc_set_benchmark_limit_cudnn(1); }},
      {"no cudnn", [] { return atc_set_user_enabled_cudnn(0); }},
      {"deterministic", [] { return atc_set_deterministic_cudnn(1); }},
      {"algorithms warn",
       [] { return atc_set_deterministic_algorithms(ATC_DETERMINISTIC_ALGORITHMS_WARN); }},
      {"algorithms error",
       [] { return atc_set_deterministic_algorithms(ATC_DETERMINISTIC_ALGORITHMS_ERROR); }},
      {"no tf32", [] { return atc_set_allow_tf32_cudnn(0); }},
      {"technique once", [] { return atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE); }},
      {"technique sustained", [] { return atc_set_benchmark_technique(ATC_TECHNIQUE_SUSTAINED); }},
      {"no workspace", [] { return atc_set_workspace_limit(0); }},
      {"any workspace", [] { return atc_set_workspace_limit(ATC_UNLIMITED); }},
      {"memory as it is", [] { return atc_torch_set_fill_uninitialized_memory(0); }},
      {"precision high",
       [] { return atc_torch_set_float32_matmul_precision(ATC_TORCH_PRECISION_HIGH); }},
      {"seed", [] { return atc_manual_seed(5); }},
      {"seeds", [] { return atc_manual_seed_all(6); }},
      {"synchronize", [] { return atc_synchronize(-1); }},
      {"synchronize 0", [] { return atc_synchronize(0); }},
  };
  return all;
}

// Computes a convolution and its gradients for each dtype.
std::vector<Derivatives> convolve(const std::vector<Case>& cases,
                                  const std::vector<Operands>& operands) {
  std::vector<Derivatives> results;
  for (std::size_t i = 0; i < cases.size(); ++i)
    results.push_back(derive(cases[i], operands[i], of_libtorch));
  return results;
}

TEST_F(Settings, NoSwitchNorPairOfThemChangesABit) {
  std::vector<Case> cases;
  std::vector<Operands> operands;
  std::set<at::ScalarType> seen;
  for (const Case& c : make_cases(2)) {
    if (!c.wants_x || !c.wants_w || c.transposed || !seen.insert(c.dtype).second) continue;
    cases.push_back(c);
    operands.push_back(make_operands(c));
  }
  ASSERT_EQ(seen.size(), 4u);
  const auto expected = convolve(cases, operands);
  int checked = 0;
  for (const bool installed : {false, true}) {
    if (installed) install(false);
    for (std::size_t a = 0; a < switches().size(); ++a) {
      for (std::size_t b = a; b < switches().size(); ++b) {
        EXPECT_DONE(switches()[a].set());
        EXPECT_DONE(switches()[b].set());
        const auto got = convolve(cases, operands);
        for (std::size_t i = 0; i < got.size(); ++i)
          for (std::size_t d = 0; d < got[i].size(); ++d)
            EXPECT_TRUE(is_same(got[i][d], expected[i][d]))
                << kNames[d] << " with " << switches()[a].name << " and " << switches()[b].name;
        reset();
        ++checked;
      }
    }
  }
  EXPECT_EQ(checked, 2 * 18 * 19 / 2);
}

// Returns the files of CUDA that are mapped into this process.
std::set<std::string> cuda_files() {
  std::set<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string file = line.substr(slash), name = file.substr(file.rfind('/') + 1);
    for (const char* part : {"cuda", "cudnn", "cublas", "cupti", "nvidia", "nvrtc", "libnv"})
      if (name.find(part) != std::string::npos) files.insert(file);
  }
  return files;
}

TEST_F(Settings, NothingOfCudaIsOpened) {
  if (described().cuda != ATC_TORCH_CUDA_ABSENT)
    GTEST_SKIP() << "this LibTorch was built for CUDA: libtorch_cuda lies beside libtorch_cpu";
  const auto before = cuda_files();
  // Two libraries of CUDA are always loaded, because libtorch_cpu is linked with them. If
  // cuda_files() finds them, it would also find others.
  EXPECT_EQ(before.size(), 2u);
  for (const Switch& each : switches()) EXPECT_DONE(each.set());
  reset();
  EXPECT_EQ(value_of<int32_t>(atc_cuda_is_available), 0);
  EXPECT_EQ(value_of<int32_t>(atc_cuda_device_count), 0);
  EXPECT_EQ(value_of<int32_t>(atc_cudnn_is_available), 0);
  EXPECT_EQ(value_of<int64_t>(atc_cudnn_version), 0);
  value_of<int64_t>(atc_cudnn_compiled_version);
  for (std::size_t i = 0; i < value_of<std::size_t>(atc_library_count); ++i) {
    atc_library_info library{};
    library.struct_size = sizeof(library);
    EXPECT_DONE(atc_library_describe(&library, i));
  }
  const atc_torch_info info = described();
  EXPECT_EQ(info.cuda, ATC_TORCH_CUDA_ABSENT);
  EXPECT_EQ(info.cuda_available, 0);
  EXPECT_EQ(info.cudnn_version, 0);
  EXPECT_EQ(info.cudnn_compiled_version, 0);
  EXPECT_STREQ(info.cuda_file, "");
  EXPECT_STREQ(info.version, info.built_for);
  EXPECT_THAT(info.file, HasSubstr("libtorch_cpu"));
  EXPECT_EQ(atc_torch_load_cuda(), ATC_ERROR_LIBRARY);
  EXPECT_THAT(atc_last_error(), HasSubstr("libtorch_cuda.so does not exist"));
  install(true);
  at::conv2d(at::randn({2, 4, 7, 7}), at::randn({6, 4, 3, 3}));
  EXPECT_EQ(cuda_files(), before);
}

}  // namespace
