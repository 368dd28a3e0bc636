// The engines and rewrites of the process: built-in ones, and engines registered from outside.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.hpp"
#include "engines/rewrite.hpp"

namespace atc {

// The engine that all other engines are compared with. It is slow and always right.
constexpr const char* kReferenceEngine = "reference";
// The engine to which user_enabled_cudnn and benchmark_limit_cudnn apply.
constexpr const char* kSwitchedEngine = "cudnn";
// The engine whose results all come from transforms, which lose more precision than direct sums.
constexpr const char* kTransformingEngine = "winograd";

struct RegisteredEngine {
  std::shared_ptr<const Engine> engine;
  bool built_in = false;
};

// Thread-safe. As long as somebody holds one of the pointers, that engine cannot be removed.
class EngineRegistry {
 public:
  static EngineRegistry& instance();

  std::vector<RegisteredEngine> all() const;                          // in order of registration
  std::shared_ptr<const Engine> find(const std::string& name) const;  // null: unknown
  std::vector<std::shared_ptr<const Rewrite>> rewrites() const;
  std::shared_ptr<const Rewrite> find_rewrite(const std::string& name) const;  // null: unknown
  void add(std::shared_ptr<const Engine> engine);    // Error(invalid_argument): name taken
  void add(std::shared_ptr<const Rewrite> rewrite);  // likewise; never removed
  // Throws Error(busy) while somebody else holds a pointer to the engine, and
  // Error(invalid_argument) if the engine is unknown or built-in.
  void remove(const std::string& name);

 private:
  EngineRegistry();
  struct State;
  std::unique_ptr<State> state_;
};

// Whether there is an engine or a rewrite of this name: registered here, in another build of atc,
// or in the LibTorch bridge.
bool is_known_name(const std::string& name);
// Returns " (did you mean 'onednn'?)" for a name that is similar to a known one. Returns "" for a
// known name, and for a name that is similar to none.
std::string meant_for(const std::string& name);
std::string_view nearest_known_name(const std::string& name);  // "": none

// Returns the engines that can be the default on a device, in order. The first one that has an
// offer runs without tuning.
std::vector<std::string> default_engines(DeviceType device);

}  // namespace atc
