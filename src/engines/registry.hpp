// The registry of the engines and rewrites of the process. Some engines and rewrites are built in.
// A program can register further engines.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.hpp"
#include "engines/rewrite.hpp"

namespace atc {

// The name of the reference engine. The results of all other engines are compared with the results
// of the reference engine, which is slow and always right.
constexpr const char* kReferenceEngine = "reference";
// The name of the engine that the settings user_enabled_cudnn and benchmark_limit_cudnn switch off
// or limit. (PyTorch has settings of the same names.)
constexpr const char* kSwitchedEngine = "cudnn";
// The name of an engine that computes all results by transforms, which lose more precision than
// direct sums.
constexpr const char* kTransformingEngine = "winograd";

struct RegisteredEngine {
  std::shared_ptr<const Engine> engine;
  bool built_in = false;
};

// Any thread may call any function at any time. An engine cannot be removed as long as somebody
// else, such as a plan, holds a pointer to it.
class EngineRegistry {
 public:
  static EngineRegistry& instance();

  // Returns all engines in the order of registration.
  std::vector<RegisteredEngine> all() const;
  // Returns the engine with this name. Returns null if the name is unknown.
  std::shared_ptr<const Engine> find(const std::string& name) const;
  std::vector<std::shared_ptr<const Rewrite>> rewrites() const;
  // Returns the rewrite with this name. Returns null if the name is unknown.
  std::shared_ptr<const Rewrite> find_rewrite(const std::string& name) const;
  // Adds an engine. Throws Error(invalid_argument) if the name is in use.
  void add(std::shared_ptr<const Engine> engine);
  // Adds a rewrite, which is never removed. Throws Error(invalid_argument) if the name is in use.
  void add(std::shared_ptr<const Rewrite> rewrite);
  // Removes an engine. Throws Error(busy) if another owner holds a pointer to the engine. Throws
  // Error(invalid_argument) if the engine is unknown or built in.
  void remove(const std::string& name);

 private:
  EngineRegistry();
  struct State;
  std::unique_ptr<State> state_;
};

// Returns whether an engine or a rewrite with this name is registered, or whether another build of
// atc or the bridge to LibTorch has one with this name.
bool is_known_name(const std::string& name);
// Returns a hint for the text of an error, such as " (did you mean 'onednn'?)", if the name is
// similar to a known name. Returns "" if the name is known, or if no known name is similar.
std::string meant_for(const std::string& name);
// Returns the known name of an engine or rewrite that is most similar to `name`. Returns "" if no
// known name is similar.
std::string_view nearest_known_name(const std::string& name);

// Returns the names of the engines that can be the default on a device, in the order of preference.
// If nothing is tuned, the first engine of the list that offers a configuration for the problem
// runs.
std::vector<std::string> default_engines(DeviceType device);

}  // namespace atc
