// Tests WeightsState, by which the bridge notices that weights have changed since they were packed.
#include "weights_state.hpp"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "trained_weights.hpp"

namespace {

using atc_torch::is_trained;
using atc_torch::note_weights_in_use;
using atc_torch::WeightsState;

struct Change {
  const char* name;
  std::function<void(at::Tensor& w)> make;
};

at::Tensor made() { return at::rand({16, 8, 3, 3}); }

const std::vector<Change> kSeen{
    {"add_", [](at::Tensor& w) { w.add_(1); }},
    {"copy_", [](at::Tensor& w) { w.copy_(at::rand_like(w)); }},
    {"out=", [](at::Tensor& w) { at::add_out(w, w, w); }},
    {"one element", [](at::Tensor& w) { w.select(0, 3).select(0, 1).fill_(1); }},
    {"through a view", [](at::Tensor& w) { w.view({-1}).add_(1); }},
    {"through detach()", [](at::Tensor& w) { w.detach().add_(1); }},
    {"in inference mode",
     [](at::Tensor& w) {
       const c10::InferenceMode inference;
       w.add_(1);
     }},
    {"_foreach_copy_",
     [](at::Tensor& w) {
       const std::vector<at::Tensor> all{w}, from{at::rand_like(w)};
       at::_foreach_copy_(all, from);
     }},
    {"_foreach_lerp_",
     [](at::Tensor& w) {
       const std::vector<at::Tensor> all{w}, to{at::rand_like(w)};
       at::_foreach_lerp_(all, to, 0.5);
     }},
    {"set_", [](at::Tensor& w) { w.set_(at::rand_like(w)); }},
    {"set_data", [](at::Tensor& w) { w.set_data(at::rand_like(w)); }},
    {"set_data to the same values", [](at::Tensor& w) { w.set_data(w.clone()); }},
    {"set_data twice, whose memory may be the first again",
     [](at::Tensor& w) {
       w.set_data(at::rand_like(w));
       w.set_data(at::rand_like(w));
     }},
    {"resize_",
     [](at::Tensor& w) {
       w.resize_({512, 8, 3, 3});
     }},
    {"another tensor", [](at::Tensor& w) { w = w.clone(); }},
    {"other memory's owner", [](at::Tensor& w) { w = at::rand_like(w); }},
    {"a tensor with a counter of its own", [](at::Tensor& w) { w = w.variable_data(); }},
    {"through .data", [](at::Tensor& w) { w.variable_data().mul_(1.01); }},
    {"through a pointer",
     [](at::Tensor& w) {
       auto* const bytes = static_cast<unsigned char*>(w.mutable_data_ptr());
       for (std::size_t i = 0; i < w.nbytes(); ++i) bytes[i] ^= 1;
     }},
    {"through a tensor of the same memory",
     [](at::Tensor& w) { at::from_blob(w.mutable_data_ptr(), w.sizes(), w.options()).fill_(3); }},
    {"_fused_adagrad_",
     [](at::Tensor& w) {
       std::vector<at::Tensor> all{w}, gradients{at::ones_like(w)}, sums{at::ones_like(w)};
       std::vector<at::Tensor> steps{at::ones({})};
       at::_fused_adagrad_(all, gradients, sums, steps, 0.1, 0, 0, 1e-8, false);
     }},
};

TEST(WeightsState, TellsChanges) {
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16})
    for (const Change& change : kSeen) {
      at::Tensor w = made().to(dtype);
      const WeightsState before(w);
      EXPECT_TRUE(before.holds_for(w)) << change.name;
      change.make(w);
      EXPECT_FALSE(before.holds_for(w)) << change.name << ", " << dtype;
    }
}

// The test writes one inner element of the weights through a pointer, so the bridge does not notice
// the write. docs/libtorch.md requires that the program calls atc_torch_forget_weights after such a
// write.
TEST(WeightsState, MayMissAFewElementsThatAreWrittenWithoutBeingCounted) {
  at::Tensor w = made();
  const WeightsState before(w);
  w.mutable_data_ptr<float>()[1] += 1;
  EXPECT_TRUE(before.holds_for(w));
  for (const std::int64_t last : {std::int64_t{0}, w.numel() - 1}) {
    w.mutable_data_ptr<float>()[last] += 1;
    EXPECT_FALSE(before.holds_for(w)) << last;
    w.mutable_data_ptr<float>()[last] -= 1;
  }
}

TEST(WeightsState, HoldsForOtherTensorsOfTheSameMemoryAndCounter) {
  const at::Tensor w = made();
  const WeightsState state(w);
  EXPECT_TRUE(state.holds_for(w.detach()));
  EXPECT_EQ(w.weak_use_count(), 1u) << "LibTorch swaps no tensors with weak references";
  const at::Tensor part = w.slice(0, 8), strided = w.slice(3, 1);
  EXPECT_FALSE(state.is_of(part));
  EXPECT_TRUE(WeightsState(part).holds_for(part));
  EXPECT_TRUE(WeightsState(strided).holds_for(strided));
  w.select(0, 9).add_(1);
  EXPECT_FALSE(state.holds_for(w));
}

TEST(WeightsState, TellsThatTheMemoryIsGone) {
  at::Tensor w = made();
  const WeightsState state(w);
  EXPECT_FALSE(state.is_gone());
  const at::Tensor other = w.detach();
  w.reset();
  EXPECT_FALSE(state.is_gone()) << "another tensor has it";
}

TEST(WeightsState, TellsThatTheLastTensorIsGone) {
  at::Tensor w = made();
  const WeightsState state(w);
  w.reset();
  EXPECT_TRUE(state.is_gone());
}

class TrainedWeights : public testing::Test {
 protected:
  void SetUp() override {
    atc_torch::forget_trained_weights();
    // these weights are new, so atc has not remembered that they are trained
    EXPECT_FALSE(is_trained(made()));
  }
};

TEST_F(TrainedWeights, AreThoseThatNeedAGradientAndThoseThatDidInAConvolution) {
  const at::Tensor w = made().requires_grad_(), twin = w.detach();
  EXPECT_TRUE(is_trained(w));
  EXPECT_FALSE(is_trained(twin));
  note_weights_in_use(twin);
  EXPECT_FALSE(is_trained(twin));
  note_weights_in_use(w);
  EXPECT_TRUE(is_trained(twin));
  EXPECT_TRUE(is_trained(w.detach().slice(0, 1))) << "of the same storage";
  w.requires_grad_(false);
  EXPECT_TRUE(is_trained(w));
  atc_torch::forget_trained_weights();
  EXPECT_FALSE(is_trained(w));
}

TEST_F(TrainedWeights, AreForgottenWhenTheyAreGone) {
  for (int i = 0; i < 5'000; ++i) note_weights_in_use(at::ones({1}).requires_grad_());
  EXPECT_FALSE(is_trained(made()));
}

TEST_F(TrainedWeights, AreAllOnceThereAreTooManyToKeep) {
  std::vector<at::Tensor> many;
  for (int i = 0; i < 140'000; ++i) {
    many.push_back(at::ones({1}).requires_grad_());
    note_weights_in_use(many.back());
  }
  EXPECT_TRUE(is_trained(made()));
  atc_torch::forget_trained_weights();
  EXPECT_FALSE(is_trained(made()));
}

TEST_F(TrainedWeights, AreNotThoseWithoutMemory) {
  note_weights_in_use(at::Tensor());
  note_weights_in_use(at::ones({2, 2}).to_sparse().requires_grad_());
}

}  // namespace
