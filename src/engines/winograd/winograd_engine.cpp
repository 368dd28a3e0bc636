#include "engines/winograd/winograd_engine.hpp"

#include <algorithm>
#include <string_view>

#include "core/error.hpp"
#include "core/format.hpp"
#include "device/cpu/openmp.hpp"
#include "engines/configuration_text.hpp"
#include "engines/winograd/geometry.hpp"
#include "engines/winograd/kernels.hpp"
#include "engines/winograd/prepared.hpp"

namespace atc {

namespace {

using namespace winograd;

// Returns the kernels for this processor. Returns null if the processor has neither AVX-512 nor
// AVX2 with FMA.
const Kernels* kernels() {
  static const Kernels* const found = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
      return &kAvx512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kAvx2 : nullptr;
  }();
  return found;
}

std::string why_none(const Problem& problem) {
  if (kernels() == nullptr) return "Winograd's method needs a processor with AVX2 and FMA";
  return objection(problem);
}

std::string to_text(int m) { return format("tile={}x{}", m, m); }

// Returns the size m of the tiles (m x m outputs) that a configuration names. Returns 0 if the text
// is no configuration.
int tile_in(const std::string& text) {
  for (const int m : {2, 4})
    if (text == to_text(m)) return m;
  return 0;
}

class WinogradEngine final : public Engine {
 public:
  std::string name() const override { return "winograd"; }
  std::string version() const override { return "1"; }
  bool serves(DeviceType device) const override { return device == DeviceType::cpu; }
  std::string library() const override { return kOwnLibrary; }
  bool keeps_apart() const override { return true; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    why_not = why_none(problem);
    if (!why_not.empty()) return {};
    const Geometry geometry(problem);
    // The first offered configuration is the one that runs if nothing is tuned. Tiles of 4x4
    // outputs need fewer products than tiles of 2x2 outputs, unless the output is so small that
    // most of a 4x4 tile is outside of it.
    const bool is_small = std::min(geometry.out.rows, geometry.out.columns) <= 2;
    std::vector<Offer> offers;
    for (const int m : {is_small ? 2 : 4, is_small ? 4 : 2}) {
      Offer offer;
      offer.configuration = to_text(m);
      offer.notes = format("F({}x{}, 3x3)", m, m);
      offer.exactness = Exactness::transformed;
      offer.workspace = WinogradPrepared::workspace_bytes(
          Tiling(geometry, m, kernels()->lanes, std::max(team_size(), 1)));
      if (offer.workspace <= limits.workspace) offers.push_back(offer);
    }
    if (offers.empty())
      why_not = format("Winograd's method needs more workspace than the {} bytes allowed",
                       limits.workspace);
    return offers;
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits&,
                                    const std::string& configuration) const override {
    const int m = tile_in(configuration);
    if (m == 0)
      fail(Status::unsupported,
           "engine winograd has no configuration \"{}\"; it has \"{}\" and \"{}\"", configuration,
           to_text(4), to_text(2));
    if (const std::string why = why_none(problem); !why.empty())
      fail(Status::unsupported, "{}", why);
    return std::make_unique<WinogradPrepared>(problem, *kernels(), m);
  }
};

}  // namespace

std::unique_ptr<Engine> make_winograd_engine() { return std::make_unique<WinogradEngine>(); }

}  // namespace atc
