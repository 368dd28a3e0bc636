// The kernels that compute a problem, in order, with everything that a launch needs. An engine
// makes a LaunchPlan from a problem and a configuration. `prepare` (prepared.hpp) makes it
// executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/cuda/kernel.hpp"
#include "device/cuda/tensor_map.hpp"

namespace atc::kernels {

// An argument whose value is an address that each execution gives.
enum class Pointer {
  // Forward: x, w, bias and y. Backward-data: y, w, bias and x. If the plan packs the filters, they
  // are in the order of `LaunchPlan::pack`. If the problem has no bias, it is null.
  in,
  filters,
  bias,
  out,
  // Backward-weight, and `pack`: the operands as the caller gives them.
  x,
  w,
  y,
  packed,  // the memory to which `pack` writes the packed filters
  parts,   // the part of the workspace that follows the packed filters
  count,
  // One argument that is a structure of `in`, `filters`, `bias` and `out`.
  in_to_out = in,
};

// A tensor map of a tensor that begins `offset` bytes after an address that each execution gives.
struct Mapped {
  Pointer pointer = Pointer::count;
  std::int64_t offset = 0;
  cuda::Boxes boxes;
};

// An argument of a kernel: an address, a structure that is the same at each execution, or an array
// of tensor maps.
class Argument {
 public:
  explicit Argument(Pointer pointer) : pointer_(pointer) {}
  template <typename Value>
  explicit Argument(const Value& value)
      : bytes_(reinterpret_cast<const unsigned char*>(&value),
               reinterpret_cast<const unsigned char*>(&value) + sizeof(Value)) {
    static_assert(std::is_trivially_copyable_v<Value>);
  }
  explicit Argument(std::vector<Mapped> maps)
      : mapped_(std::move(maps)), addresses_(mapped_.size()), maps_(mapped_.size()) {}

  // Returns the address of the argument's value, which a launch needs. `pointers` has the value of
  // each Pointer. Encodes the tensor maps whose address has changed since the last call.
  void* address(void** pointers);

 private:
  Pointer pointer_ = Pointer::count;
  std::vector<unsigned char> bytes_;  // empty if the argument is a Pointer, or maps
  std::vector<Mapped> mapped_;
  std::vector<const void*> addresses_;  // the addresses that `maps_` contain
  std::vector<cuda::TensorMap> maps_;
};

template <typename... Values>
std::vector<Argument> arguments(const Values&... values) {
  return {Argument(values)...};
}

struct Launch {
  const unsigned char* image = nullptr;
  std::string kernel;  // its name in the image
  cuda::LaunchShape shape;
  std::vector<Argument> arguments;
};

// A kernel that computes forward or backward-data from its geometry and the operands.
template <class Geometry>
Launch convolution(const unsigned char* image, const std::string& kernel,
                   const cuda::LaunchShape& shape, const Geometry& geometry) {
  return {image, kernel, shape,
          arguments(geometry, Pointer::in, Pointer::filters, Pointer::bias, Pointer::out)};
}

// A kernel that computes the partial sums of backward-weight.
template <class Geometry>
Launch gradient(const unsigned char* image, const std::string& kernel,
                const cuda::LaunchShape& shape, const Geometry& geometry) {
  return {image, kernel, shape, arguments(geometry, Pointer::x, Pointer::y, Pointer::parts)};
}

struct LaunchPlan {
  std::vector<Launch> launches;  // empty: the configuration is not valid for the problem
  // The launch that writes the filters in the kernel's own order to the beginning of the workspace.
  // Only for forward and backward-data.
  std::vector<Launch> pack;
  // Bytes of the packed filters. If it is 0, `pack` is not launched, because the kernel reads
  // filters in the problem's order.
  std::uint64_t packed_bytes = 0;
  std::uint64_t workspace = 0;  // bytes of workspace, for the packed filters and everything else
};

}  // namespace atc::kernels
