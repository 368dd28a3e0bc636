#include "engines/kernels/grouped/grouped_engine.hpp"

#include "engines/kernels/device.hpp"
#include "engines/kernels/grouped/plan.hpp"
#include "engines/kernels/grouped/prepared.hpp"
#include "engines/kernels/tile_engine.hpp"

namespace atc {

namespace {

struct Tiles {
  static constexpr const char* kName = "grouped";
  static constexpr const char* kVersion = "1";
  static constexpr const char* kUnserved = "engine grouped does not serve this problem";
  static constexpr const char* kNoTile = "no tile of it fits shared memory";

  static std::string device_objection(const Limits& limits) {
    return kernels::objection_below(limits, 8);
  }
  static constexpr auto objection = grouped::objection;
  static auto configurations(const Problem& problem, const Limits& limits) {
    return grouped::configurations(problem, limits, kernels::capacity_of(limits));
  }
  static constexpr auto parse = grouped::parse_configuration;
  static auto plan(const Problem& problem, const Limits& limits,
                   const grouped::Configuration& configuration) {
    return grouped::find_plan(problem, limits, configuration, kernels::capacity_of(limits));
  }
  static constexpr auto prepare = grouped::prepare;
};

}  // namespace

std::unique_ptr<Engine> make_grouped_engine() {
  return std::make_unique<kernels::TileEngine<Tiles>>();
}

}  // namespace atc
