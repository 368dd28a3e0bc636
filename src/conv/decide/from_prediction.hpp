// Predicts the choice of a problem without a decision (ATC_TUNE_PREDICT) from the results of
// earlier races of similar layers (race/experience.hpp). Nothing is measured, and nothing is
// stored.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conv/decide/decided.hpp"
#include "conv/options.hpp"
#include "conv/race/lineup.hpp"
#include "core/problem.hpp"
#include "store/entry.hpp"

namespace atc::conv {

struct Prediction {
  Lineup lineup;
  // The candidates that are expected to be faster than the default, the most promising first. Each
  // number is an index in the lineup (the list of candidates). If `order` is empty, the default
  // runs.
  std::vector<std::size_t> order;
};

// Returns the reason why no choice may be predicted for a request that asks for predictions.
// Returns "" if a choice may be predicted.
std::string prediction_refusal(const Request& request);

// Predicts the choice of the problem that `key` identifies. Executes and builds nothing. Two kinds
// of candidates are left out: candidates that have to be compiled, and candidates that the
// correctness gate is known to refuse.
Prediction predict(const Problem& problem, const Request& request, const store::Key& key);

// Makes a decision (with the source Source::predicted) that chooses the candidate with this index
// in `prediction.lineup`.
Decision decision_of(const Prediction& prediction, std::size_t candidate);

struct Predicted {
  std::optional<Decided> decided;  // empty: the default runs
  // True if the choice could not be checked now, because the stream is being captured or because
  // the call comes from a callback. The default runs, and the next call predicts again.
  bool owed = false;
};

// Builds the predicted candidates, the most promising first, until one passes the correctness gate.
// If the first three candidates do not pass, the default runs. The gate checks a choice once in a
// process for each problem. Throws Error(device).
Predicted from_prediction(const Problem& problem, const Request& request, const store::Key& key);

}  // namespace atc::conv
