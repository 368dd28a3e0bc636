// The engines and rewrites of the process: built-in ones, and engines registered from outside.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.hpp"
#include "engines/rewrite.hpp"

namespace atc {

// The engine that others are compared with: slow, and always right.
constexpr const char* kReferenceEngine = "reference";
// The engine that user_enabled_cudnn and benchmark_limit_cudnn control.
constexpr const char* kSwitchedEngine = "cudnn";

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
  std::vector<std::shared_ptr<const Rewrite>> rewrites() const;
  std::shared_ptr<const Rewrite> find_rewrite(const std::string& name) const;  // null: unknown
  void add(std::shared_ptr<const Engine> engine);    // Error(invalid_argument): name taken
  void add(std::shared_ptr<const Rewrite> rewrite);  // likewise; never removed
  // Error(busy) while a pointer to the engine is held elsewhere, Error(invalid_argument) for
  // unknown or built-in.
  void remove(const std::string& name);

 private:
  EngineRegistry();
  struct State;
  std::unique_ptr<State> state_;
};

// Whether an engine or a rewrite of this name is registered here or exists in another build of atc,
// or the LibTorch bridge has it.
bool is_known_name(const std::string& name);
// " (did you mean 'onednn'?)" for a name like a known one; "" for a known name and one like none.
std::string meant_for(const std::string& name);
std::string_view nearest_known_name(const std::string& name);  // "": none

// The engines that run without tuning on a device: the first one that has an offer.
std::vector<std::string> default_engines(DeviceType device);

}  // namespace atc
