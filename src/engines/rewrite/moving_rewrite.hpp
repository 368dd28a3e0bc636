// What the rewrites that move tensors share.
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
  // On the CPU too, where moves are plain loops: what moves means can be seen there.
  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const Rewriting& rewriting,
                                    std::unique_ptr<Prepared> rest) const override;

 protected:
  // All ways, best first, of a problem without empty tensors. `why_not` as for rewritings.
  virtual std::vector<Passage> passages(const Problem& problem, const Limits& limits,
                                        std::string& why_not) const = 0;
};

// Whether the products are formed by tensor cores: of 16-bit floats, or of fp32 as TF32.
bool has_tensor_cores(const Problem& problem, const Limits& limits);

bool is_pointwise(const Problem& problem);  // kernel of one place
bool has_padding(const Problem& problem);   // that some product falls on

}  // namespace atc::rewrite
