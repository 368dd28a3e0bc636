// A thread of the soak (the long run of many threads) on the CPU. Each thread draws its next action
// with its own random numbers.
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

// The objects that all threads share.
struct World {
  const Options& options;
  Report& report;
  const Switches& switches;
  const std::vector<std::unique_ptr<Layer>>& layers;
  const std::vector<std::string>& choices;  // the choice of the default engine for each layer
  const std::string& store_folder;
};

class Worker {
 public:
  Worker(const World& world, std::size_t number);

  void run(Rest& rest);
  // Unregisters the engine of this worker. The main thread calls this function while the workers
  // rest.
  void at_rest() { engine_.remove_at_rest(); }

 private:
  // Calls and races this worker's share of the layers, and changes switches and stores. So the
  // decisions that the process remembers exist before its resources are first measured.
  void warm_up();
  void act();
  void call(const Layer& layer, std::size_t index);
  void race(const Layer& layer);
  void clear();
  std::string other_engine();
  bool is_raced(std::size_t layer) const { return layer % kRacedOneIn == 0; }

  // Only one layer in six is raced, because the process remembers the decision of each race until
  // it ends, and so needs more memory.
  static constexpr std::size_t kRacedOneIn = 6;

  const World& world_;
  const std::size_t number_;
  Random random_;
  Calls calls_;
  Stores stores_;
  OwnEngine engine_;
};

}  // namespace soak
