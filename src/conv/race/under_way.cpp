#include "conv/race/under_way.hpp"

#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

#include "conv/race/race_lock.hpp"
#include "core/inside.hpp"

namespace atc::conv {

namespace {

// The races that are running. The object is never destroyed, because threads may still run races
// while the process ends.
struct Races {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::string> keys;
};

Races& races() {
  static auto* const races = new Races;
  return *races;
}

}  // namespace

UnderWay::UnderWay(std::string key) : key_(std::move(key)) {
  Races& all = races();
  std::unique_lock lock(all.mutex);
  while (!all.keys.insert(key_).second) {
    require_outside_callbacks(kRacesTakeTurns);
    waited_ = true;
    all.changed.wait(lock);
  }
}

UnderWay::~UnderWay() {
  Races& all = races();
  {
    const std::lock_guard lock(all.mutex);
    all.keys.erase(key_);
  }
  all.changed.notify_all();
}

}  // namespace atc::conv
