// Depthwise backward-weight for channels last. Rows are copied to shared memory several steps
// before they are used.
#include "engines/kernels/depthwise/backward_weight_last.cuh"

namespace atc::depthwise {

// A kernel's name contains the sizes of its tile of the filter (backward_weight_plan.hpp explains
// them).
#define ATC_WEIGHT_AHEAD(TYPE, ELEMENT, ROWS, COLUMNS, STRIDE, WIDTH, VECTOR, AHEAD, BLOCKS)      \
  extern "C" __global__ void __launch_bounds__(kLastThreads, BLOCKS)                              \
      atc_depthwise_weight_ahead_r##ROWS##x##COLUMNS##_u##STRIDE##_w##WIDTH##_c##VECTOR##_##TYPE( \
          WeightTasks tasks, const void* x, const void* y, float* partials) {                     \
    weight_last<Tile<ELEMENT, ROWS, COLUMNS, STRIDE, WIDTH, VECTOR, AHEAD, true, true>>(          \
        tasks, x, y, partials);                                                                   \
  }
#define ATC_WEIGHT_AHEAD_HALF(...)           \
  ATC_WEIGHT_AHEAD(f16, __half, __VA_ARGS__) \
  ATC_WEIGHT_AHEAD(bf16, __nv_bfloat16, __VA_ARGS__)
#define ATC_WEIGHT_AHEAD_ALL(...)           \
  ATC_WEIGHT_AHEAD(f32, float, __VA_ARGS__) \
  ATC_WEIGHT_AHEAD_HALF(__VA_ARGS__)

ATC_WEIGHT_AHEAD_HALF(3, 3, 1, 4, 4, 3, 3)
ATC_WEIGHT_AHEAD_ALL(5, 5, 1, 4, 2, 3, 3)
ATC_WEIGHT_AHEAD_ALL(5, 5, 2, 4, 2, 2, 3)

#undef ATC_WEIGHT_AHEAD_ALL
#undef ATC_WEIGHT_AHEAD_HALF
#undef ATC_WEIGHT_AHEAD

}  // namespace atc::depthwise
