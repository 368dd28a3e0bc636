#include "conv/decide/from_pin.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "conv/decide/checked_once.hpp"
#include "conv/race/lineup.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "core/printable.hpp"
#include "device/stream.hpp"
#include "engines/registry.hpp"

namespace atc::conv {

namespace {

// The reason why a request does not allow a choice, and a way to change this.
struct Objection {
  std::string reason, way_out;
};

// Returns the candidate that a choice names, if the limits of the request allow it. Otherwise
// returns nothing, and writes the reason to `objection`.
std::optional<Candidate> admitted(const Chain& chain, const Choice& choice, const Problem& problem,
                                  const Limits& limits, Objection& objection) {
  bool deterministic = true;
  auto found = find_offer(chain, choice, problem, limits);
  if (!found) {
    // To find out which limit excludes the choice, the limits are lifted one after the other until
    // the engine offers the choice.
    Limits lifted = limits;
    lifted.workspace = std::numeric_limits<std::int64_t>::max();
    found = find_offer(chain, choice, problem, lifted);
    if (!found && limits.deterministic) {
      lifted.deterministic = false;
      found = find_offer(chain, choice, problem, lifted);
      deterministic = !found;
    }
    if (!found && !limits.allow_tf32) {
      lifted.allow_tf32 = true;
      if (find_offer(chain, choice, problem, lifted)) {
        objection = {"it multiplies in TF32, which the call does not allow",
                     "allow TF32 (allow_tf32_cudnn)"};
        return std::nullopt;
      }
    }
    if (!found) {
      objection = {format("{} has no such configuration for this problem", choice.engine),
                   "narrow the pin's \"match\""};
      return std::nullopt;
    }
  }
  if (limits.deterministic && !(deterministic && found->deterministic)) {
    objection = {"it is not deterministic, and the call asks for deterministic kernels",
                 "allow others (deterministic_cudnn, deterministic_algorithms)"};
    return std::nullopt;
  }
  if (found->candidate.workspace > limits.workspace) {
    objection = {format("it needs {} bytes of workspace, and the call allows {}",
                        found->candidate.workspace, limits.workspace),
                 "raise the limit (workspace_limit)"};
    return std::nullopt;
  }
  return std::move(found->candidate);
}

// Returns the reason why the correctness gate refuses the candidate; "" if the candidate passes.
std::string gate(const Candidate& candidate, const Chain& chain, const Problem& problem,
                 const Request& request) {
  if (auto known = known_verdict(candidate.choice, problem, request)) return *known;
  if (is_captured(request.device, request.stream))
    fail(
        Status::capturing,
        "its result has to be checked once in this process, which a stream capture does not allow: "
        "run the convolution once before the capture");
  return verdict(candidate, chain, problem, request);
}

Decided build_pinned(const PinFile& file, const Pin& pin, const Problem& problem,
                     const Request& request, Objection& objection) {
  const Choice& choice = *pin.choice;
  auto chain = find_chain(choice, request.device.type, objection.reason);
  if (!chain) fail(Status::unsupported, "{}", objection.reason);
  auto candidate = admitted(*chain, choice, problem, request.limits, objection);
  if (!candidate) fail(Status::unsupported, "{}", objection.reason);
  if (const std::string wrong = gate(*candidate, *chain, problem, request); !wrong.empty())
    fail(Status::unsupported, "the correctness gate refuses it: {}", wrong);
  Decided decided;
  if (request.plan_wanted) decided.prepared = build_for_plan(*chain, choice, problem, request);
  decided.chain = std::move(*chain);
  Decision decision;
  decision.source = Source::pinned;
  decision.choice = choice;
  decision.winner = 0;
  candidate->notes = format("pinned by {}", file.place(pin));
  decision.candidates = {std::move(*candidate)};
  decided.decision = std::make_shared<const Decision>(std::move(decision));
  return decided;
}

}  // namespace

Decided from_pin(const PinFile& file, const Pin& pin, const Problem& problem,
                 const Request& request) {
  Objection objection;
  try {
    return build_pinned(file, pin, problem, request, objection);
  } catch (const Error& error) {
    const Status status = error.status();
    const bool of_choice = status == Status::unsupported || status == Status::invalid_argument;
    const std::string out = objection.way_out.empty() ? "" : objection.way_out + ", ";
    fail(of_choice ? Status::unsupported : status, "{} pins {} for {}: {}{}", file.place(pin),
         shown(to_string(*pin.choice), 300), describe(problem), error.what(),
         of_choice ? format("; {}change the pin, or run without the file (ATC_PINS, set_pins)", out)
                   : "");
  }
}

void warn_of_unknown(const PinFile& file, const std::vector<const Pin*>& bars) {
  for (const Pin* const pin : bars)
    for (const std::string& name : pin->barred_names)
      if (!is_known_name(name))
        log_once(LogLevel::warning, format("{} bars {}: there is no such engine or rewrite{}",
                                           file.place(*pin), shown(name), meant_for(name)));
}

void obey_bars(const std::vector<const Pin*>& bars, Request& request) {
  for (const Pin* const pin : bars) {
    request.engines_barred.insert(request.engines_barred.end(), pin->barred_names.begin(),
                                  pin->barred_names.end());
    request.choices_barred.insert(request.choices_barred.end(), pin->barred_choices.begin(),
                                  pin->barred_choices.end());
  }
}

}  // namespace atc::conv
