// Tests what atc promises for builds and hosts without CUDA. Each switch is accepted and stored.
// Each query returns 0, and each action succeeds. No library of CUDA is opened, and no bit of a
// convolution's result changes.
#include <dlfcn.h>

#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>

#include "conv_call.hpp"
#include "status.hpp"

namespace {

using atc_test::Call;
using atc_test::kCpu;
using atc_test::PlanDeleter;

std::vector<std::string>& opened() {
  static auto* const names = new std::vector<std::string>;
  return *names;
}
std::mutex& opened_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

}  // namespace

// Replaces dlopen of the C library for libatc, because this program comes first in the search order
// of symbols. The names that libatc opens are recorded.
extern "C" __attribute__((visibility("default"))) void* dlopen(const char* name,
                                                               int flags) noexcept {
  using Open = void* (*)(const char*, int);
  static const Open next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  if (name != nullptr) {
    const std::lock_guard lock(opened_mutex());
    opened().emplace_back(name);
  }
  return next(name, flags);
}

namespace {

bool host_has_cuda() {
  std::int32_t count = 0;
  EXPECT_DONE(atc_cuda_device_count(&count));
  return count > 0;
}

#define SKIP_WITH_CUDA() \
  if (host_has_cuda())   \
  GTEST_SKIP() << "this host has a CUDA device: the no-op promise is about others"

bool contains(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

// ---- Statuses and getters
// ---------------------------------------------------------------------------

TEST(NoOp, QueriesAnswerZero) {
  SKIP_WITH_CUDA();
  for (const auto query : {atc_cuda_is_available, atc_cuda_device_count, atc_cudnn_is_available}) {
    std::int32_t out = -1;
    EXPECT_DONE(query(&out));
    EXPECT_EQ(out, 0);
    EXPECT_REFUSED(query(nullptr), ATC_ERROR_INVALID_ARGUMENT, "out", "missing");
  }
  std::int64_t out = -1;
  EXPECT_DONE(atc_cudnn_version(&out));
  EXPECT_EQ(out, 0);
  EXPECT_REFUSED(atc_cudnn_version(nullptr), ATC_ERROR_INVALID_ARGUMENT, "out", "missing");
  // The compiled version is a property of the build, so it is known on a host without CUDA, too.
  EXPECT_DONE(atc_cudnn_compiled_version(&out));
  EXPECT_EQ(out, ATC_TEST_CUDNN_VERSION);
  EXPECT_REFUSED(atc_cudnn_compiled_version(nullptr), ATC_ERROR_INVALID_ARGUMENT, "out", "missing");
}

TEST(NoOp, ActionsSucceed) {
  SKIP_WITH_CUDA();
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, UINT64_MAX}) {
    EXPECT_DONE(atc_manual_seed(seed));
    EXPECT_DONE(atc_manual_seed_all(seed));
  }
  for (const std::int32_t index : {-1, 0, 1, 7, INT32_MAX}) EXPECT_DONE(atc_synchronize(index));
  for (const std::int32_t index : {-2, INT32_MIN})
    EXPECT_REFUSED(atc_synchronize(index), ATC_ERROR_INVALID_ARGUMENT, "index",
                   std::to_string(index).c_str());
}

TEST(NoOp, ACudaDeviceIsRefusedWithAReason) {
  SKIP_WITH_CUDA();
  atc_device_info info{};
  info.struct_size = sizeof(info);
  EXPECT_REFUSED(atc_device_describe(&info, {ATC_DEVICE_CUDA, 0}), ATC_ERROR_INVALID_ARGUMENT,
                 "device.index", "0", "no usable CUDA device: ");
}

// ---- No library of CUDA is opened
// ------------------------------------------------------------------------

// libatc may try to open the driver, if it was built with CUDA. It must not open any other library
// of CUDA.
TEST(NoOp, OnlyTheDriverIsLookedForAndNothingIsMapped) {
  SKIP_WITH_CUDA();
  for (const auto toggle : {atc_set_benchmark_cudnn, atc_set_deterministic_cudnn,
                            atc_set_allow_tf32_cudnn, atc_set_user_enabled_cudnn})
    ASSERT_DONE(toggle(1));
  Call call(atc_test::small_problem());
  ASSERT_DONE(call.eager());
  std::int64_t version = 0;
  ASSERT_DONE(atc_cudnn_version(&version));
  ASSERT_DONE(atc_synchronize(-1));
  std::size_t count = 0;
  ASSERT_DONE(atc_library_count(&count));
  bool driver_wanted = false;
  {
    const std::lock_guard lock(opened_mutex());
    for (const std::string& name : opened()) {
      const bool driver = contains(name, {"libcuda.so"});
      driver_wanted = driver_wanted || driver;
      EXPECT_FALSE(!driver &&
                   contains(name, {"cuda", "cudnn", "cublas", "nvidia", "nvrtc", "libnv"}))
          << name;
    }
  }
#ifdef ATC_TEST_CUDA_BUILD
  EXPECT_TRUE(driver_wanted);  // proves that the test's dlopen records the names
#else
  EXPECT_FALSE(driver_wanted);
#endif
  std::ifstream maps("/proc/self/maps");
  std::string line;
  std::size_t lines = 0;
  while (std::getline(maps, line)) {
    ++lines;
    EXPECT_FALSE(contains(line, {"libcuda", "libcudnn", "libcublas", "libnv"})) << line;
  }
  EXPECT_GT(lines, 0U);
}

TEST(NoOp, TheLibrariesSayWhatIsMissingAndWhatItCosts) {
  SKIP_WITH_CUDA();
  std::size_t count = 0;
  ASSERT_DONE(atc_library_count(&count));
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < count; ++i) {
    atc_library_info info{};
    info.struct_size = sizeof(info);
    ASSERT_DONE(atc_library_describe(&info, i));
    EXPECT_NE(info.name[0], '\0');
    if (info.loaded != 0) {
      EXPECT_EQ(info.file[0], '/') << info.name;
    } else {
      missing.emplace_back(info.name);
      EXPECT_STREQ(info.version, "") << info.name;
      EXPECT_NE(info.note[0], '\0') << info.name;
    }
  }
  EXPECT_THAT(missing, testing::IsSupersetOf({"CUDA driver", "cuDNN"}));
#ifdef ATC_TEST_ONEDNN_BUILD
  EXPECT_THAT(missing, testing::Not(testing::Contains("oneDNN")));
#else
  EXPECT_THAT(missing, testing::Contains("oneDNN"));
#endif
  atc_library_info info{};
  info.struct_size = sizeof(info);
  EXPECT_REFUSED(atc_library_describe(&info, count), ATC_ERROR_INVALID_ARGUMENT, "index",
                 std::to_string(count).c_str());
}

TEST(NoOp, TheCpuIsDescribed) {
  atc_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_DONE(atc_device_describe(&info, kCpu));
  EXPECT_GE(info.compute_units, 1);
  EXPECT_GT(info.memory_bytes, 0U);
  EXPECT_EQ(info.compute_major, 0);
  EXPECT_NE(info.name[0], '\0');
  EXPECT_NE(info.isa[0], '\0');
  EXPECT_REFUSED(atc_device_describe(&info, {ATC_DEVICE_CPU, 1}), ATC_ERROR_INVALID_ARGUMENT,
                 "device.index", "1");
  EXPECT_REFUSED(atc_device_describe(&info, {77, 0}), ATC_ERROR_INVALID_ARGUMENT, "device.type",
                 "77");
  EXPECT_REFUSED(atc_device_describe(nullptr, kCpu), ATC_ERROR_INVALID_ARGUMENT, "out", "missing");
}

// ---- Bits of results under each switch
// -----------------------------------------------------------------------------------------------

struct Toggle {
  const char* name;
  std::function<atc_status()> set;
  // If true, this value of the switch is also tested together with each value of another switch
  // that is marked as `paired`.
  bool paired = false;
};

const std::vector<Toggle>& toggles() {
  static const std::vector<Toggle> all = {
      {"benchmark", [] { return atc_set_benchmark_cudnn(1); }, true},
      {"limit 0", [] { return atc_set_benchmark_limit_cudnn(0); }},
      {"limit 1", [] { return atc_set_benchmark_limit_cudnn(1); }, true},
      {"disabled", [] { return atc_set_user_enabled_cudnn(0); }, true},
      {"deterministic", [] { return atc_set_deterministic_cudnn(1); }, true},
      {"algorithms warn",
       [] { return atc_set_deterministic_algorithms(ATC_DETERMINISTIC_ALGORITHMS_WARN); }},
      {"algorithms error",
       [] { return atc_set_deterministic_algorithms(ATC_DETERMINISTIC_ALGORITHMS_ERROR); }, true},
      {"no tf32", [] { return atc_set_allow_tf32_cudnn(0); }, true},
      {"once", [] { return atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE); }},
      {"median", [] { return atc_set_benchmark_technique(ATC_TECHNIQUE_MEDIAN_OF_THREE); }},
      {"stable", [] { return atc_set_benchmark_technique(ATC_TECHNIQUE_TILL_STABLE); }},
      {"sustained", [] { return atc_set_benchmark_technique(ATC_TECHNIQUE_SUSTAINED); }, true},
      {"no workspace", [] { return atc_set_workspace_limit(0); }, true},
      {"32 MiB", [] { return atc_set_workspace_limit(std::uint64_t{32} << 20); }},
      {"any workspace", [] { return atc_set_workspace_limit(ATC_UNLIMITED); }},
  };
  return all;
}

// Returns problems in each direction: dense, depthwise and pointwise ones. Further problems have a
// bias, one or three dimensions, or bf16 operands.
std::vector<atc_conv_problem> problems() {
  std::vector<atc_conv_problem> all;
  for (const atc_direction direction : {ATC_FORWARD, ATC_BACKWARD_DATA, ATC_BACKWARD_WEIGHT}) {
    atc_conv_problem plain = atc_test::small_problem();
    plain.in_channels = plain.out_channels = 16;
    plain.direction = direction;
    all.push_back(plain);
    atc_conv_problem depthwise = plain;
    depthwise.groups = 16;
    depthwise.layout = ATC_LAYOUT_CHANNELS_LAST;
    all.push_back(depthwise);
    atc_conv_problem pointwise = plain;
    pointwise.kernel[0] = pointwise.kernel[1] = 1;
    pointwise.stride[0] = 2;
    all.push_back(pointwise);
    atc_conv_problem reduced = plain;
    reduced.x_dtype = reduced.w_dtype = reduced.y_dtype = ATC_DTYPE_BF16;
    all.push_back(reduced);
  }
  for (const std::int32_t dims : {1, 2, 3}) {
    atc_conv_problem problem;
    EXPECT_DONE(atc_conv_problem_init(&problem, dims));
    problem.in_channels = problem.out_channels = 16;
    for (std::int32_t i = 0; i < dims; ++i) {
      problem.input[i] = 6 + i;
      problem.kernel[i] = 3;
    }
    problem.epilogue = dims == 2 ? ATC_EPILOGUE_BIAS_RELU : ATC_EPILOGUE_BIAS;
    all.push_back(problem);
  }
  return all;
}

// Converts the fp32 elements of the operand to bf16 in place, by truncation, and changes the dtype
// of the operand's view.
void cut_to_bf16(atc_test::Operand& operand) {
  auto* const bytes = reinterpret_cast<unsigned char*>(operand.data.data());
  for (std::size_t i = 0; i < operand.data.size(); ++i)
    // Copies the upper 16 bits of the fp32 element. The machine is little-endian.
    std::memmove(bytes + 2 * i, bytes + 4 * i + 2, 2);
  operand.view.dtype = {ATC_CODE_BFLOAT, 16, 1};
}

std::unique_ptr<Call> call_for(const atc_conv_problem& problem) {
  auto call = std::make_unique<Call>(problem);
  if (problem.x_dtype == ATC_DTYPE_BF16)
    for (atc_test::Operand* const operand : {&call->x, &call->w, &call->bias, &call->y})
      cut_to_bf16(*operand);
  return call;
}

class Bits : public testing::Test {
 protected:
  void SetUp() override {
    defaults_.struct_size = sizeof(defaults_);
    ASSERT_DONE(atc_settings_get(&defaults_));
    for (const atc_conv_problem& problem : problems()) calls_.push_back(call_for(problem));
    for (std::size_t i = 0; i < calls_.size(); ++i) expected_.push_back(output(i, false));
  }
  void TearDown() override { ASSERT_DONE(atc_settings_apply(&defaults_)); }

  // Returns the output of problem `i`, computed by a plan or by an eager call. The output is filled
  // with 0.5 before, so that elements which are not written are equal, too.
  std::vector<float> output(std::size_t i, bool by_plan) {
    Call& call = *calls_[i];
    std::vector<float>& output = call.output().data;
    std::fill(output.begin(), output.end(), 0.5F);
    if (by_plan) {
      atc_conv_plan* plan = nullptr;
      EXPECT_DONE(atc_conv_plan_create(&plan, kCpu, &call.problem, nullptr));
      const std::unique_ptr<atc_conv_plan, PlanDeleter> owner(plan);
      EXPECT_DONE(call.run(plan));
    } else {
      EXPECT_DONE(call.eager());
    }
    return output;
  }

  // Compares the bytes and not the numbers, because -0 and 0 would compare as equal numbers.
  bool as_before(std::size_t i, bool by_plan) {
    const std::vector<float> now = output(i, by_plan);
    return std::memcmp(now.data(), expected_[i].data(), now.size() * sizeof(float)) == 0;
  }

  void expect_as_before(const std::string& switches) {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      EXPECT_TRUE(as_before(i, false)) << switches << ", problem " << i;
      EXPECT_TRUE(as_before(i, true)) << switches << ", problem " << i << ", by plan";
    }
  }

  // Tests each problem either by a plan or by an eager call, in alternation. There are too many
  // pairs of switches to test both ways for each pair.
  void expect_as_before_in_turns(const std::string& switches) {
    ++turn_;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const bool by_plan = (i + turn_) % 2 == 0;
      EXPECT_TRUE(as_before(i, by_plan))
          << switches << ", problem " << i << ", by plan " << by_plan;
    }
  }

  std::size_t turn_ = 0;
  atc_settings defaults_{};
  std::vector<std::unique_ptr<Call>> calls_;
  std::vector<std::vector<float>> expected_;
};

TEST_F(Bits, AreTheSameUnderEachSwitchAloneAndInPairs) {
  expect_as_before("no switch: not even repeatable");
  for (const Toggle& first : toggles()) {
    ASSERT_DONE(atc_settings_apply(&defaults_));
    ASSERT_DONE(first.set());
    expect_as_before(first.name);
    for (const Toggle* second = &first + 1; first.paired && second != &*toggles().end(); ++second) {
      if (!second->paired) continue;
      ASSERT_DONE(atc_settings_apply(&defaults_));
      ASSERT_DONE(first.set());
      ASSERT_DONE(second->set());
      expect_as_before_in_turns(std::string(first.name) + " and " + second->name);
    }
  }
}

// Proves that the comparison of outputs can fail. Other inputs must give another output for each
// problem, by a plan and by an eager call.
TEST_F(Bits, ADifferenceIsSeen) {
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    Call& call = *calls_[i];
    std::vector<float>& input = (&call.output() == &call.x ? call.w : call.x).data;
    const std::vector<float> kept = input;
    std::fill(input.begin(), input.end(), 0.25F);
    EXPECT_FALSE(as_before(i, false)) << i;
    EXPECT_FALSE(as_before(i, true)) << i << ", by plan";
    input = kept;
    EXPECT_TRUE(as_before(i, false)) << i;
  }
}

// The switch benchmark_cudnn only has an effect on CUDA, so nothing is measured on the CPU.
TEST_F(Bits, NothingIsMeasured) {
  ASSERT_DONE(atc_set_benchmark_cudnn(1));
  atc_conv_plan* plan = nullptr;
  ASSERT_DONE(atc_conv_plan_create(&plan, kCpu, &calls_[0]->problem, nullptr));
  const std::unique_ptr<atc_conv_plan, PlanDeleter> owner(plan);
  std::int32_t source = 0;
  std::size_t count = 0;
  ASSERT_DONE(atc_conv_plan_source(&source, plan));
#ifdef ATC_TEST_ONEDNN_BUILD
  EXPECT_EQ(source, ATC_SOURCE_DEFAULT);
#else
  EXPECT_EQ(source, ATC_SOURCE_REFERENCE);
#endif
  ASSERT_DONE(atc_conv_plan_candidate_count(&count, plan));
  for (std::size_t i = 0; i < count; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    ASSERT_DONE(atc_conv_plan_candidate(&candidate, plan, i));
    EXPECT_EQ(candidate.samples, 0U);
  }
}

}  // namespace
