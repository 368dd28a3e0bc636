// A thread of the soak on the CPU. It decides its next action by its own random numbers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calls.hpp"
#include "engines.hpp"
#include "layer.hpp"
#include "options.hpp"
#include "report.hpp"
#include "rest.hpp"
#include "stores.hpp"
#include "switches.hpp"

namespace soak {

// What all threads share.
struct World {
  const Options& options;
  Report& report;
  const Switches& switches;
  const std::vector<std::unique_ptr<Layer>>& layers;
  const std::vector<std::string>& choices;  // for each layer, the choice of the default engine
  const std::string& store_folder;
};

class Worker {
 public:
  Worker(const World& world, std::size_t number);

  void run(Rest& rest);
  // Called by the main thread while the workers rest.
  void at_rest() { engine_.remove_at_rest(); }

 private:
  // Runs each layer in each way once, so that the process remembers them before the first look.
  void warm_up();
  void act();
  void call(const Layer& layer, std::size_t index);
  void race(const Layer& layer);
  void clear();
  std::string other_engine();
  bool is_raced(std::size_t layer) const { return layer % kRacedOneIn == 0; }

  // The process remembers the decisions of races as long as it lives, so only some layers race.
  static constexpr std::size_t kRacedOneIn = 6;

  const World& world_;
  const std::size_t number_;
  Random random_;
  Calls calls_;
  Stores stores_;
  OwnEngine engine_;
};

}  // namespace soak
