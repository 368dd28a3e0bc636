#include "conv/race/repeat.hpp"

#include <cstdint>
#include <memory>

#include "core/error.hpp"
#include "core/format.hpp"

namespace atc::conv {

namespace {

// The number of executions whose results are compared.
constexpr int kExecutions = 6;
// After at least two executions, no further one follows if they have taken this many seconds
// together.
constexpr double kLong = 0.5;

// Starts other work that keeps the device busy during the executions. Returns null if memory does
// not suffice for it.
std::unique_ptr<OtherWork> other_work(Site& site) {
  try {
    return site.begin_other_work();
  } catch (const Error& error) {
    if (error.status() != Status::out_of_memory) throw;
    return nullptr;
  }
}

}  // namespace

std::string difference_of_repeats(Prepared& prepared, const Problem& problem,
                                  const Operands& operands, void* workspace, Site& site) {
  const std::unique_ptr<WatchedOutput> output = site.make_output(problem.output());
  const void* const old = output_of(problem, operands);
  Operands redirected = operands;
  output_of(problem, redirected) = output->data();
  const auto fingerprint = [&] {
    problem.accumulate ? output->copy_from(old) : output->unwrite();
    prepared.execute(redirected, workspace, site.stream());
    if (const void* const own = prepared.result()) output->copy_from(own);
    return site.fingerprint(output->data(), problem.output().span_bytes());
  };
  const double began = site.device().now();
  const std::uint64_t first = fingerprint();
  const std::unique_ptr<OtherWork> beside = other_work(site);
  for (int execution = 2; execution <= kExecutions; ++execution) {
    if (beside != nullptr) beside->go_on();
    if (fingerprint() != first)
      return format(
          "it is said to be deterministic, but execution {} on the same operands, beside "
          "other work, gave other bits than the first",
          execution);
    if (site.device().now() - began > kLong) break;
  }
  return "";
}

}  // namespace atc::conv
