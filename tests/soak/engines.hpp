// Engines that are registered and unregistered while other threads use them.
#pragma once

#include <string>

#include "own_engine.h"
#include "report.hpp"

namespace soak {

// An engine of the program, with a name that no other thread registers.
class OwnEngine {
 public:
  OwnEngine(Report& report, std::size_t number)
      : report_(report), name_("soak-" + std::to_string(number)) {}
  OwnEngine(const OwnEngine&) = delete;  // cannot be copied, because its registration points at the
                                         // counts
  OwnEngine& operator=(const OwnEngine&) = delete;

  // Registers the engine if it is not registered. Otherwise removes it; this is refused while
  // others use it.
  void flip();
  // Removes the engine while no thread is in a call and no plan is alive, so nothing may keep it.
  void remove_at_rest();
  std::string choice(bool staged) const { return name_ + "@1:" + (staged ? "staged" : "direct"); }
  const std::string& name() const { return name_; }

 private:
  bool remove(std::initializer_list<atc_status> documented);

  Report& report_;
  const std::string name_;
  soak_engine_counts counts_{};
  bool registered_ = false;
  long registrations_ = 0;
};

}  // namespace soak
