// Computes whole outputs for the reference engine on the CPU.
#pragma once

#include <vector>

#include "core/problem.hpp"

namespace atc::reference {

// An operand as an array of floats, dense and channels first. fp32 represents the values of all
// dtypes exactly. If the caller's memory already has this form, the object refers to it. Otherwise
// the object owns a copy.
class Dense {
 public:
  explicit Dense(const float* borrowed) : data_(borrowed) {}
  explicit Dense(std::vector<float> copy) : copy_(std::move(copy)), data_(copy_.data()) {}
  Dense(Dense&&) = default;
  const float* data() const { return data_; }

 private:
  std::vector<float> copy_;
  const float* data_;
};

Dense dense(const Tensor& tensor, const void* data);
std::vector<float> dense_copy(const Tensor& tensor, const void* data);

// Computes the whole output of the problem. If `weights` is not null, it points to the weights as
// dense floats, which are used in place of operands.w.
void convolve(const Problem& problem, const Operands& operands, const float* weights);

}  // namespace atc::reference
