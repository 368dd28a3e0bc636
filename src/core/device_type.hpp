// The kinds of devices, and the identifier of a device.
#pragma once

#include <cstdint>
#include <string>

namespace atc {

enum class DeviceType : std::int32_t { cpu = 1, cuda = 2 };  // the values are those of DLPack

struct DeviceId {
  DeviceType type = DeviceType::cpu;
  int index = 0;
  bool operator==(const DeviceId& other) const {
    return type == other.type && index == other.index;
  }
};

std::string name_of(DeviceId device);  // returns, for example, "cpu" or "cuda:0"

using Stream = void*;  // a CUDA stream (CUstream_st*); null on the CPU

}  // namespace atc
