#include "atc/explain.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conv/explain/decisions_digest.hpp"
#include "conv/explain/explanation.hpp"
#include "conv/explain/measure_ceilings.hpp"
#include "convert.hpp"
#include "convert_candidate.hpp"
#include "core/format.hpp"
#include "guard.hpp"
#include "number_names.hpp"

namespace {

using namespace atc;
using namespace atc::ffi;

constexpr std::array kRuleNames = {
    "ATC_RULE_FIRST_OFFER", "ATC_RULE_ALONE",       "ATC_RULE_FASTEST",
    "ATC_RULE_FASTER",      "ATC_RULE_TIE_DEFAULT", "ATC_RULE_TIE_KEPT",
    "ATC_RULE_TIE_LIGHTER", "ATC_RULE_HOST",        "ATC_RULE_PRECISE"};
static_assert(kRuleNames.size() == ATC_RULE_PRECISE);
static_assert(static_cast<int>(conv::Rule::precise) == ATC_RULE_PRECISE);

std::string text_of(const std::vector<conv::Barrier>& barriers) {
  std::string text;
  for (const conv::Barrier& barrier : barriers)
    text += format("{}{}:{}", text.empty() ? "" : ",", barrier.name, barrier.offers);
  return text;
}

}  // namespace

struct atc_explanation {
  explicit atc_explanation(conv::Explanation made) : known(std::move(made)) {
    if (known.decision.winner) choice = to_string(known.decision.choice);
    for (const conv::EntrantAnswer& entrant : known.entrants)
      barriers.push_back(text_of(entrant.barriers));
  }

  conv::Explanation known;
  std::string choice;
  // One text for each entrant (an engine, or a rewrite of the problem into another form): the
  // options and settings that exclude offers of the entrant, each with the number of these offers,
  // for example "workspace_limit:2,allow_tf32:1".
  std::vector<std::string> barriers;
};

extern "C" {

const char* atc_rule_name(int32_t rule) noexcept {
  return name_of(kRuleNames, rule, "unknown rule");
}

atc_status atc_conv_explain(atc_explanation** out, atc_device device,
                            const atc_conv_problem* problem,
                            const atc_conv_options* options) noexcept {
  return guard([&] {
    required(out, "out");
    const DeviceId id = to_device(device);
    const Problem described = to_problem(problem);
    const conv::PlanOptions known = to_plan_options(read_plan_options(options));
    *out = std::make_unique<atc_explanation>(conv::explain(described, id, known)).release();
  });
}

atc_status atc_conv_decisions_digest(uint64_t* out, atc_device device,
                                     const atc_conv_problem* problems, size_t count,
                                     const atc_conv_options* options) noexcept {
  return guard([&] {
    required(out, "out");
    const DeviceId id = to_device(device);
    const std::vector<Problem> described = to_problems(problems, count);
    *out = conv::decisions_digest(described, id, to_plan_options(read_plan_options(options)));
  });
}

atc_status atc_conv_measure_ceilings(atc_device device, const atc_conv_problem* problem,
                                     const atc_conv_options* options) noexcept {
  return guard([&] {
    const DeviceId id = to_device(device);
    const Problem described = to_problem(problem);
    conv::measure_ceilings(described, id, to_plan_options(read_plan_options(options)));
  });
}

atc_status atc_conv_ceilings(double* bytes_per_second, double* flops_per_second, atc_device device,
                             const atc_conv_problem* problem,
                             const atc_conv_options* options) noexcept {
  return guard([&] {
    const DeviceId id = to_device(device);
    const Problem described = to_problem(problem);
    const conv::Roof roof =
        conv::ceilings_for(described, id, to_plan_options(read_plan_options(options)));
    if (bytes_per_second != nullptr) *bytes_per_second = roof.bytes_per_second.value_or(0);
    if (flops_per_second != nullptr) *flops_per_second = roof.flops_per_second.value_or(0);
  });
}

void atc_explanation_destroy(atc_explanation* explanation) noexcept {
  guard_void([&] { delete explanation; });
}

atc_status atc_explanation_describe(atc_explained* out,
                                    const atc_explanation* explanation) noexcept {
  return guard([&] {
    const atc_explanation& given = required(explanation, "explanation");
    const conv::Explanation& known = given.known;
    const conv::Decision& decision = known.decision;
    atc_explained told{};
    if (decision.winner) {
      told.source = static_cast<int32_t>(decision.source);
      told.rule = static_cast<int32_t>(known.ruling.rule);
    }
    told.flags = (decision.unstable ? ATC_TUNED_UNSTABLE : 0) |
                 (decision.keeping == conv::Keeping::stored ? ATC_TUNED_STORED : 0);
    told.winner = to_index(decision.winner);
    told.default_candidate = to_index(decision.default_candidate);
    told.candidates = decision.candidates.size();
    told.entrants = known.entrants.size();
    told.bytes = known.work.bytes;
    told.flops = known.work.flops;
    told.bytes_per_second = known.roof.bytes_per_second.value_or(0);
    told.flops_per_second = known.roof.flops_per_second.value_or(0);
    told.risk = decision.unstable ? decision.risk : 0;
    told.description = known.description.c_str();
    told.choice = given.choice.c_str();
    told.why = (decision.winner ? known.ruling.why : decision.why).c_str();
    told.doubts = decision.winner ? decision.why.c_str() : "";
    told.miss = known.miss.c_str();
    write_struct(out, told, "out");
  });
}

atc_status atc_explanation_candidate(atc_candidate* out, const atc_explanation* explanation,
                                     size_t index) noexcept {
  return guard(
      [&] { write_candidate(out, required(explanation, "explanation").known.decision, index); });
}

atc_status atc_explanation_entrant(atc_entrant* out, const atc_explanation* explanation,
                                   size_t index) noexcept {
  return guard([&] {
    const atc_explanation& given = required(explanation, "explanation");
    const conv::EntrantAnswer& known = checked_element(given.known.entrants, index, "entrant");
    atc_entrant told{};
    told.is_rewrite = known.rewrite ? 1 : 0;
    told.offers = known.offers;
    told.name = known.name.c_str();
    told.version = known.version.c_str();
    told.why_not = known.why_not.c_str();
    told.barriers = given.barriers[index].c_str();
    write_struct(out, told, "out");
  });
}

}  // extern "C"
