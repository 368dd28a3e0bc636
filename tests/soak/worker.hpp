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

// The objects that all worker threads of the soak (the long run) share.
struct World {
  const Options& options;
  Report& report;
  const Switches& switches;
  const std::vector<std::unique_ptr<Layer>>& layers;
  // for each layer, the choice that runs if nothing is tuned
  const std::vector<std::string>& choices;
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
  // Convolves this worker's share of the layers, runs races (timings of the candidates) for them,
  // and changes switches and stores. So the decisions that the process remembers exist before the
  // resources of the process are first measured.
  void warm_up();
  void act();
  void call(const Layer& layer, std::size_t index);
  void race(const Layer& layer);
  void clear();
  std::string other_engine();
  bool is_raced(std::size_t layer) const { return layer % kRacedOneIn == 0; }

  // A race (the timing of the candidates) is run only for one layer in six. The process remembers
  // the decision of each race until it ends, so each race needs more memory.
  static constexpr std::size_t kRacedOneIn = 6;

  const World& world_;
  const std::size_t number_;
  Random random_;
  Calls calls_;
  Stores stores_;
  OwnEngine engine_;
};

}  // namespace soak
