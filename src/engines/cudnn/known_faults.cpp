#include "engines/cudnn/known_faults.hpp"

#include <cstddef>
#include <limits>

#include "core/format.hpp"
#include "engines/cudnn/notes.hpp"

namespace atc::cudnn {

namespace {

// A range of versions and its fault. Numbers in parentheses are issues of pytorch/pytorch.
struct Fault {
  std::size_t first, last;
  const char* what;
  bool (*concerns)(const Notes& notes, const Problem& problem);
};

bool half_in_3d(const Notes&, const Problem& problem) {
  return problem.spatial == 3 && problem.x.dtype != Dtype::f32;
}

bool tf32_in_3d(const Notes& notes, const Problem& problem) {
  return problem.spatial == 3 && problem.x.dtype == Dtype::f32 && notes.tensor_core;
}

bool large_depthwise(const Notes&, const Problem& problem) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return problem.is_depthwise() && problem.x.channels_last() &&
         (problem.x.span() > kMost || problem.y.span() > kMost);
}

// Found by the correctness gate on an H200: the engines compute as if the padding were the same on
// both sides.
bool weights_of_uneven_padding(const Notes& notes, const Problem& problem) {
  return problem.direction == Direction::backward_weight && problem.pad_low != problem.pad_high &&
         (notes.configuration.engine == 1 || notes.configuration.engine == 18 ||
          notes.configuration.engine == 20);
}

// Found by the same gate: engine 50 writes past the end of its output.
bool data_of_uneven_padding(const Notes& notes, const Problem& problem) {
  return problem.direction == Direction::backward_data && problem.pad_low != problem.pad_high &&
         notes.configuration.engine == 50;
}

// Found by the same gate: no sum of engine 71 is within half a unit in the last place of y.
bool narrowed_in_groups(const Notes& notes, const Problem& problem) {
  return problem.direction == Direction::forward && problem.groups > 1 &&
         problem.x.dtype == Dtype::f32 && problem.y.dtype != Dtype::f32 &&
         notes.configuration.engine == 71;
}

constexpr std::size_t kEveryVersion = std::numeric_limits<std::size_t>::max();

constexpr Fault kFaults[] = {
    {0, kEveryVersion, "wrong backward-weight where padding is not the same on both sides",
     weights_of_uneven_padding},
    {0, kEveryVersion, "wrong backward-data where padding is not the same on both sides",
     data_of_uneven_padding},
    {0, kEveryVersion, "imprecise forward from f32 to 16 bits in groups", narrowed_in_groups},
    {90800, 91499, "wrong results for bf16 and f16 in three dimensions (163539, 166480)",
     half_in_3d},
    {91002, 91599, "a broken TF32 kernel for three dimensions (167024)", tf32_in_3d},
    {91001, 91499, "broken 64-bit indices for depthwise, channels last", large_depthwise},
};

bool is_of(const Fault& fault, std::size_t version) {
  return version >= fault.first && version <= fault.last;
}

}  // namespace

std::string known_fault(const Notes& notes, const Problem& problem) {
  const std::size_t version = library().version;
  for (const Fault& fault : kFaults)
    if (is_of(fault, version) && fault.concerns(notes, problem))
      return format("cuDNN {} is known for {}", version_text(version), fault.what);
  return "";
}

bool transforms(const Notes& notes, const Problem& problem) {
  // Engine 17 has no such note, and returns -7e-6 for a sum of integers that is 0.
  return notes.transform ||
         (problem.direction == Direction::backward_weight && notes.configuration.engine == 17);
}

bool rounds_partial_sums(const Notes& notes, const Problem& problem) {
  if (!problem.is_depthwise() || problem.x.dtype == Dtype::f32) return false;
  const std::int64_t engine = notes.configuration.engine;
  return (problem.direction == Direction::backward_data && engine == 25) ||
         (problem.direction == Direction::backward_weight && engine == 20);
}

bool remembers_sizes(const Problem& problem) {
  // The version that is said to end it (NVIDIA/cudnn-frontend 442).
  constexpr std::size_t kMended = 92400;
  return problem.is_depthwise() && library().version < kMended;
}

std::vector<std::string> known_faults() {
  std::vector<std::string> faults;
  for (const Fault& fault : kFaults)
    if (is_of(fault, library().version)) faults.emplace_back(fault.what);
  return faults;
}

}  // namespace atc::cudnn
