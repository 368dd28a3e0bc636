// A problem of the C ABI with its inputs and its expected output. The expected output was computed
// before all other work, by the reference engine in this program's own copy of atc's internals.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "atc/atc.h"
#include "core/guarded_buffer.hpp"
#include "support/expected.hpp"
#include "support/tensors.hpp"

namespace soak {

// Returns the problem as a caller describes it. If `transposed` is true, a backward-data problem is
// described as the forward problem of a transposed convolution. A backward-data problem with an
// epilogue can only be described in this way.
atc_conv_problem problem_of(const atc::Problem& known, bool transposed);

// The tensor views that are passed to one call of the C ABI.
class Views {
 public:
  // Makes views of `operands` for the caller's description of the problem `known`. If the problem
  // is described as a transposed convolution, x() returns the view of the operand y, and y() that
  // of x.
  Views(const atc::Problem& known, bool transposed, const atc::Operands& operands,
        atc_device device);
  // The object cannot be copied, because the views point at its shapes.
  Views(const Views&) = delete;
  Views& operator=(const Views&) = delete;

  const atc_tensor_view* x() const { return &x_; }
  const atc_tensor_view* w() const { return &w_; }
  const atc_tensor_view* bias() const { return bias_.data == nullptr ? nullptr : &bias_; }
  const atc_tensor_view* y() const { return &y_; }

 private:
  const atc::Tensor of_x_, of_w_, of_y_, of_bias_;
  atc_tensor_view x_, w_, y_, bias_;
};

class Layer {
 public:
  Layer(const atc::Problem& known, bool transposed, std::uint64_t seed);

  const atc_conv_problem& problem() const { return problem_; }
  const atc::Problem& known() const { return known_; }
  bool transposed() const { return transposed_; }
  const std::string& name() const { return name_; }
  const atc::test::Inputs& inputs() const { return inputs_; }
  const atc::test::Expected& expected() const { return expected_; }
  // Returns views of the operands of a call: of the inputs of the layer, and of `output` as the
  // operand that the call writes.
  std::unique_ptr<Views> on_cpu(atc::GuardedBuffer& output) const;
  bool has_weights_as_input() const { return known_.direction != atc::Direction::backward_weight; }

 private:
  const atc::Problem known_;
  const bool transposed_;
  const atc_conv_problem problem_;
  const std::string name_;
  // `mutable`, because the functions of Inputs that return writable addresses are not const. These
  // functions themselves change nothing.
  mutable atc::test::Inputs inputs_;
  const atc::test::Expected expected_;
};

// Returns whether the program's own engine (own_engine.c) supports the problem.
bool suits_own_engine(const atc::Problem& known);

// Draws `count` layers at random from the generated grid (support/grid.hpp). Equal seeds give equal
// layers. All layers are small. The program's own engine supports at least a quarter of them.
std::vector<std::unique_ptr<Layer>> draw_layers(std::size_t count, std::uint64_t seed);

}  // namespace soak
