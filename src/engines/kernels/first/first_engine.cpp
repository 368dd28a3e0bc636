#include "engines/kernels/first/first_engine.hpp"

#include "engines/kernels/device.hpp"
#include "engines/kernels/first/plan.hpp"
#include "engines/kernels/first/prepared.hpp"
#include "engines/kernels/tile_engine.hpp"

namespace atc {

namespace {

struct Tiles {
  static constexpr const char* kName = "first";
  static constexpr const char* kVersion = "1";
  static constexpr const char* kUnserved = "engine first does not serve this problem";
  static constexpr const char* kNoTile = "no tile of it fits shared memory or the workspace";

  static std::string device_objection(const Limits& limits) {
    return kernels::objection_below(limits, 8);
  }
  static std::string objection(const Problem& problem, const Limits&) {
    return first::objection(problem);
  }
  static auto configurations(const Problem& problem, const Limits& limits) {
    return first::configurations(problem, limits, kernels::capacity_of(limits));
  }
  static constexpr auto parse = first::parse_configuration;
  static auto plan(const Problem& problem, const Limits& limits,
                   const first::Configuration& configuration) {
    return first::find_plan(problem, limits, configuration, kernels::capacity_of(limits));
  }
  static constexpr auto prepare = first::prepare;
};

}  // namespace

std::unique_ptr<Engine> make_first_engine() {
  return std::make_unique<kernels::TileEngine<Tiles>>();
}

}  // namespace atc
