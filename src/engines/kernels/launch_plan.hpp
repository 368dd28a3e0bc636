// A launch plan: the kernels that compute a problem, in the order of their launches, with all
// arguments. An engine makes a LaunchPlan from a problem and a configuration. `prepare`
// (prepared.hpp) makes a LaunchPlan executable.
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

// An argument of a kernel that is an address. Its value is known only when the plan is executed,
// and may differ between executions.
enum class Pointer {
  // Forward: `in` is x, `filters` is w, and `out` is y. Backward-data: `in` is y, `filters` is w,
  // and `out` is x. If the plan packs the filters, `filters` is the address of the packed filters,
  // whose order `LaunchPlan::pack` defines. If the problem has no bias, `bias` is null.
  in,
  filters,
  bias,
  out,
  // The operands at the addresses that the caller passed. `x`, `w` and `y` are for kernels of
  // backward-weight; `w` is also for the kernel that packs filters.
  x,
  w,
  y,
  packed,  // the address to which `LaunchPlan::pack` writes the packed filters
  // The workspace after the packed filters, which are its first part.
  parts,
  count,
  // An argument that is a structure of four addresses: `in`, `filters`, `bias` and `out`, in this
  // order. These addresses are stored one after the other, so the structure begins where `in` is
  // stored. Therefore in_to_out has the same value as `in`.
  in_to_out = in,
};

// A tensor map (the copy engine's description of a tensor in device memory) as an argument. The
// tensor begins `offset` bytes after the address that `pointer` has at the execution.
struct Mapped {
  Pointer pointer = Pointer::count;
  std::int64_t offset = 0;
  cuda::Boxes boxes;
};

// An argument of a kernel. It is one of three things: an address that is known at the execution
// (Pointer), a structure that is the same at each execution, or an array of tensor maps.
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

  // Returns the address in host memory of the argument's value, as a launch takes it. `pointers`
  // has an address for each Pointer. If the address of a tensor has changed since the last call,
  // its tensor map is encoded again.
  void* address(void** pointers);

 private:
  Pointer pointer_ = Pointer::count;
  // The value of an argument that is a structure. Empty if the argument is an address or tensor
  // maps.
  std::vector<unsigned char> bytes_;
  std::vector<Mapped> mapped_;
  // The address of each tensor at the last encoding of its tensor map.
  std::vector<const void*> addresses_;
  std::vector<cuda::TensorMap> maps_;
};

template <typename... Values>
std::vector<Argument> arguments(const Values&... values) {
  return {Argument(values)...};
}

struct Launch {
  const unsigned char* image = nullptr;
  // The name of the kernel within the fatbin `image`.
  std::string kernel;
  cuda::LaunchShape shape;
  std::vector<Argument> arguments;
};

// Returns the launch of a kernel of forward or backward-data. Its arguments are the geometry and
// the addresses of input, filters, bias and output.
template <class Geometry>
Launch convolution(const unsigned char* image, const std::string& kernel,
                   const cuda::LaunchShape& shape, const Geometry& geometry) {
  return {image, kernel, shape,
          arguments(geometry, Pointer::in, Pointer::filters, Pointer::bias, Pointer::out)};
}

// Returns the launch of a kernel of backward-weight that writes partial sums into the workspace.
// Its arguments are the geometry and the addresses of x, y and the partial sums.
template <class Geometry>
Launch gradient(const unsigned char* image, const std::string& kernel,
                const cuda::LaunchShape& shape, const Geometry& geometry) {
  return {image, kernel, shape, arguments(geometry, Pointer::x, Pointer::y, Pointer::parts)};
}

struct LaunchPlan {
  // The kernels to launch, in this order. Empty if the configuration is not valid for the problem.
  std::vector<Launch> launches;
  // The launch that packs the filters: it writes them to the beginning of the workspace, in the
  // order in which the kernel reads them. Empty if the filters are not packed, and for
  // backward-weight.
  std::vector<Launch> pack;
  // The number of bytes of the packed filters. If it is 0, the filters are not packed: the kernel
  // reads the filters of the caller, and `pack` is not launched.
  std::uint64_t packed_bytes = 0;
  // The bytes of the whole workspace, including the packed filters.
  std::uint64_t workspace = 0;
};

}  // namespace atc::kernels
