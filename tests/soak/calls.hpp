// Makes convolutions on the CPU in each way that the C ABI offers, and compares each result with
// the reference.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "layer.hpp"
#include "random.hpp"
#include "report.hpp"

namespace soak {

struct DestroyPlan {
  void operator()(atc_conv_plan* plan) const { atc_conv_plan_destroy(plan); }
};
using Plan = std::unique_ptr<atc_conv_plan, DestroyPlan>;

// The options with which plans are made in these calls. They are drawn anew for each call.
struct Terms {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  static Terms drawn(Random& random, const atc_store* store);
};

class Calls {
 public:
  explicit Calls(Report& report) : report_(report) {}

  void eager(const Layer& layer);
  void plan(const Layer& layer, const Terms& terms, std::size_t executions);
  // `comes_and_goes`: the choice belongs to an engine that may not be registered at the moment.
  void given(const Layer& layer, const std::string& choice, bool comes_and_goes);
  // `beside`: the call may try a candidate (ATC_TUNE_BESIDE).
  void acquired(const Layer& layer, bool beside);
  void packed(const Layer& layer, const Terms& terms);
  // Makes a separate race of at most this time, and a plan by its decision. `barred`: an engine, or
  // "".
  void race(const Layer& layer, const atc_store* store, const std::string& barred,
            atc_technique technique, double seconds);

 private:
  template <typename Run>
  void compare(Kind kind, const char* call, const Layer& layer, const std::string& choice,
               std::initializer_list<atc_status> documented, Run run);
  void execute(Kind kind, const Layer& layer, atc_conv_plan* plan, bool weights_are_set);

  Report& report_;
};

}  // namespace soak
