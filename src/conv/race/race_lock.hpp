// The lock of races. The races of a process run one after the other, because concurrent races would
// disturb each other's times.
#pragma once

#include <mutex>

namespace atc::conv {

// The text of the Error(busy) that is thrown if a callback of a race starts another race. (The
// callback would wait for the end of its own race.)
constexpr const char* kRacesTakeTurns = "races run one after the other";

// Waits for the lock and takes it. Each measurement of this process holds this lock.
std::unique_lock<std::mutex> take_turn();

}  // namespace atc::conv
