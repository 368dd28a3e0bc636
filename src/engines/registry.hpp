// The engines of the process: built-in ones and those registered from outside.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/engine.hpp"

namespace atc {

struct RegisteredEngine {
  std::shared_ptr<const Engine> engine;
  bool built_in = false;
};

// Thread-safe. Whoever holds one of the pointers keeps its engine from being removed.
class EngineRegistry {
 public:
  static EngineRegistry& instance();

  std::vector<RegisteredEngine> all() const;                          // in order of registration
  std::shared_ptr<const Engine> find(const std::string& name) const;  // null: unknown
  void add(std::shared_ptr<const Engine> engine);  // Error(invalid_argument): name taken
  // Error(busy) while somebody else holds the engine, Error(invalid_argument) for unknown or
  // built-in.
  void remove(const std::string& name);

 private:
  EngineRegistry();
  struct State;
  std::unique_ptr<State> state_;
};

// What runs without tuning on a device, in order: the first of these that offers.
std::vector<std::string> default_engines(DeviceType device);

}  // namespace atc
