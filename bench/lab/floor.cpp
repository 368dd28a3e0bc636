#include "floor.hpp"

#include <algorithm>

namespace atc::lab {

namespace {

// Measured on the H200 of bench/results/h200: a copy, and a matrix product of 8192 x 8192 x 8192 in
// each format. bench/cuda/shapes.py has the same.
constexpr double kBytesPerSecond = 4.26e12;
constexpr double kFp32 = 51e12, kTf32 = 368e12, kFp16 = 776e12, kBf16 = 775e12;

double flops_per_second(const Cell& cell) {
  // Sums of few products cannot use the tensor cores: the rate of fp32's multiply-adds, in every
  // format.
  const Problem& p = cell.problem;
  if (p.groups > 1 && p.groups == p.channels_in()) return kFp32;
  if (cell.format == "fp16") return kFp16;
  if (cell.format == "bf16") return kBf16;
  return cell.format == "tf32" ? kTf32 : kFp32;
}

}  // namespace

Floor floor_of(const Cell& cell) {
  const Problem& p = cell.problem;
  Floor floor;
  const std::int64_t bias = p.epilogue == Epilogue::none ? 0 : p.output_channels();
  const std::int64_t elements = p.x.elements() + p.w.elements() + p.y.elements() + bias;
  floor.bytes = static_cast<std::uint64_t>(elements) * size_of(p.x.dtype);
  floor.flops = p.flops();
  const double by_bytes = static_cast<double>(floor.bytes) / kBytesPerSecond;
  const double by_flops = floor.flops / flops_per_second(cell);
  floor.seconds = std::max(by_bytes, by_flops);
  floor.by_bytes = by_bytes >= by_flops;
  return floor;
}

}  // namespace atc::lab
