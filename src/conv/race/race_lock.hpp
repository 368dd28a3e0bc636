// Races of a process run one after the other, because they would disturb each other's times.
#pragma once

#include <mutex>

namespace atc::conv {

// The text of Error(busy), which is thrown if a callback starts a race.
constexpr const char* kRacesTakeTurns = "races run one after the other";

// Takes the lock that each measurement of this process holds.
std::unique_lock<std::mutex> take_turn();

}  // namespace atc::conv
