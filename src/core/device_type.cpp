#include "core/device_type.hpp"

#include "core/format.hpp"

namespace atc {

std::string name_of(DeviceId device) {
  return device.type == DeviceType::cuda ? format("cuda:{}", device.index) : "cpu";
}

}  // namespace atc
