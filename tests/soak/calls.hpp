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

// The options of a plan. They are drawn at random for each call.
struct Terms {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  static Terms drawn(Random& random, const atc_store* store);
};

class Calls {
 public:
  explicit Calls(Report& report) : report_(report) {}

  void eager(const Layer& layer);
  void plan(const Layer& layer, const Terms& terms, std::size_t executions);
  // Makes a plan with the given choice. `comes_and_goes` is true if the choice belongs to an engine
  // that other threads register and unregister.
  void given(const Layer& layer, const std::string& choice, bool comes_and_goes);
  // Makes an eager call by a plan of the cache. `beside` is true if the call may run a candidate
  // that is not chosen yet, to measure it (ATC_TUNE_BESIDE).
  void acquired(const Layer& layer, bool beside);
  void packed(const Layer& layer, const Terms& terms);
  // Runs a race (the timing of the candidates of a problem) of at most `seconds`, and then makes a
  // plan that uses the decision of the race. `barred` is an engine that is left out, or "".
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
