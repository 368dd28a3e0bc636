// Tests the table of known faults of vendors' libraries. Each row must apply to the cases that it
// describes, and to no other case.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engines/faults/conditions.hpp"
#include "engines/faults/table.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using faults::Handling;
using faults::Library;
using faults::Use;
using faults::Version;
using test::Memory;
using test::Spec;
using ::testing::HasSubstr;

constexpr Version kOnednn32{3, 2, 0}, kOnednn311{3, 11, 1}, kOnednn3112{3, 11, 2};

Spec strided_1x1() {
  Spec spec;
  spec.direction = Direction::backward_weight;
  spec.kernel = {1, 1, 1};
  spec.stride = {2, 2, 2};
  spec.in = {32, 32, 32};
  spec.channels_in = 4;
  spec.x_memory = spec.y_memory = Memory::last;
  return spec;
}

const faults::Fault* find(const Problem& problem, const std::string& implementation,
                          const Version& version = kOnednn32, Dtype factors = Dtype::f32,
                          bool plain = true) {
  Use use(problem);
  use.implementation = implementation;
  use.factors = factors;
  use.plain_source = plain;
  return faults::find(Library::onednn, version, use);
}

bool has_fault(const Spec& spec, const std::string& implementation,
               const Version& version = kOnednn32, Dtype factors = Dtype::f32, bool plain = true) {
  return find(test::build(spec), implementation, version, factors, plain) != nullptr;
}

TEST(Faults, HaveDifferentNamesAndAreComplete) {
  std::set<std::string> names;
  for (const faults::Fault& fault : faults::table()) {
    SCOPED_TRACE(fault.name);
    EXPECT_TRUE(names.insert(fault.name).second);
    EXPECT_STRNE(fault.condition_text, "");
    EXPECT_STRNE(fault.description, "");
    EXPECT_STRNE(fault.source, "");
    EXPECT_TRUE(fault.versions.first < fault.versions.fixed);
  }
}

TEST(Faults, BarTheStrided1x1GradientOfFewChannels) {
  for (int spatial = 1; spatial <= 3; ++spatial)
    for (const Version version : {kOnednn32, kOnednn3112, Version{3, 14, 1}}) {
      Spec spec = strided_1x1();
      spec.spatial = spatial;
      EXPECT_TRUE(has_fault(spec, "jit_1x1:avx512_core", version));
      EXPECT_TRUE(has_fault(spec, "jit_bf16_1x1:avx512_core", version, Dtype::bf16));
      EXPECT_TRUE(has_fault(spec, "jit_1x1:avx2", version));
    }
  Spec some_stride = strided_1x1();
  some_stride.stride = {1, 3, 1};
  EXPECT_TRUE(has_fault(some_stride, "jit_1x1:avx512_core"));
}

TEST(Faults, LeaveTheNeighboursOfTheStrided1x1Gradient) {
  const Spec spec = strided_1x1();
  Spec many = spec;
  many.channels_in = 8;
  EXPECT_TRUE(has_fault(many, "jit_1x1:avx512_core"));
  EXPECT_FALSE(has_fault(many, "jit_1x1:avx2"));
  many.channels_in = 16;
  EXPECT_FALSE(has_fault(many, "jit_1x1:avx512_core"));
  Spec unit = spec;
  unit.stride = {1, 1, 1};
  EXPECT_FALSE(has_fault(unit, "jit_1x1:avx512_core"));
  Spec wide = spec;
  wide.kernel = {1, 3, 1};
  EXPECT_FALSE(has_fault(wide, "jit_1x1:avx512_core"));
  Spec forward = spec;
  forward.direction = Direction::forward;
  EXPECT_FALSE(has_fault(forward, "jit_1x1:avx512_core"));
  EXPECT_FALSE(has_fault(spec, "jit:avx512_core"));
  // This kernel of oneDNN writes whole blocks of channels. In a layout with blocks of channels, the
  // memory has room for a whole block, so the kernel does not write beyond the memory.
  EXPECT_FALSE(has_fault(spec, "jit_1x1:avx512_core", kOnednn32, Dtype::f32, false));
}

TEST(Faults, BarAmxWhereNoWindowReachesSomeOfTheInput) {
  Spec spec;
  spec.direction = Direction::backward_data;
  spec.spatial = 3;
  spec.in = {16, 16, 17};
  spec.stride = {2, 2, 2};
  spec.pad_low = spec.pad_high = {1, 1, 0};
  // the windows end one position before the end of x: (16 - 3) / 2 leaves a remainder of 1
  spec.in[2] = 16;
  for (const char* name : {"jit:avx512_core_amx", "jit_deconvolution:avx512_core_amx",
                           "conv:any+jit:avx512_core_amx", "jit:avx512_core_amx_fp16"}) {
    EXPECT_TRUE(has_fault(spec, name, kOnednn32, Dtype::bf16)) << name;
    EXPECT_TRUE(has_fault(spec, name, Version{3, 13, 0}, Dtype::f16)) << name;
    EXPECT_FALSE(has_fault(spec, name, kOnednn32, Dtype::f32)) << name;
  }
  EXPECT_FALSE(has_fault(spec, "jit_bf16:avx512_core", kOnednn32, Dtype::bf16));
  Spec reached = spec;
  reached.in = {17, 17, 17};
  reached.pad_low = reached.pad_high = {};
  EXPECT_FALSE(has_fault(reached, "jit:avx512_core_amx", kOnednn32, Dtype::bf16));
}

TEST(Faults, BarStridesBeyondTheInput) {
  Spec spec;
  spec.direction = Direction::backward_weight;
  spec.in = {9, 2, 1};
  spec.kernel = {1, 2, 1};
  spec.stride = {1, 3, 1};
  EXPECT_TRUE(has_fault(spec, "jit_bf16:avx512_core", kOnednn32, Dtype::bf16));
  EXPECT_TRUE(has_fault(spec, "jit:avx512_core_amx", kOnednn32, Dtype::bf16));
  EXPECT_FALSE(has_fault(spec, "jit:avx512_core"));
  spec.in[1] = 3;
  EXPECT_FALSE(has_fault(spec, "jit_bf16:avx512_core", kOnednn32, Dtype::bf16));
}

// The cases with a fault were found by the sweep (tests/implementations, which runs each
// implementation of oneDNN) on a processor with AMX. The cases without a fault are similar to them.
TEST(Faults, BarWhatTheSweepFoundOnAmx) {
  Spec odd;  // forward, kernel of 1x1
  odd.kernel = {1, 1, 1};
  odd.channels_in = 13;
  odd.channels_out = 8;
  const char* const pointwise = "jit_bf16_1x1:avx512_core_bf16";
  EXPECT_TRUE(has_fault(odd, pointwise, kOnednn32, Dtype::bf16));
  odd.channels_in = 14;
  EXPECT_FALSE(has_fault(odd, pointwise, kOnednn32, Dtype::bf16));
  odd.direction = Direction::backward_data;
  EXPECT_FALSE(has_fault(odd, pointwise, kOnednn32, Dtype::bf16));
  odd.channels_out = 7;
  EXPECT_TRUE(has_fault(odd, pointwise, kOnednn32, Dtype::bf16));

  Spec dilated;
  dilated.direction = Direction::backward_weight;
  dilated.in = {38, 38, 38};
  dilated.kernel = {3, 3, 3};
  EXPECT_FALSE(has_fault(dilated, "jit_bf16:avx512_core_bf16", kOnednn32, Dtype::bf16));
  EXPECT_FALSE(has_fault(dilated, "jit:avx512_core_amx", kOnednn32, Dtype::bf16));
  dilated.dilation = {1, 2, 1};
  EXPECT_TRUE(has_fault(dilated, "jit_bf16:avx512_core_bf16", kOnednn32, Dtype::bf16));
  EXPECT_TRUE(has_fault(dilated, "jit:avx512_core_amx", kOnednn32, Dtype::bf16));
  EXPECT_FALSE(has_fault(dilated, "brgconv_bwd_w:avx512_core_amx", kOnednn32, Dtype::bf16));

  Spec gaps;  // a forward problem
  gaps.spatial = 3;
  gaps.in = {15, 10, 16};
  gaps.kernel = {2, 1, 1};
  gaps.stride = {4, 1, 1};
  EXPECT_TRUE(has_fault(gaps, "brgconv:avx512_core_amx", kOnednn32, Dtype::bf16));
  gaps.stride[0] = 2;
  EXPECT_FALSE(has_fault(gaps, "brgconv:avx512_core_amx", kOnednn32, Dtype::bf16));

  Spec few;  // a forward problem
  few.in = {10, 12, 1};
  few.kernel = {4, 4, 1};
  few.stride = {2, 2, 1};
  few.channels_in = 48;
  few.channels_out = 3;
  EXPECT_TRUE(has_fault(few, "brgconv:avx512_core_amx", kOnednn32, Dtype::bf16));
  few.channels_in = 64;
  EXPECT_FALSE(has_fault(few, "brgconv:avx512_core_amx", kOnednn32, Dtype::bf16));
  few.channels_in = 48;
  few.channels_out = 17;
  EXPECT_FALSE(has_fault(few, "brgconv:avx512_core_amx", kOnednn32, Dtype::bf16));

  Spec unreached;
  unreached.direction = Direction::backward_weight;
  unreached.spatial = 1;
  unreached.in = {188, 1, 1};
  unreached.kernel = {7, 1, 1};
  unreached.stride = {2, 1, 1};
  unreached.pad_low = unreached.pad_high = {};
  EXPECT_TRUE(has_fault(unreached, "brgconv_bwd_w:avx512_core_amx", kOnednn32, Dtype::bf16));
  unreached.in[0] = 187;
  EXPECT_FALSE(has_fault(unreached, "brgconv_bwd_w:avx512_core_amx", kOnednn32, Dtype::bf16));

  Spec beyond;
  beyond.direction = Direction::backward_weight;
  beyond.spatial = 3;
  beyond.in = {7, 6, 7};
  beyond.kernel = {7, 7, 7};
  beyond.pad_low = beyond.pad_high = {3, 3, 3};
  EXPECT_TRUE(has_fault(beyond, "jit:avx512_core"));
  beyond.in[1] = 7;
  EXPECT_FALSE(has_fault(beyond, "jit:avx512_core"));

  Spec patches;
  patches.direction = Direction::backward_weight;
  patches.spatial = 3;
  patches.in = {28, 28, 28};
  patches.kernel = patches.stride = {14, 14, 14};
  const char* const later = "brgconv_bwd_w:avx10_1_512_amx";
  EXPECT_TRUE(has_fault(patches, later, {3, 13, 0}, Dtype::bf16));
  EXPECT_FALSE(has_fault(patches, later, {3, 12, 0}, Dtype::bf16));
}

TEST(Faults, TakeTheF32ProductAsALastResortBelowItsFix) {
  const Problem problem = test::build({});
  for (const char* name : {"x64:gemm:jit", "conv:any+x64:gemm:jit", "gemm:jit:f32"}) {
    const faults::Fault* const fault = find(problem, name);
    ASSERT_NE(fault, nullptr) << name;
    EXPECT_EQ(fault->handling, Handling::last_resort);
    EXPECT_NE(find(problem, name, kOnednn311), nullptr);
    EXPECT_EQ(find(problem, name, kOnednn3112), nullptr);
    EXPECT_EQ(find(problem, name, {3, 13, 0}), nullptr);
    EXPECT_EQ(find(problem, name, kOnednn32, Dtype::bf16), nullptr);
  }
}

TEST(Faults, BarWhatOnednnIsKnownFor) {
  const Problem problem = test::build({});
  for (const char* name : {"ref:any", "conv:any+ref:any", "any:ref", "conv:any+:x", "jit:sse41"})
    EXPECT_NE(find(problem, name), nullptr) << name;
  for (const char* name : {"jit:avx2", "brgconv:avx512_core", "prefer:any"})
    EXPECT_EQ(find(problem, name), nullptr) << name;
}

Use cudnn_use(const Problem& problem, std::int64_t engine, faults::ComputeCapability device) {
  Use use(problem);
  use.engine = engine;
  use.device = device;
  return use;
}

TEST(Faults, OfDevicesLeaveOtherDevices) {
  const Problem problem = test::build({});
  const auto engine_5 = [&](const Version& version, faults::ComputeCapability device) {
    return faults::find(Library::cudnn, version, cudnn_use(problem, 5, device),
                        Handling::not_deterministic) != nullptr;
  };
  EXPECT_TRUE(engine_5({9, 23, 1}, {8, 6}));
  EXPECT_FALSE(engine_5({9, 23, 1}, {9, 0}));
  EXPECT_FALSE(engine_5({9, 24, 0}, {8, 6}));
  EXPECT_FALSE(engine_5({9, 22, 0}, {8, 6}));
  for (const std::int64_t engine : {58, 63}) {
    const auto barred = [&](faults::ComputeCapability device) {
      return faults::find(Library::cudnn, {9, 23, 1}, cudnn_use(problem, engine, device),
                          Handling::barred) != nullptr;
    };
    EXPECT_TRUE(barred({12, 0}));
    EXPECT_FALSE(barred({9, 0}));
    EXPECT_FALSE(barred({12, 1}));
  }
}

TEST(Faults, ConcernNoEngineThatIsNotNamed) {
  const Problem problem = test::build({});
  EXPECT_EQ(faults::find(Library::cudnn, {9, 23, 1}, cudnn_use(problem, -1, {12, 0})), nullptr);
  EXPECT_EQ(faults::find(Library::cudnn, {9, 23, 1}, cudnn_use(problem, 57, {12, 0})), nullptr);
}

TEST(Faults, SpeakInASentence) {
  const Problem problem = test::build(strided_1x1());
  const faults::Fault* const fault = find(problem, "jit_1x1:avx2");
  ASSERT_NE(fault, nullptr);
  const std::string text = faults::sentence(*fault, kOnednn32);
  EXPECT_THAT(text, HasSubstr("oneDNN 3.2.0"));
  EXPECT_THAT(text, HasSubstr("fewer than 8 input channels"));
  EXPECT_THAT(text, HasSubstr("uxlfoundation/oneDNN#6035"));
}

}  // namespace
}  // namespace atc
