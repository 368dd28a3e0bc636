#include "engines/kernels/window.hpp"

namespace atc::kernels {

Dimension dimension(const Problem& p, int d) {
  Dimension result;
  const int index = p.spatial == 2 ? d : d - 1;
  if (index < 0) return result;
  const auto i = static_cast<std::size_t>(index);
  result.in = static_cast<int>(p.in(index));
  result.out = static_cast<int>(p.out(index));
  result.taps = static_cast<int>(p.kernel(index));
  result.stride = static_cast<int>(p.stride[i]);
  result.dilation = static_cast<int>(p.dilation[i]);
  result.pad = static_cast<int>(p.pad_low[i]);
  return result;
}

}  // namespace atc::kernels
