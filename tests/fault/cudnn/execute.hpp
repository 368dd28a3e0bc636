// The stand-in's cuDNN handles, and the execution of cuDNN plans with these handles.
#pragma once

#include <atomic>

namespace atc::fault {

struct Handle {
  std::atomic<bool> busy{false};
  const void* stream = nullptr;
};

}  // namespace atc::fault
