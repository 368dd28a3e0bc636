#include "conv/race/chain_contestant.hpp"

#include <exception>
#include <limits>

#include "conv/race/another_size.hpp"
#include "conv/race/repeat.hpp"
#include "conv/race/single_execution.hpp"
#include "core/format.hpp"
#include "store/sidecar.hpp"

namespace atc::conv {

namespace {

// The first execution on a GPU may take this many seconds more than later executions, because it
// may load kernels.
constexpr double kLoading = 1;

// Returns the libraries whose code the chain runs. Empty if one of these libraries is not known.
Libraries libraries_of(const Chain& chain) {
  const std::string library = chain.engine->library();
  if (library.empty()) return {};
  Libraries libraries{library};
  if (!chain.rewrites.empty()) libraries.insert(kOwnLibrary);
  return libraries;
}

}  // namespace

ChainContestant::ChainContestant(RaceSetup& setup, const Candidate& candidate, const Chain& chain,
                                 std::string compiled, bool is_default)
    : setup_(setup),
      candidate_(candidate),
      chain_(chain),
      is_default_(is_default),
      known_(!compiled.empty()),
      compiled_(std::move(compiled)) {}

void ChainContestant::begin_compiling() noexcept {
  if (is_wrong() || !compiled_.empty() || compiling_.valid()) return;
  try {
    compiling_ = std::async(std::launch::async, [this] {
      auto prepared = build("");
      std::string text = prepared->compiled();
      return Compiled{std::move(prepared), std::move(text)};
    });
  } catch (const std::exception&) {
    // If no further thread can be started, prepare() later compiles on the thread that calls it.
  }
}

void ChainContestant::prepare() {
  if (is_wrong()) return;  // The candidate is refused already, and check() reports the reason.
  if (compiling_.valid()) {
    Compiled beside = compiling_.get();
    compiled_ = std::move(beside.text);
    prepared_ = std::move(beside.prepared);
  }
  // Some engines keep what they have compiled for each thread separately. If another thread has
  // compiled the candidate, this thread does not have the result. So the candidate is built again
  // on this thread, from the compiled text.
  if (prepared_ == nullptr || !compiled_.empty()) prepared_ = build(compiled_);
  if (candidate_.compiles && compiled_.empty()) compiled_ = prepared_->compiled();
  setup_.arena.reserve_workspace(prepared_->workspace_size());
}

tune::Verdict ChainContestant::check(double patience) {
  if (is_wrong()) return {false, wrong_};
  const tune::Verdict verdict = pass_gate(patience);
  return verdict.passed && setup_.thorough ? check_again(verdict) : verdict;
}

bool ChainContestant::stands() {
  if (!is_in_doubt() && refutation().empty() && !has_to_repeat() &&
      !chain_.engine->remembers_sizes(setup_.problem))
    return true;
  try {
    if (prepared_ == nullptr) prepare();
    const tune::Verdict verdict = check_again({true, ""});
    if (!verdict.passed) wrong_ = verdict.reason;
  } catch (const std::exception&) {
    // An exception does not show that a result is wrong, so the candidate is not refused for it. If
    // the device has failed, the next wait for the device (Site::wait) throws.
  }
  return !is_wrong();
}

void ChainContestant::run(std::size_t set) {
  Operands operands = setup_.arena.operands(set);
  if (setup_.request.limits.constant_weights) operands.w = nullptr;
  prepared_->execute(operands, setup_.arena.workspace(), setup_.site->stream());
}

tune::Burden ChainContestant::burden() const {
  const bool kept = !compiled_.empty() && compiled_.size() <= store::kMaxSidecarBytes;
  return {candidate_.compiles && !known_, candidate_.workspace, setup_.keeps && kept,
          candidate_.original};
}

std::vector<std::string> ChainContestant::groups() const {
  return {candidate_.rewrites + candidate_.choice.engine, candidate_.family, candidate_.kin};
}

std::unique_ptr<Prepared> ChainContestant::build(const std::string& compiled) const {
  return conv::build(chain_, candidate_.choice, setup_.problem, setup_.request.limits, compiled);
}

tune::Verdict ChainContestant::pass_gate(double patience) {
  const bool constant = setup_.request.limits.constant_weights;
  // An Inf or NaN in an input must reach only those elements of the output that depend on it. If
  // the engine promises this (keeps_apart), the gate tests it for both inputs. Otherwise the gate
  // tests only candidates with rewrites, and only with the padded input, because a rewrite may
  // spread Inf and NaN of this input.
  const Apart apart = chain_.engine->keeps_apart() ? Apart::all
                      : chain_.rewrites.empty()    ? Apart::unasked
                                                   : Apart::padded;
  const Imprecise imprecise =
      (candidate_.original || setup_.lenient) && !setup_.request.strict_precision
          ? Imprecise::marked
          : Imprecise::refused;
  const auto check = [&](Prepared& prepared, double most) {
    tune::Verdict checked =
        setup_.gate.check(prepared, setup_.arena.workspace(), candidate_.exactness, constant, most,
                          apart, imprecise, libraries_of(chain_));
    agreement_ = setup_.gate.agreement();
    return checked;
  };
  tune::Verdict verdict;
  if (once_if_long_) {
    const bool loads = setup_.request.device.type == DeviceType::cuda;
    SingleExecution single(*prepared_, *setup_.site, loads ? patience + kLoading : patience);
    try {
      verdict = check(single, std::numeric_limits<double>::infinity());
    } catch (const TookTooLong& one) {
      return {false, "", true, false, one.seconds};
    }
  } else {
    verdict = check(*prepared_, patience);
  }
  if (verdict.passed && !verdict.imprecise && !chain_.engine->keeps_apart() &&
      setup_.request.device.type == DeviceType::cpu)
    if (tune::Verdict spread = follow_default(); !spread.passed) verdict = std::move(spread);
  if (verdict.passed && constant) prepared_->set_weights(setup_.arena.operands(0).w);
  return verdict;
}

tune::Verdict ChainContestant::follow_default() {
  using Check = tune::Verdict (Gate::*)(Prepared&, void*, bool);
  struct Input {
    Check check;
    bool& kept_apart;
  };
  for (const Input& input : {Input{&Gate::check_padded_apart, setup_.default_keeps.padded},
                             Input{&Gate::check_other_apart, setup_.default_keeps.other}}) {
    const bool exempt = candidate_.original || candidate_.exactness == Exactness::transformed;
    if (!is_default_ && (!input.kept_apart || exempt)) continue;
    tune::Verdict verdict = (setup_.gate.*input.check)(*prepared_, setup_.arena.workspace(),
                                                       setup_.request.limits.constant_weights);
    if (is_default_)
      input.kept_apart = verdict.passed;
    else if (!verdict.passed)
      return verdict;
  }
  return {true, ""};
}

tune::Verdict ChainContestant::check_again(const tune::Verdict& first) {
  if (const std::string wrong = refutation(); !wrong.empty()) return {false, wrong};
  if (is_in_doubt()) setup_.gate.evaluate_whole();
  if (is_in_doubt())
    if (tune::Verdict whole = pass_gate(std::numeric_limits<double>::infinity()); !whole.passed)
      return whole;
  if (has_to_repeat()) {
    Operands operands = setup_.arena.operands(0);
    if (setup_.request.limits.constant_weights) operands.w = nullptr;
    const std::string difference = difference_of_repeats(*prepared_, setup_.problem, operands,
                                                         setup_.arena.workspace(), *setup_.site);
    if (!difference.empty()) return {false, difference};
  }
  return check_after_other_sizes(first);
}

tune::Verdict ChainContestant::check_after_other_sizes(const tune::Verdict& first) {
  if (!chain_.engine->remembers_sizes(setup_.problem) ||
      run_other_sizes(chain_, candidate_.choice, setup_.problem, setup_.request.limits,
                      *setup_.site) == 0)
    return first;
  tune::Verdict verdict = pass_gate(std::numeric_limits<double>::infinity());
  if (!verdict.passed)
    verdict.reason = format("wrong after a problem of another size has run ({})", verdict.reason);
  return verdict;
}

}  // namespace atc::conv
