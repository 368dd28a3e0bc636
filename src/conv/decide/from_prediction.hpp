// Predicts the choice of a problem without a decision (ATC_TUNE_PREDICT), by what races of similar
// layers have shown (race/experience.hpp). Nothing is measured, and nothing is stored.
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
  // Indices in the lineup: the candidates that are expected to be faster than the default, the most
  // promising first. Empty: the default runs.
  std::vector<std::size_t> order;
};

// The reason why nothing may be predicted for the request, although it asks for predictions; "" if
// there is none.
std::string prediction_refusal(const Request& request);

// Predicts for the problem of the key. Executes and builds nothing. Candidates that have to be
// compiled, and those that the correctness gate is known to refuse, are not predicted.
Prediction predict(const Problem& problem, const Request& request, const store::Key& key);

// The decision with source `predicted` for a predicted candidate.
Decision decision_of(const Prediction& prediction, std::size_t candidate);

struct Predicted {
  std::optional<Decided> decided;  // empty: the default runs
  // The choice could not be checked now, because of a stream capture or a callback. The default
  // runs, and the next call predicts.
  bool owed = false;
};

// Builds the most promising candidate that passes the correctness gate. If the first few
// candidates do not pass, the default runs. The gate checks a choice once in a process for each
// problem. Throws Error(device).
Predicted from_prediction(const Problem& problem, const Request& request, const store::Key& key);

}  // namespace atc::conv
