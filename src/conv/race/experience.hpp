// The experience of earlier races. For each kind of candidate it has two quantities: the time of
// the candidate divided by the default's time, and the time that the candidate's turn (preparing,
// checking and timing) took. Later races of similar layers use the experience to decide which
// candidates get a turn (tune/prospects.hpp). No key, record or digest depends on the experience.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "conv/decision.hpp"
#include "conv/memory.hpp"
#include "conv/options.hpp"
#include "core/problem.hpp"
#include "store/entry.hpp"
#include "tune/contestant.hpp"

namespace atc::conv {

// Returns the class of a layer. In layers of one class the same candidates are expected to be fast.
// The class consists of the direction, format, number of dimensions, layout, groups, and whether
// the kernel has one element. Sizes are not part of it. On CUDA f16 and bf16 have the same class.
std::string layer_class(const Problem& problem, const Request& request);

// The mean and the variance of a series of numbers. Only about the latest kMostCounted numbers have
// an influence.
struct Moments {
  double number = 0, mean = 0, variance = 0;

  void add(double value);
  // Adds all numbers of another series, given by its moments.
  void add(const Moments& others);
};

class Experience {
 public:
  // The largest number of kinds of candidates in each of the maps `ratios_` and `turns_`. If there
  // are more, the kind that was seen least often is removed.
  static constexpr std::size_t kMostKinds = 1024;

  // Returns the expected speed and costs of a candidate in a layer of the class `layer`.
  tune::Belief belief(const Candidate& candidate, const std::string& layer) const;
  // Returns this experience with additional, wider kinds of candidates. A wider kind combines all
  // directions, formats, layouts and dimensions of a chain. So something is known about classes of
  // layers that no race has had. Predictions use the widened experience. Races do not, because with
  // the widened experience fewer candidates would get a turn.
  Experience widened() const;
  // Adds the results of a race. Nothing is added if the decision is provisional or incomplete, or
  // if the default was not timed.
  void add(const Decision& decision, const std::string& layer);
  bool empty() const { return ratios_.empty() && turns_.empty(); }

  store::Json to_json() const;
  // Throws Error(invalid_argument) or store::Json::exception if `json` does not have the form that
  // to_json writes.
  static Experience from_json(const store::Json& json);

 private:
  using Kinds = std::map<std::string, Moments>;

  // Returns the expected seconds of one part of a candidate's turn: of compiling it, or of the rest
  // (`name`). `unknown` is the expectation before any turn was seen, and counts as much as one
  // turn.
  double cost(const char* name, const Candidate& candidate, double unknown) const;
  void add_cost(const char* name, const Candidate& candidate, double seconds);

  Kinds ratios_;  // mean and variance of log(time / time of the default), by kind of candidate
  Kinds turns_;   // mean and variance of log(seconds of a turn), by kind of candidate
};

// Returns the experience of this process for an environment (device and library versions) and a
// store. At first this is the contents of the store's file <store>/experience-<16 hex:
// environment>.json. If there is no such file, it is the experience that is built into the library
// for CUDA devices of this compute capability. The races of this process are added. If the file
// cannot be read, it is ignored and one warning is logged.
Experience known_experience(const store::Json& environment, const Knowledge& knowledge);
// Returns the experience with which this process began: the experience in the store's file, or,
// without such a file, the experience that is built into the library. The races of this process are
// not included. If the file cannot be read, the result is empty.
Experience first_experience(const store::Json& environment, const Knowledge& knowledge);
// Returns the experience that is built into the library for this device; empty for other devices.
Experience built_in_experience(const store::Json& environment);
// Adds the results of a race. If the store is open for writing, its file is also written. If the
// file cannot be written, one line is logged at level info. The line is not a warning, because the
// store already logs a warning when it cannot write the record.
void add_experience(const store::Json& environment, const Knowledge& knowledge,
                    const Decision& decision, const std::string& layer);

}  // namespace atc::conv
