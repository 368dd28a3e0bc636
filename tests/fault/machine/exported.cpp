// Exports functions of the simulated machine to tests in other languages. They open the library
// that contains this file.
#include <algorithm>

#include "fault/machine/machine.hpp"

using namespace atc::fault;

// After this call the simulated cuDNN proposes only one engine, which needs a workspace.
extern "C" void fault_propose_an_engine() {
  machine().script.engines.assign(1, {});
  machine().script.engines[0].workspace = 4096;
}

// Returns how often the driver's function `name` was called.
extern "C" std::int64_t fault_driver_calls(const char* name) {
  const std::vector<std::string> calls = machine().calls(Part::driver);
  return std::count(calls.begin(), calls.end(), name);
}

// Returns whether the driver's function `name` was called last.
extern "C" std::int64_t fault_is_last_driver_call(const char* name) {
  const std::vector<std::string> calls = machine().calls(Part::driver);
  return !calls.empty() && calls.back() == name ? 1 : 0;
}

// Returns the number of existing objects of this kind (such as streams or plans of cuDNN).
extern "C" std::int64_t fault_alive(const char* kind) {
  const std::map<std::string, std::int64_t> alive = machine().alive();
  const auto found = alive.find(kind);
  return found == alive.end() ? 0 : found->second;
}

extern "C" std::int64_t fault_misuses() {
  return static_cast<std::int64_t>(machine().misuses().size());
}
