// Tests how the bridge learns the memory layout of an output: LibTorch computes the first call of a
// convolution, and atc's results of later calls get the same layout. The bridge may only use the
// layout for convolutions for which LibTorch's result has this layout. The first call must give the
// same bits as later calls.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <utility>

#include "atc/settings.h"
#include "support/bridge.hpp"
#include "support/derivatives.hpp"
#include "support/device.hpp"
#include "support/outcome.hpp"
#include "support/records.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_torch_test;

struct Given {
  at::Tensor gradient, x, w;
};

std::vector<at::Tensor> differentiate(const Given& given,
                                      std::array<bool, 3> wanted = {true, true, true}) {
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(given.x.dim()) - 2, 1);
  const std::vector<std::int64_t> none(ones.size(), 0);
  const std::vector<std::int64_t> channels{given.w.size(0)};
  const auto [x, w, bias] =
      at::convolution_backward(given.gradient, given.x, given.w, at::OptionalIntArrayRef(channels),
                               ones, none, ones, false, none, 1, wanted);
  return {x, w, bias};
}

class Layouts : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_DONE(atc_torch_init());
    ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
    at::manual_seed(1);
  }
  void TearDown() override {
    EXPECT_DONE(atc_torch_uninstall());
    EXPECT_DONE(atc_set_pins(nullptr));
    at::globalContext().setUserEnabledNNPACK(true);
    at::set_num_threads(threads_);
  }

  // Calls the convolution twice, and expects that both results have LibTorch's layouts. The bridge
  // learns the layout in the first call, and uses it in the second call.
  static void expect_laid_out(const Given& given, const char* what) {
    EXPECT_DONE(atc_torch_uninstall());
    const auto plain = differentiate(given);
    install(true, given.x.device().type());
    for (int i = 0; i < 2; ++i) {
      const auto got = differentiate(given);
      for (std::size_t k = 0; k < got.size(); ++k)
        EXPECT_EQ(compare_layout(got[k], plain[k]), "") << kNames[kGradX + k] << ", " << what;
    }
  }

  const int threads_ = at::get_num_threads();
  Records records_;
};

class OnDevices : public Layouts, public testing::WithParamInterface<c10::DeviceType> {
 protected:
  void SetUp() override {
    ATC_SKIP_WITHOUT(GetParam());
    Layouts::SetUp();
  }
};

TEST_P(OnDevices, OfGradientsFollowXAndW) {
  const at::Tensor x = at::randn({2, 4, 8, 8}).to(GetParam()),
                   w = at::randn({6, 4, 3, 3}).to(GetParam());
  const at::Tensor x_last = x.contiguous(at::MemoryFormat::ChannelsLast),
                   w_last = w.contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor gradient = at::randn({2, 6, 6, 6}).to(GetParam());
  const at::Tensor gradient_last = gradient.contiguous(at::MemoryFormat::ChannelsLast);
  // The gradient is dense with channels first, dense with channels last, or expanded like the
  // gradient of a sum.
  for (const at::Tensor& of :
       {gradient, gradient_last, at::ones({}).to(GetParam()).expand(gradient.sizes())}) {
    expect_laid_out({of, x_last, w}, "x channels last");
    expect_laid_out({of, x, w}, "none");
    expect_laid_out({of, x, w_last}, "w channels last");
    expect_laid_out({of, x_last, w_last}, "both channels last");
  }
}

// Returns the results of one convolution and of its gradients.
std::vector<at::Tensor> derive(const Given& given, bool transposed) {
  const auto dims = static_cast<std::size_t>(given.x.dim()) - 2;
  const std::vector<std::int64_t> ones(dims, 1), none(dims, 0);
  const at::Tensor y = at::convolution(given.x, given.w, {}, ones, none, ones, transposed, none, 1);
  const auto [x, w, bias] =
      at::convolution_backward(given.gradient, given.x, given.w, at::OptionalIntArrayRef(), ones,
                               none, ones, transposed, none, 1, {true, true, false});
  return {y, x, w};
}

// If an extent of a tensor is 1, the tensor may be dense both with channels first and with channels
// last. LibTorch then chooses a format by the strides.
TEST_P(OnDevices, OfExtentsOfOneAreThoseOfLibTorch) {
  const atc::test::TempFolder folder;
  const auto pins = folder / "pins.json";
  std::ofstream(pins) << R"({"schema": 1, "pins": [{"match": {}, "bar": ["aten"]}]})";
  using Shape = std::vector<std::int64_t>;
  const std::pair<Shape, Shape> shapes[] = {
      {{1, 1, 20, 20}, {16, 1, 3, 3}}, {{1, 1, 20, 20}, {1, 1, 3, 3}},
      {{2, 1, 9, 9}, {4, 1, 9, 9}},    {{1, 4, 7, 7}, {1, 4, 7, 7}},
      {{1, 1, 7, 1}, {4, 1, 3, 1}},    {{1, 1, 12}, {4, 1, 3}},
      {{2, 1, 12}, {1, 1, 12}},        {{1, 1, 5, 6, 7}, {4, 1, 3, 3, 3}}};
  const auto laid_out = [](const at::Tensor& values, bool last) {
    if (!last || values.dim() == 3) return values;
    const auto format =
        values.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d;
    return at::empty(values.sizes(), values.options(), format).copy_(values);
  };
  for (const auto& [of_x, of_w] : shapes)
    for (const bool transposed : {false, true})
      for (int lasts = 0; lasts < 8; ++lasts) {
        ASSERT_DONE(atc_torch_uninstall());
        ASSERT_DONE(atc_set_pins(nullptr));
        Given given{{},
                    laid_out(at::randn(of_x).to(GetParam()), (lasts & 1) != 0),
                    laid_out(at::randn(of_w).to(GetParam()), (lasts & 2) != 0)};
        if (transposed) given.w = given.w.transpose(0, 1);
        if (given.x.size(1) != given.w.size(transposed ? 0 : 1)) continue;
        const Shape ones(of_x.size() - 2, 1), none(of_x.size() - 2, 0);
        const at::Tensor y =
            at::convolution(given.x, given.w, {}, ones, none, ones, transposed, none, 1);
        given.gradient = laid_out(at::randn(y.sizes()).to(GetParam()), (lasts & 4) != 0);
        const auto plain = derive(given, transposed);
        ASSERT_DONE(atc_set_pins(pins.c_str()));
        install(false, GetParam());
        ASSERT_DONE(atc_torch_statistics_reset());
        for (int i = 0; i < 2; ++i) {
          const auto got = derive(given, transposed);
          for (std::size_t k = 0; k < got.size(); ++k)
            EXPECT_EQ(compare_layout(got[k], plain[k]), "")
                << kNames[k] << (transposed ? ", transposed" : "") << ", x " << given.x.sizes()
                << given.x.strides() << ", w " << given.w.sizes() << given.w.strides()
                << ", gradient " << given.gradient.strides();
        }
        EXPECT_GT(counted().taken, 0u);
      }
}

INSTANTIATE_TEST_SUITE_P(Devices, OnDevices, testing::ValuesIn(kDevices),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// For a filter with one element, LibTorch uses oneDNN only if there is more than one thread. So the
// layout of its result may depend on the number of threads.
TEST_F(Layouts, FollowTheNumberOfThreads) {
  const auto last = [](at::IntArrayRef shape) {
    return at::randn(shape).contiguous(at::MemoryFormat::ChannelsLast3d);
  };
  const Given given{last({4, 6, 5, 5, 5}), last({4, 3, 5, 5, 5}), last({6, 3, 1, 1, 1})};
  const auto forward = [&] { return at::conv3d(given.x, given.w); };
  std::vector<at::Tensor> of_threads;
  for (const int threads : {2, 1, 2}) {
    at::set_num_threads(threads);
    expect_laid_out(given, threads == 1 ? "one thread" : "two threads");
    EXPECT_DONE(atc_torch_uninstall());
    const at::Tensor plain = forward();
    of_threads.push_back(plain);
    install(true);
    EXPECT_EQ(compare_layout(forward(), plain), "") << threads << " threads";
  }
  EXPECT_NE(of_threads[0].strides(), of_threads[1].strides()) << "there is nothing to see here";
}

// LibTorch also passes the operand whose gradient is computed (x or w), although the gradient does
// not depend on its values. If this operand has another dtype than the other operands, LibTorch may
// refuse the call, or may give the gradient this dtype. The bridge must do the same.
TEST_F(Layouts, AreNotThoseOfOperandsOfOtherDtypes) {
  const at::Tensor x = at::randn({2, 4, 8, 8}), w = at::randn({6, 4, 3, 3});
  const at::Tensor gradient = at::randn({2, 6, 6, 6});
  const auto by_one = [&](const at::Tensor& of_x, const at::Tensor& of_w, bool wants_x) {
    return outcome_of([&]() -> std::vector<at::Tensor> {
      const auto [gx, gw, gb] =
          at::convolution_backward(gradient, of_x, of_w, at::OptionalIntArrayRef(), {1, 1}, {0, 0},
                                   {1, 1}, false, {0, 0}, 1, {wants_x, !wants_x, false});
      return {wants_x ? gx : gw};
    });
  };
  int refused = 0;
  for (const bool wants_x : {true, false})
    for (const at::ScalarType dtype : {at::kDouble, at::kBFloat16, at::kHalf}) {
      const at::Tensor other_x = wants_x ? x.to(dtype) : x;
      const at::Tensor other_w = wants_x ? w : w.to(dtype);
      const Outcome plain = by_one(other_x, other_w, wants_x);
      refused += plain.exception.empty() ? 0 : 1;
      install(true);
      EXPECT_EQ(by_one(x, w, wants_x).exception, "");
      const Outcome got = by_one(other_x, other_w, wants_x);
      ASSERT_DONE(atc_torch_uninstall());
      EXPECT_EQ(got.exception, plain.exception) << dtype << ": " << got.text << plain.text;
      EXPECT_EQ(got.text, plain.text) << dtype;
      ASSERT_EQ(got.tensors.size(), plain.tensors.size()) << dtype;
      for (std::size_t i = 0; i < got.tensors.size(); ++i)
        EXPECT_TRUE(is_same(got.tensors[i], plain.tensors[i])) << dtype;
    }
  EXPECT_GT(refused, 0);
}

// Tests that the first call of a shape gives the same bits as later calls. If the parameter is
// true, atc computes the gradients. If it is false, LibTorch computes the gradients of w and of the
// bias.
class FirstCall : public Layouts, public testing::WithParamInterface<bool> {};

TEST_P(FirstCall, GivesTheBitsOfLaterOnes) {
  const bool takes_w = GetParam();
  // The bridge learns the layout for a shape only once in a process. So the test uses another shape
  // for each value of the parameter.
  const std::int64_t channels = takes_w ? 32 : 33;
  const Given given{at::randn({8, channels, 30, 30}), at::randn({8, 4, 32, 32}),
                    at::randn({channels, 4, 3, 3})};
  install(true);
  differentiate(given, {true, takes_w, true});
  ASSERT_EQ(records_.prefer("onednn"), takes_w ? 2u : 1u);
  records_.use(ATC_STORE_READ);
  install(false);
  // The switch of NNPACK is not part of a record's key, but it may change the layout of LibTorch's
  // output. So the bridge must learn the layout again.
  at::globalContext().setUserEnabledNNPACK(false);
  ASSERT_DONE(atc_torch_statistics_reset());
  const auto first = differentiate(given), second = differentiate(given);
  EXPECT_EQ(counted().taken, takes_w ? 4u : 2u);
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_NOT_RECORDED], takes_w ? 0u : 2u);
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_TRUE(is_same(first[i], second[i])) << kNames[kGradX + i];
}

INSTANTIATE_TEST_SUITE_P(TakesW, FirstCall, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "Yes" : "No"); });

}  // namespace
