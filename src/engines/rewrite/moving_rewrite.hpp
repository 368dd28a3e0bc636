// The base class of those rewrites that copy operands to another layout.
#pragma once

#include <string>
#include <vector>

#include "engines/rewrite.hpp"
#include "engines/rewrite/crossing.hpp"

namespace atc::rewrite {

class MovingRewrite : public Rewrite {
 public:
  std::string version() const override { return "1"; }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }
  std::vector<Rewriting> rewritings(const Problem& problem, const Limits& limits,
                                    std::string& why_not) const override;
  // Prepares the rewritten problem for execution. This also works on the CPU, where operands are
  // copied by simple loops. So tests do not need a GPU.
  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const Rewriting& rewriting,
                                    std::unique_ptr<Prepared> rest) const override;

 protected:
  // Returns all ways to rewrite a problem, the best way first. It is called only for problems
  // without empty tensors. If there is no way, sets `why_not` to a sentence with the reason.
  virtual std::vector<Passage> passages(const Problem& problem, const Limits& limits,
                                        std::string& why_not) const = 0;
};

// Returns whether tensor cores may compute the products: if a tensor has elements of 16 bits, or if
// TF32 is allowed.
bool has_tensor_cores(const Problem& problem, const Limits& limits);

bool is_pointwise(const Problem& problem);  // returns whether all extents of the kernel are 1
bool has_padding(const Problem& problem);   // returns whether an output reads padding

}  // namespace atc::rewrite
