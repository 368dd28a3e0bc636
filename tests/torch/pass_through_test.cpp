// Tests convolutions that atc does not run: tensors of other kinds, shapes that LibTorch refuses,
// and convolutions without a record. With atc installed, tuned or not, the result must have the
// bits of LibTorch's result. If LibTorch throws, the exception must have the same type and text.
#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "atc/settings.h"
#include "support/bridge.hpp"
#include "support/derivatives.hpp"
#include "support/outcome.hpp"
#include "support/records.hpp"

namespace {

using namespace atc_torch_test;
using Tensors = std::vector<at::Tensor>;

struct Call {
  const char* name;
  std::function<Tensors()> run;
  // The index of the counter (ATC_TORCH_PASSED_*) that must count the call, because the bridge has
  // left it to LibTorch. -1: the call does not reach the bridge's hooks, or atc runs it.
  int reason = -1;
};

at::Tensor numbers(at::IntArrayRef shape) {
  at::Tensor values = at::arange(c10::multiply_integers(shape), at::kFloat);
  return values.mul_(0.37).sin_().reshape(shape);
}

at::Tensor x() { return numbers({2, 4, 7, 7}); }
at::Tensor w() { return numbers({6, 4, 3, 3}); }
at::Tensor bias() { return numbers({6}); }
const at::Tensor none;

// Returns the results of the convolution and of its gradients. The parameters are those of
// LibTorch's operator.
Tensors convolve(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& b,
                 at::IntArrayRef stride = {1, 1}, at::IntArrayRef padding = {0, 0},
                 at::IntArrayRef dilation = {1, 1}, bool transposed = false,
                 at::IntArrayRef output_padding = {0, 0}, std::int64_t groups = 1) {
  return {at::convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups)};
}

Tensors differentiate(at::Tensor x, at::Tensor w) {
  x = x.detach().requires_grad_();
  w = w.detach().requires_grad_();
  const at::Tensor y = at::conv2d(x, w);
  const auto gradients = torch::autograd::grad({y}, {x, w}, {at::ones_like(y)});
  return {y.detach(), gradients[0], gradients[1]};
}

at::Tensor sparse(const at::Tensor& dense) { return dense.to_sparse(); }
at::Tensor quantized(const at::Tensor& t) { return at::quantize_per_tensor(t, 0.1, 0, at::kQInt8); }

std::vector<Call> other_tensors() {
  return {
      {"fp64", [] { return differentiate(x().to(at::kDouble), w().to(at::kDouble)); },
       ATC_TORCH_PASSED_DTYPE},
      {"int64", [] { return convolve(x().mul(9).to(at::kLong), w().mul(9).to(at::kLong), {}); },
       ATC_TORCH_PASSED_DTYPE},
      {"bool", [] { return convolve(x().gt(0), w().gt(0), {}); }, ATC_TORCH_PASSED_DTYPE},
      {"complex",
       [] { return convolve(x().to(at::kComplexFloat), w().to(at::kComplexFloat), {}); }},
      {"x and w of two dtypes", [] { return convolve(x(), w().to(at::kBFloat16), {}); },
       ATC_TORCH_PASSED_DTYPE},
      {"a bias of another dtype", [] { return convolve(x(), w(), bias().to(at::kDouble)); },
       ATC_TORCH_PASSED_DTYPE},
      {"sparse x", [] { return convolve(sparse(x()), w(), {}); }},
      {"sparse w", [] { return convolve(x(), sparse(w()), {}); }},
      {"sparse bias", [] { return convolve(x(), w(), sparse(bias())); }},
      {"quantized x", [] { return convolve(quantized(x()), w(), {}); }},
      {"quantized w", [] { return convolve(x(), quantized(w()), {}); }},
      {"meta x", [] { return convolve(x().to(at::kMeta), w(), {}); }},
      {"meta both",
       [] {
         return Tensors{
             at::empty_like(convolve(x().to(at::kMeta), w().to(at::kMeta), {})[0], at::kCPU)
                 .zero_()};
       }},
      {"undefined x", [] { return convolve(none, w(), {}); }},
      {"undefined w", [] { return convolve(x(), none, {}); }},
      {"x in oneDNN's layout",
       [] { return Tensors{convolve(x().to_mkldnn(), w(), {})[0].to_dense()}; }},
      {"empty batch",
       [] {
         return differentiate(at::empty({0, 4, 7, 7}), w());
       },
       ATC_TORCH_PASSED_SHAPE},
      {"x expanded along the batch",
       [] {
         return convolve(numbers({1, 4, 7, 7}).expand({3, 4, 7, 7}), w(), {});
       },
       ATC_TORCH_PASSED_LAYOUT},
      {"x that overlaps itself",
       [] {
         return convolve(numbers({999}).as_strided({2, 4, 7, 7}, {200, 49, 3, 1}), w(), {});
       },
       ATC_TORCH_PASSED_LAYOUT},
      {"x seen as conjugate",
       [] {
         return convolve(at::_conj(x().to(at::kComplexFloat)), w().to(at::kComplexFloat), {});
       }},
  };
}

std::vector<Call> refused_shapes() {
  return {
      {"channels that differ",
       [] {
         return convolve(numbers({2, 5, 7, 7}), w(), {});
       }},
      {"kernel larger than x",
       [] {
         return convolve(numbers({2, 4, 2, 2}), w(), {});
       }},
      {"no output left by dilation",
       [] {
         return convolve(x(), w(), {}, {1, 1}, {0, 0}, {9, 9});
       }},
      {"groups that do not divide",
       [] {
         return convolve(x(), w(), {}, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 3);
       }},
      {"no groups",
       [] {
         return convolve(x(), w(), {}, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 0);
       }},
      {"fewer than no groups",
       [] {
         return convolve(x(), w(), {}, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, -1);
       }},
      {"stride 0",
       [] {
         return convolve(x(), w(), {}, {0, 0});
       }},
      {"negative stride",
       [] {
         return convolve(x(), w(), {}, {1, -2});
       }},
      {"negative padding",
       [] {
         return convolve(x(), w(), {}, {1, 1}, {-1, 0});
       }},
      {"dilation 0",
       [] {
         return convolve(x(), w(), {}, {1, 1}, {0, 0}, {0, 1});
       }},
      {"three strides of two",
       [] {
         return convolve(x(), w(), {}, {1, 1, 1});
       }},
      {"three paddings of two",
       [] {
         return convolve(x(), w(), {}, {1, 1}, {1, 1, 1});
       }},
      {"three dilations of two",
       [] {
         return convolve(x(), w(), {}, {1, 1}, {0, 0}, {1, 1, 1});
       }},
      {"bias of the wrong length", [] { return convolve(x(), w(), numbers({5})); }},
      {"bias of two dimensions",
       [] {
         return convolve(x(), w(), numbers({6, 1}));
       }},
      {"w of another rank",
       [] {
         return convolve(x(), numbers({6, 4, 3}), {});
       }},
      {"x of two dimensions",
       [] {
         return convolve(numbers({4, 7}), numbers({6, 4}), {});
       }},
      {"no output channels",
       [] {
         return convolve(x(), at::empty({0, 4, 3, 3}), {});
       }},
      {"no input channels",
       [] {
         return convolve(at::empty({2, 0, 7, 7}), at::empty({6, 0, 3, 3}), {});
       }},
      {"empty extent",
       [] {
         return convolve(at::empty({2, 4, 0, 7}), w(), {});
       }},
      {"empty kernel",
       [] {
         return convolve(x(), at::empty({6, 4, 0, 3}), {});
       }},
      {"transposed: channels that differ",
       [] {
         return convolve(x(), w(), {}, {1, 1}, {0, 0}, {1, 1}, true);
       }},
      {"transposed: output padding as large as the stride",
       [] {
         return convolve(x(), numbers({4, 6, 3, 3}), {}, {2, 2}, {0, 0}, {1, 1}, true, {2, 2});
       }},
      {"transposed: negative output padding",
       [] {
         return convolve(x(), numbers({4, 6, 3, 3}), {}, {2, 2}, {0, 0}, {1, 1}, true, {-1, 0});
       }},
      {"transposed: padding that leaves nothing",
       [] {
         return convolve(numbers({2, 4, 2, 2}), numbers({4, 6, 3, 3}), {}, {1, 1}, {9, 9}, {1, 1},
                         true);
       }},
      {"padding given as an unknown word",
       [] { return Tensors{at::conv2d(x(), w(), {}, 1, "most")}; }},
      {"backward: a gradient of the wrong shape",
       [] {
         const auto [gx, gw, gb] = at::convolution_backward(
             numbers({2, 6, 9, 9}), x(), w(), at::OptionalIntArrayRef(), {1, 1}, {0, 0}, {1, 1},
             false, {0, 0}, 1, {true, true, false});
         return Tensors{gx, gw};
       }},
      {"backward: a gradient with other channels",
       [] {
         const auto [gx, gw, gb] = at::convolution_backward(
             numbers({2, 5, 5, 5}), x(), w(), at::OptionalIntArrayRef(), {1, 1}, {0, 0}, {1, 1},
             false, {0, 0}, 1, {true, true, false});
         return Tensors{gx, gw};
       }},
      {"backward: an empty kernel",
       [] {
         const auto [gx, gw, gb] = at::convolution_backward(
             numbers({2, 6, 8, 5}), x(), at::empty({6, 4, 0, 3}), at::OptionalIntArrayRef(), {1, 1},
             {0, 0}, {1, 1}, false, {0, 0}, 1, {true, true, false});
         return Tensors{gx, gw};
       }},
      {"backward: the weights' gradient alone, of an empty kernel",
       [] {
         const auto [gx, gw, gb] = at::convolution_backward(
             numbers({2, 6, 8, 5}), x(), at::empty({6, 4, 0, 3}), at::OptionalIntArrayRef(), {1, 1},
             {0, 0}, {1, 1}, false, {0, 0}, 1, {false, true, false});
         return Tensors{gw};
       }},
      {"backward: a gradient of another dtype",
       [] {
         const auto [gx, gw, gb] = at::convolution_backward(
             numbers({2, 6, 5, 5}).to(at::kDouble), x(), w(), at::OptionalIntArrayRef(), {1, 1},
             {0, 0}, {1, 1}, false, {0, 0}, 1, {true, true, false});
         return Tensors{gx, gw};
       }},
  };
}

// Returns calls with numbers near the largest ones that libatc accepts. LibTorch can compute some
// of these calls.
std::vector<Call> large_numbers() {
  std::vector<Call> calls;
  for (const std::int64_t beyond : {-1, 0, 1}) {
    const std::int64_t large = (std::int64_t{1} << 31) + beyond;
    const auto add = [&](const char* name, const std::function<Tensors()>& run) {
      calls.push_back({name, run, beyond < 0 ? -1 : ATC_TORCH_PASSED_SHAPE});
    };
    const at::Tensor signal = numbers({1, 1, 4}), one = at::full({1, 1, 1}, 2.0F);
    add("padding and stride",
        [=] { return convolve(signal, one, {}, {large}, {large}, {1}, false, {0}); });
    add("stride", [=] { return convolve(signal, one, {}, {large}, {0}, {1}, false, {0}); });
    add("dilation", [=] { return convolve(signal, one, {}, {1}, {0}, {large}, false, {0}); });
    add("the gradient's padding and stride", [=] {
      const auto [gx, gw, gb] =
          at::convolution_backward(numbers({1, 1, 3}), signal, one, at::OptionalIntArrayRef(),
                                   {large}, {large}, {1}, false, {0}, 1, {true, true, false});
      return Tensors{gx, gw};
    });
    add("transposed, of one element", [=] {
      return convolve(numbers({1, 1, 1}), one, {}, {large}, {0}, {1}, true, {0});
    });
  }
  const std::int64_t stride = std::int64_t{1} << 30;
  calls.push_back({"an output of more than 2^63 bytes",
                   [=] {
                     return convolve(numbers({1, 1, 4, 4, 4}), numbers({1, 1, 1, 1, 1}), {},
                                     {stride, stride, stride}, {0, 0, 0}, {1, 1, 1}, true,
                                     {0, 0, 0});
                   },
                   ATC_TORCH_PASSED_SHAPE});
  return calls;
}

// Returns calls of other functions of LibTorch that compute the same convolution. atc may run them.
std::vector<Call> other_spellings() {
  return {
      {"no batch dimension", [] { return Tensors{at::conv2d(x()[0], w(), bias(), 1, 1)}; }},
      {"padding 'same'", [] { return Tensors{at::conv2d(x(), w(), bias(), 1, "same")}; }},
      {"padding 'same' of an even kernel",
       [] {
         return Tensors{at::conv2d(x(), numbers({6, 4, 2, 2}), {}, 1, "same")};
       }},
      {"padding 'valid'", [] { return Tensors{at::conv2d(x(), w(), {}, 2, "valid")}; }},
      {"conv_transpose2d",
       [] {
         return Tensors{at::conv_transpose2d(x(), numbers({4, 6, 3, 3}), bias(), 2, 1, 1)};
       }},
      {"x with a lazy minus", [] { return convolve(at::_neg_view(x()), w(), {}); }},
      {"a bias that is undefined", [] { return convolve(x(), w(), none); }},
      {"padding as one number", [] { return convolve(x(), w(), {}, 2, 1, 1, false, 0); }},
  };
}

class PassThrough : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    ASSERT_DONE(atc_torch_init());
    ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
  }
  void TearDown() override { EXPECT_DONE(atc_torch_uninstall()); }

  static Outcome installed(const Call& call) {
    install(GetParam());
    EXPECT_DONE(atc_torch_statistics_reset());
    Outcome outcome = outcome_of(call.run);
    EXPECT_DONE(atc_torch_uninstall());
    return outcome;
  }
  static void expect_equal(const Call& call, const Outcome& plain, const Outcome& got) {
    EXPECT_EQ(got.exception, plain.exception) << call.name << ": " << got.text << plain.text;
    EXPECT_EQ(got.text, plain.text) << call.name;
    ASSERT_EQ(got.tensors.size(), plain.tensors.size()) << call.name;
    for (std::size_t i = 0; i < got.tensors.size(); ++i)
      EXPECT_TRUE(is_same(got.tensors[i], plain.tensors[i])) << call.name << ", tensor " << i;
  }
};

TEST_P(PassThrough, OtherTensorsAreLibTorchsOwn) {
  for (const Call& call : other_tensors()) {
    const Outcome plain = outcome_of(call.run);
    expect_equal(call, plain, installed(call));
    EXPECT_EQ(counted().taken, 0u) << call.name;
    if (!GetParam() || call.reason < 0) continue;
    EXPECT_GT(counted().passed[call.reason], 0u) << call.name;
  }
}

TEST_P(PassThrough, RefusedShapesAreRefusedInLibTorchsWords) {
  int refused = 0;
  for (const Call& call : refused_shapes()) {
    const Outcome plain = outcome_of(call.run);
    refused += plain.exception.empty() ? 0 : 1;
    expect_equal(call, plain, installed(call));
    EXPECT_EQ(counted().taken, 0u) << call.name;
  }
  EXPECT_GE(refused, 20);
}

TEST_P(PassThrough, LargeNumbersAreLeftToLibTorch) {
  int computed = 0;
  for (const Call& call : large_numbers()) {
    const Outcome plain = outcome_of(call.run);
    computed += plain.exception.empty() ? 1 : 0;
    const Outcome got = installed(call);
    EXPECT_EQ(got.exception, plain.exception) << call.name << ": " << got.text << plain.text;
    EXPECT_EQ(got.text, plain.text) << call.name;
    ASSERT_EQ(got.tensors.size(), plain.tensors.size()) << call.name;
    for (std::size_t i = 0; i < got.tensors.size(); ++i)
      EXPECT_TRUE(at::allclose(got.tensors[i], plain.tensors[i])) << call.name << ", tensor " << i;
    if (call.reason < 0) continue;
    EXPECT_EQ(counted().taken, 0u) << call.name;
    if (!GetParam()) continue;
    EXPECT_GT(counted().passed[call.reason], 0u) << call.name;
  }
  EXPECT_GE(computed, 9);
}

TEST_P(PassThrough, OtherSpellingsAreServed) {
  for (const Call& call : other_spellings()) {
    const Outcome plain = outcome_of(call.run);
    const Outcome got = installed(call);
    EXPECT_EQ(plain.exception + got.exception, "") << call.name << plain.text << got.text;
    ASSERT_EQ(got.tensors.size(), 1u);
    EXPECT_EQ(compare_layout(got.tensors[0], plain.tensors[0]), "") << call.name;
    // The tolerance is Higham's bound for a fp32 sum of 36 terms of at most 1, counted once for
    // each of the two results.
    EXPECT_LE(at::sub(got.tensors[0], plain.tensors[0]).abs().max().item().toDouble(),
              2 * 37 * 38 * 0x1p-24)
        << call.name;
    EXPECT_EQ(counted().taken + passed_in_all(counted()), 1u) << call.name;
  }
}

atc_cache_statistics plan_cache() {
  atc_cache_statistics statistics{};
  statistics.struct_size = sizeof(statistics);
  EXPECT_DONE(atc_cache_stats(&statistics));
  return statistics;
}

// Only the first call reads the store. Afterwards the process remembers that the store has no
// record.
TEST(NotRecorded, LaterCallsAskTheStoreNoMore) {
  ASSERT_DONE(atc_torch_init());
  const at::Tensor plain = at::conv2d(x(), w(), bias());
  const Records empty;
  install(false);
  EXPECT_DONE(atc_torch_statistics_reset());
  const auto before = plan_cache();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(at::equal(at::conv2d(x(), w(), bias()), plain));
  const auto after = plan_cache();
  EXPECT_EQ(after.misses - before.misses, 1u);
  EXPECT_EQ(after.hits - before.hits, 3u);
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_NOT_RECORDED], 4u);
  EXPECT_DONE(atc_torch_uninstall());
}

INSTANTIATE_TEST_SUITE_P(Tuning, PassThrough, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "On" : "Off"); });

}  // namespace
