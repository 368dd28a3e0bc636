// Tests choices that a user makes: pins (rules in a file that force or bar choices), and choices
// that a call gives. The choice must run or the convolution must fail. LibTorch's own convolution
// must never replace the choice.
#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <functional>

#include "atc/extend.h"
#include "atc/settings.h"
#include "support/bridge.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_torch_test;
using testing::HasSubstr;

// Returns a choice of the reference engine, which is in each build.
std::string reference() {
  std::size_t count = 0;
  EXPECT_DONE(atc_engine_count(&count));
  for (std::size_t i = 0; i < count; ++i) {
    atc_engine_info info = ATC_ENGINE_INFO_INIT;
    EXPECT_DONE(atc_engine_describe(&info, i));
    if (std::string(info.name) == "reference")
      return "reference@" + std::string(info.version) + ":direct";
  }
  return "";
}

class Pins : public testing::Test {
 protected:
  void SetUp() override { ASSERT_DONE(atc_torch_init()); }
  void TearDown() override {
    EXPECT_DONE(atc_set_pins(nullptr));
    EXPECT_DONE(atc_torch_uninstall());
  }
  void pin(const std::string& pins) {
    const std::string path = (folder_ / "pins.json").string();
    std::ofstream(path) << "{\"schema\": 1, \"pins\": [\n" << pins << "]}";
    ASSERT_DONE(atc_set_pins(path.c_str()));
  }
  static at::Tensor convolve(const at::Tensor& x, const at::Tensor& w) {
    return at::conv2d(x, w, {}, at::IntArrayRef{1}, at::IntArrayRef{1});
  }
  // Calls atc_torch_convolution once, and returns its status. The result replaces `out`.
  static atc_status call(at::Tensor& out, const at::Tensor& x, const at::Tensor& w,
                         const atc_torch_options& options) {
    atc_torch_geometry geometry;
    EXPECT_DONE(atc_torch_geometry_init(&geometry, 2));
    geometry.padding[0] = geometry.padding[1] = 1;
    atc_torch_tensor* made = nullptr;
    const auto as_given = [](const at::Tensor& tensor) {
      return reinterpret_cast<const atc_torch_tensor*>(&tensor);
    };
    const atc_status status =
        atc_torch_convolution(&made, as_given(x), as_given(w), nullptr, &geometry, &options);
    if (status == ATC_OK) {
      auto* const tensor = reinterpret_cast<at::Tensor*>(made);
      out = *tensor;
      delete tensor;
    }
    return status;
  }
  static std::string thrown_by(const std::function<void()>& body) {
    try {
      body();
    } catch (const c10::Error& error) {
      return error.what_without_backtrace();
    }
    return "";
  }

  const atc::test::TempFolder folder_;
  const at::Tensor x_ = at::arange(2 * 4 * 6 * 6, at::kFloat).remainder(5).reshape({2, 4, 6, 6});
  const at::Tensor w_ = at::arange(3 * 4 * 3 * 3, at::kFloat).remainder(3).reshape({3, 4, 3, 3});
};

TEST_F(Pins, RunInAModelWithoutAStoreAndWithoutTuning) {
  const at::Tensor plain = convolve(x_, w_);
  install(false);
  const auto taken = [&] {
    EXPECT_DONE(atc_torch_statistics_reset());
    EXPECT_TRUE(at::equal(convolve(x_, w_), plain));
    return counted().taken;
  };
  EXPECT_EQ(taken(), 0u);
  pin(R"({"match": {"direction": "forward", "kernel": 3}, "choice": ")" + reference() + "\"}");
  EXPECT_EQ(taken(), 1u);
  ASSERT_DONE(atc_set_pins(nullptr));
  EXPECT_EQ(taken(), 0u);
}

TEST_F(Pins, ThatCannotBeObeyedThrow) {
  install(false);
  pin(R"({"name": "mine", "match": {"kernel": 3}, "choice": "none@1:x"})");
  EXPECT_THAT(thrown_by([&] { convolve(x_, w_); }),
              testing::AllOf(HasSubstr("pin 1 (mine)"), HasSubstr("'none'")));
  const at::Tensor pointwise = at::ones({3, 4, 1, 1});
  EXPECT_EQ(thrown_by([&] { at::conv2d(x_, pointwise); }), "");
}

TEST_F(Pins, BarsLeaveWhatIsNotBarred) {
  install(false);
  pin(R"({"match": {}, "bar": ["onednn", "none"]})");
  EXPECT_EQ(thrown_by([&] { convolve(x_, w_); }), "");
}

TEST_F(Pins, AChoiceOfACallOutranksThemAndServesEachDirection) {
  pin(R"({"match": {}, "choice": "none@1:x"})");
  atc_torch_options options = ATC_TORCH_OPTIONS_INIT;
  const std::string choice = reference();
  for (char* const field :
       {options.choice, options.choice_backward_data, options.choice_backward_weight})
    std::strcpy(field, choice.c_str());
  at::Tensor x = x_.clone().requires_grad_(), w = w_.clone().requires_grad_(), y;
  EXPECT_DONE(atc_torch_statistics_reset());
  ASSERT_DONE(call(y, x, w, options));
  EXPECT_EQ(counted().taken, 1u);
  y.sum().backward();
  EXPECT_EQ(counted().taken, 3u);
  ASSERT_DONE(atc_set_pins(nullptr));
  at::Tensor other_x = x_.clone().requires_grad_(), other_w = w_.clone().requires_grad_();
  const at::Tensor plain = convolve(other_x, other_w);
  plain.sum().backward();
  EXPECT_TRUE(at::equal(y, plain));
  EXPECT_TRUE(at::equal(x.grad(), other_x.grad()));
  EXPECT_TRUE(at::equal(w.grad(), other_w.grad()));
}

TEST_F(Pins, AChoiceThatCannotBeBuiltOrIsNoneIsAnError) {
  atc_torch_options options = ATC_TORCH_OPTIONS_INIT;
  at::Tensor y;
  std::strcpy(options.choice, "none@1:x");
  EXPECT_EQ(call(y, x_, w_, options), ATC_ERROR_UNSUPPORTED);
  EXPECT_THAT(atc_last_error(), HasSubstr("none@1:x"));
  std::strcpy(options.choice, "none");
  EXPECT_EQ(call(y, x_, w_, options), ATC_ERROR_INVALID_ARGUMENT);
  std::memset(options.choice, 'a', sizeof(options.choice));
  EXPECT_EQ(call(y, x_, w_, options), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("options.choice"));
}

TEST_F(Pins, AProgramTakesNoSingleChoice) {
  atc_torch_options options = ATC_TORCH_OPTIONS_INIT;
  std::strcpy(options.choice, "none@1:x");
  EXPECT_EQ(atc_torch_install(&options), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("set_pins"));
}

}  // namespace
