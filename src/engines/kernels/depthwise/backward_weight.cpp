#include "engines/kernels/depthwise/backward_weight.hpp"

#include "core/error.hpp"

namespace atc::depthwise {

std::vector<Offer> backward_weight_offers(const Problem&, const Limits&, std::string& why_not) {
  why_not = "engine depthwise computes no gradients of filters";
  return {};
}

std::unique_ptr<Prepared> prepare_backward_weight(const Problem&, const Limits&,
                                                  const std::string&) {
  fail(Status::unsupported, "engine depthwise computes no gradients of filters");
}

}  // namespace atc::depthwise
