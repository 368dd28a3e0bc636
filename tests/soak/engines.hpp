// An engine that is registered and unregistered while other threads use it.
#pragma once

#include <string>

#include "own_engine.h"
#include "report.hpp"

namespace soak {

// An engine that the program registers. Each thread has one, with a name of its own.
class OwnEngine {
 public:
  OwnEngine(Report& report, std::size_t number)
      : report_(report), name_("soak-" + std::to_string(number)) {}
  // The object cannot be copied, because the registered engine has a pointer to counts_.
  OwnEngine(const OwnEngine&) = delete;
  OwnEngine& operator=(const OwnEngine&) = delete;

  // Registers the engine if it is not registered, and otherwise unregisters it. Unregistering is
  // refused while another thread uses the engine.
  void flip();
  // Unregisters the engine. This function is called while no thread is in a call and no plan
  // exists, so unregistering must succeed.
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
