// A convolution that is called through the C interface. Its operands are in device memory.
#pragma once

#include <string>
#include <vector>

#include "atc/conv.h"
#include "cuda_test.hpp"
#include "support/problems.hpp"

namespace atc::test {

// A dense 3x3 layer in f32 whose output has the extents of its input.
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
  void unwrite();                           // fills the output with NaN
  void fill_normal_numbers();               // fills the operands with normally distributed numbers,
                                            // so that sums depend on the order of additions
  std::vector<unsigned char> bits() const;  // the bytes of the output, after the device has
                                            // finished its work
  void expect_right();                      // requires f32, forward and ternary values

  struct Decided {
    std::int32_t source = 0;  // the source of the decision: ATC_SOURCE_*
    std::string choice;
  };
  Decided decided() const;  // the decision for operands with an alignment of 16 bytes

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
