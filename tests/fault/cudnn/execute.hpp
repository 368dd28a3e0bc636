// Handles, and the execution of plans with them.
#pragma once

#include <atomic>

namespace atc::fault {

struct Handle {
  std::atomic<bool> busy{false};
  const void* stream = nullptr;
};

}  // namespace atc::fault
