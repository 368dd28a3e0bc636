#include "engines/kernels/implicit/implicit_engine.hpp"

#include "engines/kernels/device.hpp"
#include "engines/kernels/implicit/plan.hpp"
#include "engines/kernels/implicit/prepared.hpp"
#include "engines/kernels/implicit/shape.hpp"
#include "engines/kernels/tile_engine.hpp"

namespace atc {

namespace {

// Whether the device multiplies by warpgroups.
bool has_warpgroups(const Limits& limits) {
  return kernels::objection_but_for(limits, 9, 0).empty();
}

struct Tiles {
  static constexpr const char* kName = "implicit";
  static constexpr const char* kVersion = "1";
  static constexpr const char* kUnserved = "engine implicit does not serve this problem";
  static constexpr const char* kNoTile = "no tile of it fits shared memory or the workspace";

  static std::string device_objection(const Limits& limits) {
    return kernels::objection_below(limits, 8);
  }
  static std::string objection(const Problem& problem, const Limits&) {
    return implicit::objection(problem);
  }
  static auto configurations(const Problem& problem, const Limits& limits) {
    return implicit::configurations(problem, limits, kernels::device_of(limits).multiprocessors,
                                    has_warpgroups(limits));
  }
  static constexpr auto parse = implicit::parse_configuration;
  static implicit::Plan plan(const Problem& problem, const Limits& limits,
                             const implicit::Configuration& configuration) {
    if (configuration.parts != 0 && !has_warpgroups(limits)) return {};
    return implicit::find_plan(problem, limits, configuration);
  }
  static constexpr auto prepare = implicit::prepare;
};

}  // namespace

std::unique_ptr<Engine> make_implicit_engine() {
  return std::make_unique<kernels::TileEngine<Tiles>>();
}

}  // namespace atc
