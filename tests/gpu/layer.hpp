// A convolution that is called through the C interface. Its operands are in device memory.
#pragma once

#include <string>
#include <vector>

#include "atc/conv.h"
#include "cuda_test.hpp"
#include "support/problems.hpp"

namespace atc::test {

// A dense 3x3 layer in f32 whose output has the same extents as its input.
Spec same_3x3(std::int64_t channels = 32, std::int64_t side = 28);

class Layer {
 public:
  // Fills the operands with ternary values (-1, 0, 1), because sums of ternary values are exact in
  // fp32 and in TF32, in every order.
  explicit Layer(const Spec& spec, int device = 0);

  const atc_conv_problem& problem() const { return problem_; }
  atc_device device() const { return {ATC_DEVICE_CUDA, device_}; }
  atc_status run(Stream stream = nullptr);
  atc_status run(atc_conv_plan* plan, Stream stream = nullptr);
  void set_weights(atc_conv_plan* plan);
  atc_status run_with_set_weights(atc_conv_plan* plan, Stream stream);
  void unwrite();  // fills the output of the layer with NaN
  // Fills the operands with normally distributed numbers, so that the bits of a sum depend on the
  // order of the additions.
  void fill_normal_numbers();
  // Waits until the device has finished its work, and returns the bytes of the output.
  std::vector<unsigned char> bits() const;
  // The test fails unless the output is right. The layer must be a forward convolution in f32 whose
  // operands are ternary (-1, 0, 1).
  void expect_right();

  struct Decided {
    std::int32_t source = 0;  // the source of the decision: one of the constants ATC_SOURCE_*
    std::string choice;
  };
  // returns the decision for the layer, with operands that are aligned to 16 bytes
  Decided decided() const;

 private:
  void view(atc_tensor_view& view, Tensor& tensor, const OnDevice& memory);

  int device_;
  atc_conv_problem problem_;
  Problem known_;
  std::vector<unsigned char> x_host_, w_host_, y_host_;
  std::unique_ptr<OnDevice> x_, w_, y_;
  atc_tensor_view x_view_, w_view_, y_view_;
};

}  // namespace atc::test
