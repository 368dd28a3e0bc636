// The lock of races. The races of a process run one after the other, because concurrent races would
// disturb each other's times.
#pragma once

#include <mutex>

namespace atc::conv {

// The text of Error(busy), which is thrown if a callback starts a race. (It would wait for itself.)
constexpr const char* kRacesTakeTurns = "races run one after the other";

// Waits for the lock and takes it. Each measurement of this process holds this lock.
std::unique_lock<std::mutex> take_turn();

}  // namespace atc::conv
