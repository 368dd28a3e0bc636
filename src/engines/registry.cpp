#include "engines/registry.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <shared_mutex>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/nearest_name.hpp"
#include "engines/epilogue/separate_epilogue.hpp"
#include "engines/reference/reference_engine.hpp"
#ifdef ATC_WITH_CUDA
#include "engines/cublaslt/cublaslt_engine.hpp"
#include "engines/cudnn/cudnn_engine.hpp"
#endif
#ifdef ATC_WITH_KERNELS
#include "engines/kernels/own_engines.hpp"
#include "engines/rewrite/rewrites.hpp"
#endif
#ifdef ATC_WITH_ONEDNN
#include "engines/onednn/onednn_engine.hpp"
#endif
#ifdef ATC_WITH_WINOGRAD
#include "engines/winograd/winograd_engine.hpp"
#endif

namespace atc {

namespace {

// The names of all engines and rewrites that some build of atc has. Each build knows all of these
// names, even if it does not have the engine. `aten` is the engine of the bridge to LibTorch.
constexpr std::string_view kNames[] = {
    "aten", "cublaslt", "cudnn", "dense", "depthwise", "first", "grouped",   "implicit",
    "nhwc", "onednn",   "pad",   "patch", "reference", "split", "subsample", "winograd"};

}  // namespace

struct EngineRegistry::State {
  mutable std::shared_mutex mutex;
  std::vector<RegisteredEngine> engines;
  std::vector<std::shared_ptr<const Rewrite>> rewrites;

  auto find(const std::string& name) {
    return std::find_if(engines.begin(), engines.end(),
                        [&](const auto& entry) { return entry.engine->name() == name; });
  }
  auto find_rewrite(const std::string& name) {
    return std::find_if(rewrites.begin(), rewrites.end(),
                        [&](const auto& rewrite) { return rewrite->name() == name; });
  }
  void require_free(const std::string& name) {
    if (find(name) != engines.end() || find_rewrite(name) != rewrites.end())
      fail(Status::invalid_argument,
           "an engine or rewrite named '{}' is already registered: choose another name", name);
  }
};

EngineRegistry::EngineRegistry() : state_(std::make_unique<State>()) {
  [[maybe_unused]] const auto add = [this](std::shared_ptr<const Engine> engine) {
    state_->engines.push_back({with_separate_epilogue(std::move(engine)), true});
  };
#ifdef ATC_WITH_CUDA
  add(make_cudnn_engine());
  add(make_cublaslt_engine());
#endif
#ifdef ATC_WITH_KERNELS
  add(make_depthwise_engine());
  add(make_grouped_engine());
  add(make_first_engine());
  add(make_implicit_engine());
  add(make_dense_engine());
  for (auto make : {make_channels_last_rewrite, make_patch_rewrite, make_subsample_rewrite,
                    make_channel_padding_rewrite, make_batch_split_rewrite})
    state_->rewrites.push_back(with_separate_epilogue(std::shared_ptr<const Rewrite>(make())));
#endif
#ifdef ATC_WITH_ONEDNN
  add(make_onednn_engine());
#endif
#ifdef ATC_WITH_WINOGRAD
  add(make_winograd_engine());
#endif
  state_->engines.push_back({make_reference_engine(), true});
}

EngineRegistry& EngineRegistry::instance() {
  // The registry is never destroyed, because detached threads may still own plans after static
  // destructors have run.
  static auto* const registry = new EngineRegistry;
  return *registry;
}

std::vector<RegisteredEngine> EngineRegistry::all() const {
  const std::shared_lock lock(state_->mutex);
  return state_->engines;
}

std::shared_ptr<const Engine> EngineRegistry::find(const std::string& name) const {
  const std::shared_lock lock(state_->mutex);
  const auto found = state_->find(name);
  return found == state_->engines.end() ? nullptr : found->engine;
}

std::vector<std::shared_ptr<const Rewrite>> EngineRegistry::rewrites() const {
  const std::shared_lock lock(state_->mutex);
  return state_->rewrites;
}

std::shared_ptr<const Rewrite> EngineRegistry::find_rewrite(const std::string& name) const {
  const std::shared_lock lock(state_->mutex);
  const auto found = state_->find_rewrite(name);
  return found == state_->rewrites.end() ? nullptr : *found;
}

void EngineRegistry::add(std::shared_ptr<const Engine> engine) {
  const std::unique_lock lock(state_->mutex);
  state_->require_free(engine->name());
  state_->engines.push_back({with_separate_epilogue(std::move(engine)), false});
}

void EngineRegistry::add(std::shared_ptr<const Rewrite> rewrite) {
  const std::unique_lock lock(state_->mutex);
  state_->require_free(rewrite->name());
  state_->rewrites.push_back(with_separate_epilogue(std::move(rewrite)));
}

void EngineRegistry::remove(const std::string& name) {
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->find(name);
  if (found == state_->engines.end())
    fail(Status::invalid_argument, "no engine named '{}' is registered", name);
  if (found->built_in)
    fail(Status::invalid_argument, "engine '{}' is built in and cannot be removed; bar it instead",
         name);
  // If there is a copy of the pointer found->engine, a plan or a race uses the engine. Other
  // threads can get a copy from the registry only while they hold the mutex. So if the use count of
  // the pointer is 1 here, it remains 1.
  if (found->engine.use_count() > 1)
    fail(Status::busy, "engine '{}' has {} live plans or races: destroy them first", name,
         found->engine.use_count() - 1);
  state_->engines.erase(found);
}

bool is_known_name(const std::string& name) {
  const EngineRegistry& registry = EngineRegistry::instance();
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         registry.find(name) != nullptr || registry.find_rewrite(name) != nullptr;
}

std::string_view nearest_known_name(const std::string& name) {
  return nearest_name(name, {std::begin(kNames), std::end(kNames)});
}

std::string meant_for(const std::string& name) {
  const std::string_view nearest = is_known_name(name) ? "" : nearest_known_name(name);
  return nearest.empty() ? "" : format(" (did you mean '{}'?)", nearest);
}

std::vector<std::string> default_engines(DeviceType device) {
  if (device == DeviceType::cuda) return {"cudnn", "reference"};
  return {"onednn", "reference"};
}

}  // namespace atc
