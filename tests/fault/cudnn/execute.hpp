// The handles of the library that replaces cuDNN in tests, and the execution of plans with these
// handles.
#pragma once

#include <atomic>

namespace atc::fault {

struct Handle {
  std::atomic<bool> busy{false};
  const void* stream = nullptr;
};

}  // namespace atc::fault
