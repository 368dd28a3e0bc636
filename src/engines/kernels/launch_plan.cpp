#include "engines/kernels/launch_plan.hpp"

namespace atc::kernels {

void* Argument::address(void** pointers) {
  if (!bytes_.empty()) return bytes_.data();
  if (maps_.empty()) return pointers + static_cast<std::size_t>(pointer_);
  for (std::size_t i = 0; i < mapped_.size(); ++i) {
    const Mapped& mapped = mapped_[i];
    const void* const address =
        static_cast<const unsigned char*>(pointers[static_cast<std::size_t>(mapped.pointer)]) +
        mapped.offset;
    if (address == addresses_[i]) continue;
    maps_[i] = cuda::tensor_map(mapped.boxes, address);
    addresses_[i] = address;
  }
  return maps_.data();
}

}  // namespace atc::kernels
