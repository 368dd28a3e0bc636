#include "device/cuda/tensor_map.hpp"

#include "device/cuda/driver.hpp"

namespace atc::cuda {

namespace {

// Values of the driver's enum CUtensorMapDataType. With kTfloat32, a copy rounds the elements to
// TF32.
constexpr int kFloat16 = 6, kBfloat16 = 9, kTfloat32 = 11;
constexpr int kNotInterleaved = 0;
constexpr int kSwizzle64 = 2, kSwizzle128 = 3;
constexpr int kPromoteTo256 = 3;  // a miss in the L2 cache loads 256 bytes
constexpr int kZerosOutside = 0;

int type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return kFloat16;
    case Dtype::bf16:
      return kBfloat16;
    case Dtype::f32:
      break;
  }
  return kTfloat32;
}

}  // namespace

TensorMap tensor_map(const Boxes& boxes, const void* address) {
  constexpr std::uint32_t kRank = 3, kEachElement[kRank] = {1, 1, 1};
  TensorMap map;
  check(require_driver().encode_tensor_map(
            &map, type_of(boxes.dtype), kRank, const_cast<void*>(address), boxes.extents,
            boxes.strides, boxes.box, kEachElement, kNotInterleaved,
            boxes.swizzle == 64 ? kSwizzle64 : kSwizzle128, kPromoteTo256, kZerosOutside),
        "cuTensorMapEncodeTiled");
  return map;
}

}  // namespace atc::cuda
