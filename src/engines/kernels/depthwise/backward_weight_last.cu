// Depthwise backward-weight for channels last. Rows are loaded ahead into registers.
#include "engines/kernels/depthwise/backward_weight_last.cuh"

namespace atc::depthwise {

// A kernel's name contains the sizes of its tile of the filter (backward_weight_plan.hpp explains
// them).
#define ATC_WEIGHT_LAST(TYPE, ELEMENT, ROWS, COLUMNS, STRIDE, WIDTH, VECTOR, AHEAD, BLOCKS)      \
  extern "C" __global__ void __launch_bounds__(kLastThreads, BLOCKS)                             \
      atc_depthwise_weight_last_r##ROWS##x##COLUMNS##_u##STRIDE##_w##WIDTH##_c##VECTOR##_##TYPE( \
          WeightTasks tasks, const void* x, const void* y, float* partials) {                    \
    weight_last<Tile<ELEMENT, ROWS, COLUMNS, STRIDE, WIDTH, VECTOR, AHEAD, true>>(tasks, x, y,   \
                                                                                  partials);     \
  }
#define ATC_WEIGHT_LAST_HALF(...)           \
  ATC_WEIGHT_LAST(f16, __half, __VA_ARGS__) \
  ATC_WEIGHT_LAST(bf16, __nv_bfloat16, __VA_ARGS__)
#define ATC_WEIGHT_LAST_ALL(...)           \
  ATC_WEIGHT_LAST(f32, float, __VA_ARGS__) \
  ATC_WEIGHT_LAST_HALF(__VA_ARGS__)

ATC_WEIGHT_LAST_ALL(3, 3, 1, 4, 2, 1, 4)
ATC_WEIGHT_LAST_ALL(3, 3, 2, 4, 2, 1, 3)
ATC_WEIGHT_LAST_HALF(3, 3, 1, 2, 4, 1, 4)
ATC_WEIGHT_LAST_ALL(5, 5, 1, 7, 1, 1, 3)
ATC_WEIGHT_LAST_ALL(5, 5, 2, 4, 1, 1, 3)
ATC_WEIGHT_LAST_ALL(7, 7, 1, 7, 1, 1, 3)
ATC_WEIGHT_LAST_ALL(7, 7, 2, 4, 1, 1, 3)
ATC_WEIGHT_LAST_ALL(4, 1, 1, 1, 4, 4, 4)
ATC_WEIGHT_LAST_ALL(7, 1, 1, 1, 2, 7, 4)
ATC_WEIGHT_LAST_ALL(7, 1, 2, 1, 2, 4, 4)

#undef ATC_WEIGHT_LAST_ALL
#undef ATC_WEIGHT_LAST_HALF
#undef ATC_WEIGHT_LAST

}  // namespace atc::depthwise
