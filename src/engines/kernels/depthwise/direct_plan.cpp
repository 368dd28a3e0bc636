#include "engines/kernels/depthwise/families.hpp"

#include <algorithm>

namespace atc::depthwise {

Plan direct_plan(const Geometry& g) {
  Plan plan;
  plan.configuration = "direct";
  plan.kernel = "atc_depthwise_direct";
  DirectShape& shape = plan.direct;
  shape.batch = g.batch;
  shape.elements = g.batch * g.out_channels * g.volume_out();
  shape.in_channels = static_cast<int>(g.in_channels);
  shape.out_channels = static_cast<int>(g.out_channels);
  shape.multiple = static_cast<int>(g.backward ? g.in_channels / g.out_channels
                                               : g.out_channels / g.in_channels);
  for (int d = 0; d < 3; ++d) {
    shape.in[d] = g.in[d];
    shape.out[d] = g.out[d];
    shape.taps[d] = g.taps[d];
    shape.stride[d] = g.stride[d];
    shape.dilation[d] = g.dilation[d];
    shape.pad[d] = g.pad[d];
  }
  shape.backward = g.backward;
  shape.last = g.last;
  shape.finish = g.finish;
  constexpr int kThreads = 256, kBlocks = 1 << 16;
  plan.launch.threads.x = kThreads;
  plan.launch.blocks.x = static_cast<unsigned>(
      std::min<std::int64_t>(ceil_div<std::int64_t>(shape.elements, kThreads), kBlocks));
  return plan;
}

}  // namespace atc::depthwise
